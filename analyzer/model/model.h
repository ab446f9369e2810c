/*
 * What a run's records mean: seconds and shares of lines, pairs with their contexts, totals. Built once from a struct run
 * and read by every output.
 */
#ifndef PIEPROF_ANALYZER_MODEL_H
#define PIEPROF_ANALYZER_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/memo.h"
#include "model/callers.h"
#include "model/content.h"
#include "model/faults.h"
#include "model/idle.h"
#include "model/lifetime.h"
#include "model/mixing.h"
#include "model/phase.h"
#include "read/run.h"
#include "symbols/line_table.h"

enum time_kind { TIME_PYTHON, TIME_NATIVE, TIME_BOUNDARY, TIME_KINDS };

/* CPU time, and the samples that measured it. */
struct times {
    uint64_t ns[TIME_KINDS];
    uint64_t samples;
};

/* Pairs that lie far apart are seen less often than near ones: each counts as the `all` that it stands for (db_pair.scale). */
struct weights {
    double wasted, all;
    double squares;        /* sum over the pairs of what each stands for, squared */
    double wasted_squares; /* of the wasted ones */
    double undecided;      /* beside `all`: what pairs stand for that do not tell */
    double variance;       /* of `wasted`, beyond what these squares say: what they stand for is an estimate itself */
    struct resampled *resampled; /* while pairs are charged (resample.h), else NULL */
};

/*
 * Accesses of one kind that met a further access to the same bytes of an object, of redundant stores all that were sampled.
 * `wasted` of `pairs` were redundant (or dead). `unproved`: another thread could have touched the bytes between the two; such pairs are among `pairs` where
 * values are compared. Of dead stores they say nothing: there they are left out, and with them, counted in `unproved` too,
 * the pairs between which the watch slept without a load seen before.
 */
struct share {
    uint64_t pairs, wasted, unproved;
    uint64_t undecided;                   /* of the unproved: those that are not among the pairs */
    uint64_t recycled;                    /* of the wasted: the buffer was freed and allocated again in between */
    uint64_t zero;                        /* of the wasted: the value was all zero bits */
    uint64_t across_pairs, across_wasted; /* of both: the accesses lie in different native calls */
    struct weights weights, across_weights;
    uint64_t paired_count;   /* of `paired`: how many */
    double paired, needless; /* wasted pairs by weight, and those of them that a fix at a line could spare (pairs.c) */
};

enum share_kind { SHARE_LOADS, SHARE_STORES, SHARE_DEAD, SHARE_KINDS };

/*
 * Objects of sites, summed (db.h, struct db_site). Counted, not sampled: the same in every run alike. Where a part was looked
 * at, workspaces and unfilled ones are as many as its share of them.
 */
struct objects {
    uint64_t sites, births, workspaces, unfilled, examined, constant, zero, replicas, copies, live_at_end, skipped;
    uint64_t linked; /* of examined: equal to a recent object of another site that the same native function made */
    uint64_t far_examined, far_replicas; /* of contents that the far history selected: at whatever distance */
    uint64_t replica_bytes, linked_bytes, constant_bytes, workspace_bytes;
    /* Replicas among all births, each site's by what its examined ones say: sites are looked at as often as they deserve. */
    double estimate, variance, estimate_bytes;
    double below, above; /* what the estimate may be off by, beside its variance: whether some were new is not known */
    double
        results_variance; /* of births - workspaces - unfilled: 0 where all were looked at, or all are alike in that */
};

/* Objects that could be results. */
static inline uint64_t objects_results(const struct objects *objects)
{
    return objects->births - objects->workspaces - objects->unfilled;
}

/* ... and their 95 % interval, which is no wider than what was looked at allows. */
double objects_results_low(const struct objects *objects);
double objects_results_high(const struct objects *objects);

struct objects_estimate {
    bool known; /* false: the count is the number itself */
    uint64_t replicas, low, high;
};

