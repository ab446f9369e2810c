#include "findings/operand.h"

#include <ctype.h>
#include <string.h>

#include "findings/expression.h"
#include "findings/statement.h"
#include "python/words.h"

/* What stands next to the place, blanks left out; 0 at the text's borders, and a blank for a comparison ("==", "<="). */
static char before(const char *text, size_t at)
{
    while (at > 0 && isspace((unsigned char)text[at - 1]))
        at--;
    bool compares = at > 1 && text[at - 1] == '=' && strchr("=!<>", text[at - 2]) != NULL;
    return compares ? ' ' : at > 0 ? text[at - 1] : '\0';
}

static char after(const char *text, size_t length, size_t at)
{
    while (at < length && isspace((unsigned char)text[at]))
        at++;
    bool compares = at + 1 < length && text[at] == '=' && text[at + 1] == '=';
    return compares ? ' ' : at < length ? text[at] : '\0';
}

/* A word of its own at [at, end), and no part of a longer path, subscripted, called or a keyword's value? */
static bool stands_alone(const char *text, size_t length, size_t at, size_t end)
{
    char left = before(text, at), right = after(text, length, end);
    bool whole = (at == 0 || !word_char(text[at - 1])) && (end == length || !word_char(text[end]));
    return whole && strchr(".='\"", left != '\0' ? left : ' ') == NULL &&
           strchr(".([='\"", right != '\0' ? right : ' ') == NULL;
}

/* "x.f(w)": the object of the method that is called last. */
static bool is_receiver(const char *text, size_t at, size_t end, const struct operation *operation)
{
    return operation->kind == OPERATION_CALL && operation->name != NULL && at == 0 && text[end] == '.' &&
           operation->name == text + end + 1;
}

/* How many brackets are open at each place; strings are not looked into: none is on the way of a finding's operand. */
static int depth_at(const char *text, size_t at)
{
    int depth = 0;
    for (size_t i = 0; i < at; i++) {
        depth += text[i] == '(' || text[i] == '[' || text[i] == '{';
        depth -= text[i] == ')' || text[i] == ']' || text[i] == '}';
    }
    return depth;
}

/* Is what stands there between the last brackets of "x[i][j, k]"? */
static bool is_index(const char *text, size_t length, size_t at)
{
    size_t last = length;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '[' && depth_at(text, i) == 0)
            last = i;
    return at > last && depth_at(text, at) == 1;
}

/*
 * Where the last step's operands stand: those of an operator outside of all brackets, those of a call in its own ones; of a subscript
 * those that select.
 */
static bool is_place(const char *text, size_t length, size_t at, const struct operation *operation)
{
    if (operation->kind == OPERATOR)
        return depth_at(text, at) == 0;
    if (operation->kind == OPERATION_SUBSCRIPT)
        return is_index(text, length, at);
    return operation->kind == OPERATION_CALL && operation->name != NULL && text + at > operation->name &&
           depth_at(text, at) == depth_at(text, (size_t)(operation->name - text)) + 1;
}

bool text_takes(const char *text, size_t length_bytes, const char *name, size_t name_bytes)
{
    if (name_bytes == 0 || memmem(text, length_bytes, name, name_bytes) == NULL)
        return false;
    struct operation operation = operation_of(text, length_bytes);
    for (size_t at = 0; at + name_bytes <= length_bytes; at++) {
        size_t end = at + name_bytes;
        if (memcmp(text + at, name, name_bytes) != 0)
            continue;
        if (end < length_bytes && is_receiver(text, at, end, &operation))
            return true;
        if (stands_alone(text, length_bytes, at, end) && is_place(text, length_bytes, at, &operation))
            return true;
    }
    return false;
}

/* Where the expression begins and ends in its file, to be compared. */
static int64_t begin_of(const struct line_span *span)
{
    return (int64_t)span->line << 32 | (uint32_t)span->column;
}

static int64_t end_of(const struct line_span *span)
{
    return (int64_t)span->end_line << 32 | (uint32_t)span->end_column;
}

/* The expression of the maker is a part of the user's, on whichever of its lines. */
static bool lies_within(const struct line_span *maker, const struct line_span *user)
{
    bool known = maker->column >= 0 && user->column >= 0 && maker->end_column >= 0 && user->end_column >= 0;
    int64_t before = begin_of(maker) - begin_of(user), behind = end_of(user) - end_of(maker);
    return known && before >= 0 && behind >= 0 && before + behind > 0;
}

/* The same function: one name in two of them is two variables. */
static bool in_one_function(const struct db_node *a, const struct db_node *b)
{
    return a->frame == DB_FRAME_PYTHON && b->frame == DB_FRAME_PYTHON && a->parent == b->parent &&
           a->value >> 32 == b->value >> 32;
}

static struct operand_frame read_frame(struct model *model, struct process *process, uint32_t node_id)
{
    struct operand_frame frame = {.record = run_record(process->run, DB_KIND_NODE, node_id)};
    struct code *code;
    if (frame.record == NULL)
        return frame;
    frame.span = model_position(model, process, frame.record, &code);
    frame.target.text = statement_target(model, process, node_id, &frame.target.length_bytes);
    frame.text.text = operation_text(model, process, node_id, &frame.text.length_bytes);
    return frame;
}

bool operand_frame_takes(const struct operand_frame *user, const struct operand_frame *maker)
{
    if (maker->record == NULL || user->record == NULL || maker->record->parent != user->record->parent)
        return false;
    return lies_within(&maker->span, &user->span) ||
           (in_one_function(maker->record, user->record) && maker->target.text != NULL && user->text.text != NULL &&
            text_takes(user->text.text, user->text.length_bytes, maker->target.text, maker->target.length_bytes));
}

bool is_operand(struct model *model, struct process *process, uint32_t maker, uint32_t user)
{
    struct operand_frame inner = read_frame(model, process, maker), outer = read_frame(model, process, user);
    return operand_frame_takes(&outer, &inner);
}

const struct operand_frame *operand_frame_get(struct model *model, struct process *process, uint32_t node_id)
{
    bool is_new = false;
    struct operand_frame *frame =
        memo_get(&process->operand_frames, (struct map_key){node_id, 0, 0}, sizeof(*frame), &is_new);
    if (is_new)
        *frame = read_frame(model, process, node_id);
    return frame;
}
