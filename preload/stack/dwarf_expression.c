#include "stack/dwarf_expression.h"

#include <stddef.h>

#include "stack/eh_cursor.h"
#include "stack/guard.h"

#define STACK_WORDS 16u
#define EXPRESSION_BYTES_MAX 256u

enum operation {
    OP_ADDR = 0x03,
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08,
    OP_CONST8S = 0x0f,
    OP_CONSTU = 0x10,
    OP_CONSTS = 0x11,
    OP_DUP = 0x12,
    OP_DROP = 0x13,
    OP_OVER = 0x14,
    OP_SWAP = 0x16,
    OP_AND = 0x1a,
    OP_MINUS = 0x1c,
    OP_MUL = 0x1e,
    OP_OR = 0x21,
    OP_PLUS = 0x22,
    OP_PLUS_UCONST = 0x23,
    OP_SHL = 0x24,
    OP_SHR = 0x25,
    OP_XOR = 0x27,
    OP_EQ = 0x29,
    OP_GE = 0x2a,
    OP_GT = 0x2b,
    OP_LE = 0x2c,
    OP_LT = 0x2d,
    OP_NE = 0x2e,
    OP_LIT0 = 0x30,
    OP_LIT31 = 0x4f,
    OP_BREG0 = 0x70,
    OP_BREG16 = 0x80,
    OP_NOP = 0x96,
};

struct stack {
    uintptr_t words[STACK_WORDS];
    unsigned count;
    bool bad;
};

static void push(struct stack *stack, uintptr_t word)
{
    if (stack->count == STACK_WORDS) {
        stack->bad = true;
        return;
    }
    stack->words[stack->count++] = word;
}

static uintptr_t pop(struct stack *stack)
{
    if (stack->count == 0) {
        stack->bad = true;
        return 0;
    }
    return stack->words[--stack->count];
}

static uintptr_t read_constant(struct eh_cursor *cursor, uint8_t operation)
{
    unsigned step = operation - OP_CONST1U;
    unsigned bytes = 1u << (step / 2);
    uint64_t value = eh_cursor_fixed(cursor, bytes);
    unsigned unused = 64 - 8 * bytes;
    bool has_sign = step % 2 == 1;
    return has_sign ? (uintptr_t)((int64_t)(value << unused) >> unused) : (uintptr_t)value;
}

static bool run_binary(struct stack *stack, uint8_t operation)
{
    uintptr_t right = pop(stack);
    uintptr_t left = pop(stack);
    intptr_t a = (intptr_t)left;
    intptr_t b = (intptr_t)right;
    uintptr_t shift = right & 63;
    switch (operation) {
    case OP_AND:
        left &= right;
        break;
    case OP_MINUS:
        left -= right;
        break;
    case OP_MUL:
        left *= right;
        break;
    case OP_OR:
        left |= right;
        break;
    case OP_PLUS:
        left += right;
        break;
    case OP_SHL:
        left <<= shift;
        break;
    case OP_SHR:
        left >>= shift;
        break;
    case OP_XOR:
        left ^= right;
        break;
    case OP_EQ:
        left = a == b;
        break;
    case OP_GE:
        left = a >= b;
        break;
    case OP_GT:
        left = a > b;
        break;
    case OP_LE:
        left = a <= b;
        break;
    case OP_LT:
        left = a < b;
        break;
    case OP_NE:
        left = a != b;
        break;
    default:
        return false;
    }
    push(stack, left);
    return true;
}

static void push_register(struct stack *stack, struct eh_cursor *cursor, const struct native_registers *registers,
                          unsigned number)
{
    int64_t offset = eh_cursor_sleb(cursor);
    stack->bad |= (registers->known >> number & 1) == 0;
    push(stack, registers->value[number] + (uintptr_t)offset);
}

static bool run_stack(struct stack *stack, struct eh_cursor *cursor, uint8_t operation)
{
    uintptr_t top = 0;
    uintptr_t below = 0;
    switch (operation) {
    case OP_NOP:
        return true;
    case OP_ADDR:
        push(stack, (uintptr_t)eh_cursor_fixed(cursor, 8));
        return true;
    case OP_CONSTU:
        push(stack, (uintptr_t)eh_cursor_uleb(cursor));
        return true;
    case OP_CONSTS:
        push(stack, (uintptr_t)eh_cursor_sleb(cursor));
        return true;
    case OP_DEREF:
        stack->bad |= !guard_word(&top, pop(stack));
        push(stack, top);
        return true;
    case OP_PLUS_UCONST:
        push(stack, pop(stack) + (uintptr_t)eh_cursor_uleb(cursor));
        return true;
    case OP_DUP:
        top = pop(stack);
        push(stack, top);
        push(stack, top);
        return true;
    case OP_DROP:
        pop(stack);
        return true;
    case OP_SWAP:
    case OP_OVER:
        top = pop(stack);
        below = pop(stack);
        push(stack, operation == OP_SWAP ? top : below);
        push(stack, operation == OP_SWAP ? below : top);
        if (operation == OP_OVER) {
            push(stack, below);
        }
        return true;
    default:
        return run_binary(stack, operation);
    }
}

bool dwarf_expression_evaluate(uintptr_t block, const struct native_registers *registers, bool has_first,
                               uintptr_t first, uintptr_t *result)
{
    struct stack stack = {.count = 0};
    struct eh_cursor cursor;
    eh_cursor_open(&cursor, block, block + 10);
    uint64_t bytes = eh_cursor_uleb(&cursor);
    if (cursor.bad || bytes > EXPRESSION_BYTES_MAX) {
        return false;
    }
    eh_cursor_open(&cursor, cursor.at, cursor.at + bytes);
    if (has_first) {
        push(&stack, first);
    }
    while (cursor.at < cursor.end && !stack.bad) {
        uint8_t operation = eh_cursor_byte(&cursor);
        if (operation >= OP_CONST1U && operation <= OP_CONST8S) {
            push(&stack, read_constant(&cursor, operation));
        } else if (operation >= OP_LIT0 && operation <= OP_LIT31) {
            push(&stack, operation - OP_LIT0);
        } else if (operation >= OP_BREG0 && operation <= OP_BREG16) {
            push_register(&stack, &cursor, registers, operation - OP_BREG0);
        } else if (!run_stack(&stack, &cursor, operation)) {
            return false;
        }
    }
    *result = pop(&stack);
    return !cursor.bad && !stack.bad;
}