/* What the examined ones say of all, where something was left out or lies further back than was looked. */
struct objects_estimate objects_estimate(const struct objects *objects);

/* A Python source line, comprehensions and lambdas on it included. All strings are interned. */
struct line {
    const char *file, *function;
    int32_t number;
    struct line_span span; /* of the instructions that took most of its time... */
    uint64_t span_ns;      /* ... which is this */
    uint64_t worker_ns;    /* of times: on worker threads */
    uint64_t carried_ns;   /* time whose user line it is, also where a package line leads */
    struct times times;
    struct share shares[SHARE_KINDS];
    struct objects objects;
    struct alive alive;
    struct line_idle idle;
    struct contents *contents;         /* NULL: none were looked at for that */
    uint64_t phase_ns[PHASE_COUNT];    /* in each phase, whichever is asked for */
    unsigned phases;                   /* bits: in which phases its code ran, made objects or touched them */
    struct place *places;              /* those of its instructions that made objects, on each way */
    double events[DB_EVENTS_MAX];      /* hardware events, by the model's event_names */
    struct line *caller;               /* the user line this package line stands for, NULL usually */
    double waste_s;                    /* upper bound of what a fix can win, never more than its own time */
    double stored_s;                   /* ... that needless stores stand for, by waste_kind */
    double computed_again_s;           /* ... that results made again stand for (findings) */
    double allocated_s;                /* ... that memory got again stands for (findings) */
    double taken_apart_s;              /* ... that work on single elements stands for (findings)... */
    const struct line *taken_apart_at; /* ... whose finding stands at this line; NULL: there is none */
    double operand_s; /* ... that what calls the package for operands, to make the same again, stands for */
    const struct line *operand_of; /* where that stands; NULL: there is none */
    const struct line
        *finishes; /* the line whose buffers it finishes, which are made again (findings); NULL: of none */
    enum share_kind waste_kind;
    /* Of times, in loops over the elements of arrays (findings/tiny_calls.c): its own; with the formulas that it calls. */
    uint64_t element_samples, element_ns;
    bool own, wasteful; /* in the user's own code; waste_kind says something */
    bool found;         /* a finding stands at it */
};

/* Who wrote a code object. */
enum owner { OWNER_USER, OWNER_STDLIB, OWNER_FOUNDATION, OWNER_PACKAGE };

struct code {
    const char *file, *function; /* absolute path; qualified name */
    const char *package;         /* installed package's import name; NULL for others */
    enum owner owner;
    bool known, import_machinery, table_ready, pseudo;
    bool passes; /* may be a whole step (phase_steps.c): a forward or backward pass stands below it */
    struct phase_sign phase;
    struct line_table table;
};

/* Of a node, from the path above it. */
struct node {
    uint32_t python;        /* innermost Python frame: node id */
    uint32_t user;          /* innermost frame in the user's own code */
    uint32_t package_frame; /* below `user`: innermost frame of the first package that is no foundation */
    uint32_t calling_frame; /* innermost frame of neither the foundations nor the standard library */
    const char *package;
    struct line *line; /* of `user`; NULL without one */
    uint64_t way;      /* hash of the Python frames down to here, each with its instruction: equal on the same way */
    bool in_import, imports_own; /* below an import; the innermost one's module is the user's own */
    uint32_t started_by;         /* of a thread with Python: the context that started it (node id), 0: not known */
    bool worker, adopted;        /* on a thread that works for others; of a pool that does not tell for whom */
    struct phase_sign phase;
    bool native_between; /* a frame outside the interpreter stands below `python` */
    bool is_told;
    uint32_t told_frame;            /* lines_frame_of_leaf(), once it was asked for (`is_told`) */
    struct line *told;              /* lines_of_leaf(), likewise; NULL: not asked for yet, or none */
    const struct db_module *module; /* of a native frame's own address; NULL: none, or no native frame */
};

