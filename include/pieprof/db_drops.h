/* Everything that was dropped or refused, by reason; `db_process.dropped` counts each, in this order: name, text, meaning. */
#ifndef PIEPROF_DB_DROPS_H
#define PIEPROF_DB_DROPS_H

#define DB_DROPS(X)                                                                                                    \
    X(NO_PYTHON_STATE, "no_python_state", "sample on a thread without Python, and no line is known that it works for") \
    X(PYTHON_STACK_FAULT, "python_stack_fault", "Python frames unreadable at that instant")                            \
    X(PYTHON_STACK_TRUNCATED, "python_stack_truncated", "Python stack deeper than the cap; the leaf end is kept")      \
    X(NATIVE_STACK_PARTIAL, "native_stack_partial", "native stack could not be unwound to its end")                    \
    X(MERGE_MISMATCH, "merge_mismatch", "Python and native stacks did not line up; native leaf kept alone")            \
    X(ASYNC_TRAP, "async_trap", "trap delivered late: SIGTRAP was blocked, as libc does where it starts a thread")     \
    X(REENTERED, "reentered", "sample that hit the shim itself, or chose no access as it fell due in a trap")          \
    X(FILE_FULL, "file_full", "no space left under PIEPROF_MAX_SIZE, or under the limit of address space")             \
    X(DISK_FULL, "disk_full", "the file system refused more space")                                                    \
    X(NO_RESERVE, "no_reserve", "reserved space ran out inside a handler")                                             \
    X(TABLE_FULL, "table_full", "an in-memory table of the shim was full")                                             \
    X(BLOB_TOO_LARGE, "blob_too_large", "a string, line table or source text longer than a record can hold")           \
    X(OBJECT_TABLE_FULL, "object_table_full", "an object could not enter the object map")                              \
    X(GOVERNED, "governed", "access sample skipped to stay inside PIEPROF_BUDGET")                                     \
    X(UNDECODED, "undecoded", "instruction the decoder does not know")                                                 \
    X(UNREADABLE_CODE, "unreadable_code", "instruction bytes could not be read")                                       \
    X(PATH_TOO_LONG, "path_too_long", "no access of the wanted kind within the decoding limit")                        \
    X(INDIRECT_BRANCH, "indirect_branch", "the path to the next access left through an indirect branch")               \
    X(BREAKPOINT_MISSED, "breakpoint_missed", "execution breakpoint never reached")                                    \
    X(ADDRESS_UNKNOWN, "address_unknown", "the access's address could not be computed")                                \
    X(NO_REGISTER, "no_register", "no debug register could be had")                                                    \
    X(NO_RETURN_SLOT, "no_return_slot", "the native call's return slot was not found")                                 \
    X(WATCH_OUTWAITED, "watch_outwaited", "watch given up when its patience ran out; those that ended stand for it")   \
    X(WATCH_EXPIRED, "watch_expired", "watch given up after too many traps")                                           \
    X(WATCH_OPEN, "watch_open", "watch still waiting when its thread or the run ended")                                \
    X(WATCH_ALLOCATOR, "watch_allocator", "watch ended by an access of the allocator or of OpenMP's runtime")          \
    X(WATCH_INTERPRETER, "watch_interpreter", "watch ended by an access of the interpreter")                           \
    X(WATCH_UNREADABLE, "watch_unreadable", "watched bytes could not be read at the verdict")                          \
    X(WATCH_AMBIGUOUS, "watch_ambiguous", "load and store could not be told apart")                                    \
    X(FORKED_WITHOUT_HOOK, "forked_without_hook", "process made by a raw fork was adopted late")                       \
    X(THREAD_WITHOUT_CLOCK, "thread_without_clock", "thread not sampled: no memory, descriptor or timer, tiny stack")  \
    X(WATCH_OVERLAP, "watch_overlap", "access found, its bytes are watched already")                                   \
    X(CLASS_SAMPLED_OUT, "class_sampled_out", "access found outside objects: most of those are not watched")           \
    X(WATCHES_BUSY, "watches_busy", "access found, all watches were waiting; the next one armed stands for it")        \
    X(OBJECT_WITHOUT_PYTHON, "object_without_python", "object born on a thread without Python frames: it has no site") \
    X(SITES_FULL, "sites_full", "object born when the table of places was full: it was not looked at")

enum db_drop {
#define X(name, text, meaning) DB_DROP_##name,
    DB_DROPS(X)
#undef X
        DB_DROP_COUNT
};

#endif
