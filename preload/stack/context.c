#include "stack/context.h"

#include "pieprof/db.h"
#include "process.h"
#include "stack/context_nodes.h"
#include "stack/module.h"
#include "stack/slot.h"
#include "thread.h"

enum root { ROOT_MAIN = 0, ROOT_PYTHON_THREAD = 1, ROOT_NATIVE_THREAD = 2 };

static uint32_t epoch = 1;

bool context_start(void)
{
    return context_nodes_start();
}

void context_reset_child(void)
{
    epoch++;
    context_nodes_reset_child();
}

void context_capture(const ucontext_t *uc, struct context_scratch *scratch)
{
    enum python_walk_result walked =
        python_walk(scratch->python, PYTHON_DEPTH_MAX, &scratch->python_count, &scratch->python_truncated);
    scratch->has_python_state = walked != PYTHON_WALK_NO_STATE;
    if (walked == PYTHON_WALK_NO_STATE) {
        process_drop(DB_DROP_NO_PYTHON_STATE);
    } else if (walked == PYTHON_WALK_FAULT) {
        process_drop(DB_DROP_PYTHON_STACK_FAULT);
    } else if (scratch->python_truncated) {
        process_drop(DB_DROP_PYTHON_STACK_TRUNCATED);
    }
    scratch->native_count =
        native_unwind_again(uc, &scratch->native_memory, scratch->native, NATIVE_DEPTH_MAX, &scratch->native_complete);
    if (!scratch->native_complete) {
        process_drop(DB_DROP_NATIVE_STACK_PARTIAL);
    }
    if (scratch->python_count > 0) {
        slot_learn(scratch->native, scratch->native_count);
    }
}

/* Walks both stacks from the outside in. Indices count down; what lies below them is still to come. */
struct merge {
    const struct context_scratch *scratch;
    struct context_path *path;
    size_t python, native;
    uint32_t depth, node;
    bool as_before; /* so far the path is that of the last time */
    bool failed;
};

static void emit(struct merge *merge, enum db_frame frame, uint64_t value)
{
    struct context_path *path = merge->path;
    uint32_t depth = merge->depth++;
    if (merge->as_before && depth < path->count && path->steps[depth].value == value &&
        path->steps[depth].frame == (uint32_t)frame) {
        merge->node = path->steps[depth].node;
        return;
    }
    merge->as_before = false;
    uint32_t node = merge->failed ? 0 : context_nodes_intern(merge->node, frame, value);
    if (node == 0) {
        merge->failed = true; /* what could be interned so far stands for the rest */
        return;
    }
    merge->node = node;
    if (depth < CONTEXT_PATH_MAX) {
        path->steps[depth] = (struct context_step){.value = value, .frame = (uint32_t)frame, .node = node};
        path->count = depth + 1;
    }
}

/* One run of Python frames: the frames that one evaluation-loop frame executes, its entry frame first. */
static void emit_run(struct merge *merge)
{
    const struct python_frame *frames = merge->scratch->python;
    bool first = true;
    while (merge->python > 0 && (first || !frames[merge->python - 1].entry)) {
        const struct python_frame *frame = &frames[--merge->python];
        first = false;
        if (frame->code != 0) {
            emit(merge, DB_FRAME_PYTHON, (uint64_t)frame->code << 32 | (uint32_t)frame->offset);
        } else { /* no space for its code: the frames within it are not its caller's */
            merge->as_before = false;
            merge->failed = true;
        }
    }
}

/* The native frames from merge->native down to the leaf, evaluation loops replaced by their runs. */
static void emit_mixed(struct merge *merge, bool started, uintptr_t access_address)
{
    const struct native_frame *frames = merge->scratch->native;
    while (merge->native > 0) {
        const struct native_frame *frame = &frames[--merge->native];
        if (module_is_eval_loop(frame->address)) {
            emit_run(merge);
            started = true;
        } else if (started && (merge->native > 0 || access_address == 0)) {
            emit(merge, DB_FRAME_NATIVE, frame->address);
        }
        if (frame->gap && started) {
            emit(merge, DB_FRAME_GAP, 0);
        }
    }
    while (merge->python > 0) {
        emit_run(merge);
    }
    if (access_address != 0) {
        emit(merge, DB_FRAME_ACCESS, access_address);
    }
}