/* A place that made objects, as recorded. `link` is its heaviest as the second of two sites, NULL without one. */
struct site {
    const struct db_site *record; /* NULL: left out, below an import */
    struct db_site *decided;      /* that, where it is not as the file has it (decide() in objects.c) */
    const struct db_link *link;
    struct process *process;
    uint32_t python;     /* node of the innermost Python frame it is made in */
    struct place *place; /* NULL: no Python line */
    struct site *next;   /* of the same place */
    uint64_t linked;     /* objects of all such links, at most those examined */
    bool is_linked;      /* its objects equalled another site's, or another's equalled these */
    enum { ONCE_UNKNOWN, ONCE_YES, ONCE_NO } once; /* is it made in no loop of its function? (executions.c) */
    enum { GIVEN_UNKNOWN, GIVEN_BY_HEADER, GIVEN_OTHERWISE } given; /* its inputs, by a loop around (replica_words.c) */
    uint32_t round_sizes;  /* sizes that are made in its rounds; 0: in none (findings/size_rounds.c)... */
    bool round_is_known;   /* ... once it was asked */
    uint64_t births_there; /* of results at its Python instruction, on its way, of all sizes (births.c) */
};

/* A site, the frame of the program's or a package's own code that it is made in, and the frame that called that. */
struct beside {
    uint32_t caller, index, maker;
    uint32_t behind; /* where the next one of another maker, or caller, stands */
};

/* An instruction of a line, reached on one way: its sites are the objects made below it, of all sizes. */
struct place {
    struct line *line;
    struct line_span span;
    struct site *sites;
    struct place *next;               /* on the same line */
    uint64_t ns;                      /* CPU time below it: native, boundary, and Python in functions it called... */
    uint64_t samples;                 /* ... and those that measured it */
    uint64_t native_ns;               /* of it, native and boundary */
    bool claimed;                     /* a finding speaks of it: no other does */
    bool is_operand;                  /* of an expression that makes the same each time (findings/operand_time.c)... */
    bool is_told_with_another;        /* ... whose finding speaks of it */
    bool is_far_known, repeats_far;   /* findings/far.h */
    uint64_t least_there, most_there; /* of its sites' `births_there` */
};

struct process {
    const struct run_process *run;
    struct code *codes;    /* by run_index() of DB_KIND_CODE */
    struct node *nodes;    /* by run_index() of DB_KIND_NODE */
    struct site *sites;    /* by run_index() of DB_KIND_SITE */
    struct beside *beside; /* the same by what called their code; NULL until it is asked for */
    size_t beside_count;
    struct memo operand_frames; /* findings/operand.h, by node */
    const struct db_live *live; /* NULL: nothing was alive */
    struct module_range *modules;
    size_t module_count;
    bool loads_data;          /* a worker of a data loader, whatever its threads do */
    const char *program_text; /* "<string>" or "<stdin>" when the program has no file; NULL when it has */
};

/* Pairs alike for a reader: same lines, same verdict. The example is the heaviest. */
struct pair_group {
    struct line *first, *second; /* NULL: no Python line */
    enum share_kind kind;        /* of a wasteful pair */
    enum phase phase;            /* of the access that is charged */
    bool wasted;
    enum db_scope scope;
    enum db_relation relation;
    uint64_t count, unproved, zero, weight_ns;
    const struct process *process;
    const struct db_pair *example;
};

/* What is told of a phase; over all phases it is what is told of the run. */
struct phase_totals {
    struct times times;
    uint64_t elsewhere_ns;
    struct objects objects;
};

