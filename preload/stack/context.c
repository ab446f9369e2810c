#include "stack/context.h"

#include "launch/launch.h"
#include "pieprof/db.h"
#include "process.h"
#include "stack/context_nodes.h"
#include "stack/module.h"
#include "stack/slot.h"
#include "thread.h"

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
 * A greenlet's stack begins at the functions of greenlet that call its first evaluation loop. What lies outside of them was there when it
 * began: the stack of whoever started it, of whose Python frames it has none.
 */
static void cut_at_greenlet(struct context_scratch *scratch)
{
    size_t at = native_below_loops(scratch);
    while (at < scratch->native_count && !module_is_greenlet(scratch->native[at].address)) {
        at++;
    }
    if (at < scratch->native_count) {
        scratch->native_count = at;
        scratch->native_complete = true;
    }
}

static void capture_native(const ucontext_t *uc, struct context_scratch *scratch)
{
    scratch->native_count =
        native_unwind_again(uc, &scratch->native_memory, scratch->native, NATIVE_DEPTH_MAX, &scratch->native_complete);
    if (!scratch->native_complete) {
        process_drop(DB_DROP_NATIVE_STACK_PARTIAL);
    }
}

/* A thread without Python: what is dear is not done before it is known that there is somebody to give it to. */
static void capture_worker(const ucontext_t *uc, struct context_scratch *scratch)
{
    scratch->launched = 0;
    scratch->waits = thread_self != NULL && launch_waits(thread_self);
    if (scratch->waits) {
        scratch->native[0] = (struct native_frame){.address = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP]};
        scratch->native_count = 1;
        scratch->native_complete = true;
    } else {
        capture_native(uc, scratch);
        if (thread_self != NULL) {
            launch_find(thread_self, scratch);
        }
    }
    if (scratch->launched == 0) {
        process_drop(DB_DROP_NO_PYTHON_STATE);
    }
}

void context_capture(const ucontext_t *uc, struct context_scratch *scratch)
{
    enum python_walk_result walked =
        python_walk(scratch->python, PYTHON_DEPTH_MAX, &scratch->python_count, &scratch->python_truncated);
    scratch->has_python_state = walked != PYTHON_WALK_NO_STATE;
    if (walked == PYTHON_WALK_NO_STATE) {
        capture_worker(uc, scratch);
        return;
    }
    if (walked == PYTHON_WALK_FAULT) {
        process_drop(DB_DROP_PYTHON_STACK_FAULT);
    } else if (scratch->python_truncated) {
        process_drop(DB_DROP_PYTHON_STACK_TRUNCATED);
    }
    capture_native(uc, scratch);
    cut_at_greenlet(scratch);
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
    uint32_t ended; /* of the next run's loops around whose frames have ended: passed */
    bool as_before; /* so far the path is that of the last time */
    bool failed;
};

static bool is_as_before(struct merge *merge, uint32_t depth, enum db_frame frame, uint64_t value)
{
    const struct context_step *step = &merge->path->steps[depth];
    merge->as_before =
        merge->as_before && depth < merge->path->count && step->value == value && step->frame == (uint32_t)frame;
    return merge->as_before;
}

static void emit(struct merge *merge, enum db_frame frame, uint64_t value)
{
    struct context_path *path = merge->path;
    uint32_t depth = merge->depth++;
    if (is_as_before(merge, depth, frame, value)) {
        merge->node = path->steps[depth].node;
        return;
    }
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

/* What follows stands below a path that is interned already. Steps are told apart by a root's value that no root has. */
static void emit_known(struct merge *merge, uint32_t node)
{
    struct context_path *path = merge->path;
    uint64_t value = (uint64_t)DB_ROOT_END + node;
    if (!is_as_before(merge, 0, DB_FRAME_ROOT, value)) {
        path->steps[0] = (struct context_step){.value = value, .frame = DB_FRAME_ROOT, .node = node};
        path->count = 1;
    }
    merge->node = node;
    merge->depth = 1;
}

/* One run of Python frames: the frames that one evaluation-loop frame executes, its entry frame first. None where they have ended. */
static void emit_run(struct merge *merge)
{
    const struct python_frame *frames = merge->scratch->python;
    bool first = true;
    if (merge->python > 0 && merge->ended < frames[merge->python - 1].ended_around) {
        merge->ended++;
        return;
    }
    merge->ended = 0;
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
        runs += scratch->python[i].entry ? 1u + scratch->python[i].ended_around : 0;
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

uint32_t context_intern_frames(struct context_scratch *scratch, enum db_root root, uintptr_t frame)
{
    uint32_t node = 0;
    if (frame == 0 || python_walk_from(frame, scratch->python, PYTHON_DEPTH_MAX, &scratch->python_count,
                                       &scratch->python_truncated) != PYTHON_WALK_OK) {
        scratch->python_count = 0;
        return 0;
    }
    node = scratch->python_count > 0 ? context_nodes_intern(0, DB_FRAME_ROOT, root) : 0;
    for (size_t i = scratch->python_count; i > 0 && node != 0; i--) {
        const struct python_frame *python = &scratch->python[i - 1];
        uint64_t value = (uint64_t)python->code << 32 | (uint32_t)python->offset;
        node = python->code != 0 ? context_nodes_intern(node, DB_FRAME_PYTHON, value) : 0;
    }
    scratch->python_count = 0;
    scratch->python_truncated = false;
    return node;
}

/* The frames that start every thread, libc's and the shim's, tell nothing. */
static size_t without_thread_start(const struct context_scratch *scratch)
{
    size_t count = scratch->native_complete ? scratch->native_count : 0;
    for (; count > 1; count--) {
        const struct module *module = module_find(scratch->native[count - 1].address);
        if (module != NULL && (module->flags & (DB_MODULE_SHIM | DB_MODULE_ALLOCATOR)) == 0) {
            return count;
        }
    }
    return scratch->native_count;
}

/* The path of a thread without Python. */
static void emit_worker(struct merge *merge, uintptr_t access_address)
{
    const struct context_scratch *scratch = merge->scratch;
    bool main_thread = thread_self != NULL && thread_self->main;
    if (scratch->launched != 0) {
        emit_known(merge, scratch->launched);
        merge->native = without_thread_start(scratch);
    } else {
        emit(merge, DB_FRAME_ROOT, main_thread ? DB_ROOT_MAIN : scratch->waits ? DB_ROOT_WORKER : DB_ROOT_NATIVE);
    }
    emit_mixed(merge, true, access_address);
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
    if (!scratch->has_python_state && runs == 0 && loops == 0) {
        emit_worker(&merge, access_address);
        return merge.failed && access_address != 0 ? 0 : merge.node;
    }
    bool main_thread = thread_self != NULL && thread_self->main;
    uint64_t started_by = thread_self != NULL ? thread_self->origin.node : 0;
    emit(&merge, DB_FRAME_ROOT,
         main_thread                 ? DB_ROOT_MAIN
         : scratch->has_python_state ? DB_ROOT_PYTHON | started_by << 32
                                     : DB_ROOT_NATIVE);
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