/* A run whose entry frame was cut off counts too. */
static size_t count_runs(const struct context_scratch *scratch)
{
    size_t runs = scratch->python_truncated ? 1 : 0;
    for (size_t i = 0; i < scratch->python_count; i++) {
        runs += scratch->python[i].entry ? 1 : 0;
    }
    return runs;
}

static size_t count_loops(const struct context_scratch *scratch)
{
    size_t loops = 0;
    for (size_t i = 0; i < scratch->native_count; i++) {
        loops += module_is_eval_loop(scratch->native[i].address) ? 1 : 0;
    }
    return loops;
}

/* Number of native frames from the leaf through the `wanted`-th evaluation loop (from the leaf, counted from 1). */
static size_t native_through_loop(const struct context_scratch *scratch, size_t wanted)
{
    for (size_t i = 0; i < scratch->native_count; i++) {
        if (module_is_eval_loop(scratch->native[i].address) && --wanted == 0) {
            return i + 1;
        }
    }
    return scratch->native_count;
}

/* Number of native frames below the innermost evaluation loop; all when there is none. */
static size_t native_below_loops(const struct context_scratch *scratch)
{
    size_t count = 0;
    while (count < scratch->native_count && !module_is_eval_loop(scratch->native[count].address)) {
        count++;
    }
    return count;
}

/*
 * The stacks do not pair from the outside: either end was cut off (then the innermost pairs are sure), or they disagree
 * (then only the innermost is taken, and the native frames between the others are left out).
 */
static void merge_from_leaf(struct merge *merge, size_t runs, size_t loops)
{
    const struct context_scratch *scratch = merge->scratch;
    bool cut = !scratch->native_complete || scratch->python_truncated;
    size_t pairs = runs < loops ? runs : loops;
    if (!cut && runs > 0) {
        process_drop(DB_DROP_MERGE_MISMATCH);
        pairs = pairs > 1 ? 1 : pairs;
    }
    while (runs-- > pairs) {
        emit_run(merge);
    }
    merge->native = pairs > 0 ? native_through_loop(scratch, pairs) : native_below_loops(scratch);
    if (pairs == 0 && scratch->python_count > 0) {
        emit(merge, DB_FRAME_GAP, 0);
    }
}

uint32_t context_intern(struct context_scratch *scratch, uintptr_t access_address)
{
    struct merge merge = {.scratch = scratch,
                          .path = &scratch->path,
                          .python = scratch->python_count,
                          .native = scratch->native_count,
                          .as_before = true};
    if (scratch->path.epoch != epoch) {
        scratch->path.epoch = epoch;
        scratch->path.count = 0;
    }
    size_t runs = count_runs(scratch);
    size_t loops = count_loops(scratch);
    bool main_thread = thread_self != NULL && thread_self->main;
    emit(&merge, DB_FRAME_ROOT,
         main_thread                 ? ROOT_MAIN
         : scratch->has_python_state ? ROOT_PYTHON_THREAD
                                     : ROOT_NATIVE_THREAD);
    /* At the leaf either side may be one ahead: the loop entered and the frame not yet pushed, or the reverse. */
    bool pair_up = scratch->native_complete && !scratch->python_truncated && runs <= loops + 1 && loops <= runs + 1 &&
                   runs > 0 && loops > 0;
    bool native_only = runs == 0 && loops == 0;
    if (!pair_up && !native_only) {
        merge_from_leaf(&merge, runs, loops);
    }
    emit_mixed(&merge, !pair_up && merge.python == 0, access_address);
    return merge.failed && access_address != 0 ? 0 : merge.node;
}