struct totals {
    struct times times;                      /* imports left out */
    struct phase_totals phases[PHASE_COUNT]; /* each, whichever is asked for */
    uint64_t import_ns, import_own_ns;       /* of which: in modules of the user's own */
    struct share shares[SHARE_KINDS];
    struct objects objects;
    uint64_t elsewhere_ns; /* of times: outside every line */
    uint64_t worker_ns;    /* of times: at lines, on threads that worked for them... */
    uint64_t
        adopted_ns; /* ... of which: of pools that do not tell for whom, given to the line that could have been it */
    uint64_t waiting_ns; /* of elsewhere_ns: worker threads, while nobody had work for them */
    uint64_t
        interpreter_ns; /* of elsewhere_ns, not of waiting_ns: in the interpreter, which `times` counts as Python or boundary */
    uint64_t unplaced_ns; /* in none of the above: sampled in Python, but there was no room for where */
    uint64_t other_pairs; /* pairs on other classes of addresses than objects */
};

/* Sums over the processes. */
struct health {
    uint64_t samples, native, call_ended, resolved, armed, finished, traps, shim_cpu_ns, shim_memory_bytes, threads,
        objects;
    uint64_t dropped[DB_DROP_COUNT];
};

struct model {
    const struct run *run;
    enum phase phase; /* of which alone figures and findings are; PHASE_COUNT: the whole run (restrict.c) */
    struct process *processes;
    size_t process_count;
    struct line **lines; /* by waste, then time */
    size_t line_count;   /* those that something was charged to */
    size_t line_total, line_capacity;
    struct map line_map;
    struct pair_group **pairs; /* wasteful ones, most telling first */
    size_t pair_count, pair_capacity;
    struct map pair_map;
    struct place **places;
    size_t place_count, place_capacity;
    struct map place_map;
    struct callers callers;
    struct finding **findings; /* by waste, before any option selects */
    size_t finding_count, finding_capacity;
    struct totals totals;
    struct memory memory;
    struct mixing mixing;
    uint64_t accesses;                   /* sampled, to objects of sites */
    struct contents *contents;           /* of all sites; NULL: it was not asked for */
    struct changed_memo *changed;        /* findings/changed.c; NULL: nothing was asked for */
    struct inputs_cache *inputs;         /* findings/inputs_cache.h; NULL: nothing was asked for */
    struct operand_times *operand_times; /* findings/operand_time.h, likewise */
    struct health health;
    const char *event_names[DB_EVENTS_MAX]; /* of PIEPROF_EVENTS; NULL from the first unused on */
    double event_totals[DB_EVENTS_MAX];
    double duration_s;
    bool portable_paths;       /* sentences name files as another machine would (path.h) */
    const char *own_directory; /* the deepest that holds every file of the user's own lines; "" when none does */
    const char *const *own;    /* --own globs */
    size_t own_count;
    uint64_t decode_budget; /* bytes of location tables that may still be decoded: bounds a hostile file's cost */
};

/* `own`: globs of packages that count as the user's own code. Free with model_free. findings_say() puts what was found into words. */
void model_build(struct model *model, const struct run *run, const char *const *own, size_t own_count);
void model_free(struct model *model);

/* The first step of model_build alone: contexts, of which node_phase() can be told. Free with model_free. */
void model_build_contexts(struct model *model, const struct run *run, const char *const *own, size_t own_count);

/* A step of model_build, and restrict.c's, after lines_charge: all other figures of lines and totals, which must be zero. */
void model_charge(struct model *model);

/*
 * restrict.c: from now on all figures are those of one phase, and the findings those that stand in it, as they were made and put into words
 * over the whole run: what a rule knows of other phases may be why it says something, or nothing. Percents stay those of the run. PHASE_COUNT:
 * nothing changes. After findings_say.
 */
void model_restrict(struct model *model, enum phase phase);

/* code.c: the code object of an id, its file and owner known. NULL when there is none. */
struct code *model_code(struct model *model, struct process *process, uint32_t code_id);

/* code.c: `directory`/`file` without "." and ".." steps and doubled slashes; "<...>" stays. Interned. */
const char *path_absolute(const char *directory, const char *file);

/* code.c: does the file belong to an installed package that is none of the foundations? */
bool path_of_package_code(const char *path);

/* code.c: where a Python frame's node stands. */
struct line_span model_position(struct model *model, struct process *process, const struct db_node *node,
                                struct code **code);

/* modules.c: ELF objects by address. */
struct module_range {
    uint64_t low, high, reach; /* reach: highest end among this and all before it */
    const struct db_module *record;
};
void modules_sort(struct process *process);
const struct db_module *modules_find(const struct process *process, uint64_t address);

/* modules.c: the object's file; a relative name is taken to be from where the process started. */
const char *modules_path(const struct run_process *run, const struct db_module *module);

/* time_kind.c: which kind of time a leaf node's samples are. */
enum time_kind time_kind_of(struct process *process, const struct db_node *record, const struct node *node);

/* nodes.c: fills process->nodes. */
void nodes_resolve(struct model *model, struct process *process);

/* nodes.c: the phase of a context. */
enum phase node_phase(const struct process *process, const struct node *node);

/* nodes.c: is what happened in a context among the model's figures? Not below an import, nor in another phase than the one asked for. */
bool node_counts(const struct model *model, const struct process *process, const struct node *node);

/* program_text.c: what the program's code objects say their file is when it has none; NULL when it has one. Interned. */
const char *program_text_file(struct model *model, struct process *process);

/* lines.c */
struct line *lines_get(struct model *model, struct process *process, uint32_t node_id);
void lines_charge(struct model *model);
void lines_rank(struct model *model);
void lines_sort(struct model *model); /* those that lines_rank left, by what they waste now */
struct line *lines_of_leaf(struct model *model, struct process *process, uint32_t node_id);

/*
 * lines.c: the node itself; where a thread's own frames are those of the standard library and the foundations alone (a pool
 * of threads), the context that started the thread.
 */
uint32_t lines_leaf(const struct process *process, uint32_t node_id);

/* lines.c: the Python frame (node id) at the line that lines_of_leaf tells; 0 without one. */
uint32_t lines_frame_of_leaf(const struct model *model, const struct process *process, uint32_t node_id);

/* The deepest directory, with its "/", that holds the files of all own lines; "" when there is none. Interned. */
const char *lines_directory(const struct model *model);

/* events.c: hardware events, of the totals and of lines. */
void events_charge(struct model *model);

/* pairs.c */
void pairs_charge(struct model *model);
void pairs_free(struct model *model);

/*
 * objects.c: the place that a node's time counts at: what ran below the same instruction on the same way, in Python functions it called
 * too. Not the Python time of its own frame, which has other instructions. NULL: at none.
 */
struct place *objects_place_charged(struct model *model, struct process *process, uint32_t node_id);

/* objects.c: sites and links, and the places that they are of. After lines_charge. */
void objects_place(struct model *model);

/* births.c: `births_there` of all sites. After objects_place. */
void births_count(struct model *model);

/* objects_sum.c: the objects of the totals and of lines. After objects_place. */
void objects_charge(struct model *model);

/* objects.c: the site of the objects that a pair's record was seen on; NULL: none is known, or it has no Python line. */
const struct site *objects_site_of_pair(const struct process *process, const struct db_pair *record);
void objects_free(struct model *model);

static inline struct node *model_node(const struct process *process, uint32_t id)
{
    size_t index = run_index(&process->run->tables[DB_KIND_NODE], id);
    return index != SIZE_MAX ? &process->nodes[index] : NULL;
}

/* The context in which a site's objects are made. */
static inline const struct node *site_node(const struct site *site)
{
    return model_node(site->process, site->record->node);
}

static inline uint64_t times_total(const struct times *times)
{
    return times->ns[TIME_PYTHON] + times->ns[TIME_NATIVE] + times->ns[TIME_BOUNDARY];
}

/* Over all phases, whichever is asked for. */
static inline uint64_t totals_run_ns(const struct totals *totals)
{
    uint64_t ns = 0;
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++)
        ns += times_total(&totals->phases[phase].times);
    return ns;
}

#endif
