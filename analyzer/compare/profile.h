/*
 * What of a run is compared with another: exact counts of every line that made objects, findings, the program, and digests
 * of the source lines by which a line is found again after edits. Taken from a run, or read from a baseline (a JSON file that
 * `export --format baseline` wrote), which holds neither times, nor samples, nor paths of a machine.
 */
#ifndef PIEPROF_ANALYZER_PROFILE_H
#define PIEPROF_ANALYZER_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

#define PROFILE_FORMAT "pieprof-baseline"
#define PROFILE_VERSION 2       /* of one phase: who does not know phases must not take it for the whole */
#define PROFILE_VERSION_WHOLE 1 /* of a whole run */
#define PROFILE_TEXT_BYTES 400u /* no more of a source line is kept */

/* Strings are interned throughout. */
struct profile_file {
    const char *path;  /* relative to the repository; of an installed package as it is imported */
    uint32_t *digests; /* of each line without its blanks, 0 for a blank one; NULL when no text is known */
    size_t line_count;
    int32_t *statements; /* of a run only: of each line the first of its statement's rows */
};

/*
 * Objects at a line, of all sizes and on all ways there, at places of which the same tenths repeat: what data makes of one
 * place does not thin out what another repeats.
 */
struct profile_group {
    unsigned replica_tenths, constant_tenths; /* of examined */
    uint64_t births, results;                 /* results: neither workspaces nor left unfilled */
    uint64_t examined, replicas, linked, constant;
    uint64_t bytes;                       /* of all births */
    uint64_t again_bytes, constant_bytes; /* of results: as large a part as of those examined */
};

struct profile_row {
    size_t file;
    int32_t number;
};

/* The user's rows that called what a line made so many results in, innermost first: as many of them as are kept. */
#define PROFILE_WAY_ROWS 16u
struct profile_way {
    struct profile_row rows[PROFILE_WAY_ROWS];
    size_t row_count;
    uint64_t results;
    uint64_t again; /* of these, equal to an earlier one, or all one value */
};

/* Results of a line, and how many bytes they are, in all phases, whichever is asked for. */
struct profile_made {
    uint64_t results;
    double bytes;
};

struct profile_line {
    size_t file; /* index into the profile's files */
    const char *function, *text;
    int32_t number;
    int32_t column, end_column; /* -1: unknown */
    /* Of a package's line: the user line that it stands for in this run, as its time decides; number 0: none. */
    size_t caller_file;
    int32_t caller_number;
    bool own;
    unsigned
        phases; /* bits: in which it made objects, whichever is asked for; 0: in none, or not known, as in earlier baselines */
    struct profile_group *groups;
    size_t group_count, group_capacity;
    struct profile_made made;
    uint64_t typical_bytes; /* half of these are no larger; 0: not known, as in baselines of earlier versions */
    /* Of a run only. */
    unsigned ran; /* bits: as `phases`, and in which its code ran, or touched objects */
    double time_s;
    uint64_t samples;         /* that measured it... */
    uint64_t element_samples; /* ... in loops over the elements of arrays */
    struct share stores, dead;
    struct profile_way *ways; /* of a baseline, one row each, without counts; none in those of earlier versions */
    size_t way_count, way_capacity;
};

struct profile_finding {
    const char *id, *kind, *category;
    enum phase phase;    /* PHASE_COUNT: not known, as in baselines of earlier versions */
    size_t line;         /* index into the profile's lines */
    const char *ignored; /* the reason a comment on the line gives; NULL: none */
    /* Of a run only; NULL and 0 in a baseline. */
    size_t first; /* index + 1 of the line that made the same before; 0: it speaks of none */
    const char *claim, *advice;
    const char *way; /* the Python frames that lead there */
    double waste_s;
};

/* A comment `# pieprof: ignore[kind] reason`, one for each of its kinds; "" where it names none. */
struct profile_ignore {
    size_t file;
    int32_t number;
    const char *kind, *reason;
    bool used;
};

struct profile {
    const char *name; /* the file that was read, printable */
    enum phase phase; /* all that it counts and finds is of this one alone; PHASE_COUNT: of the whole run */
    const char *program_kind, *program;
    const char *root; /* where the program's path begins on this machine, with its "/"; NULL: not known */
    bool engines[DB_ENGINE_COUNT];
    const char *why_off[DB_ENGINE_COUNT]; /* NULL: on, or not known */
    double fp_tolerance;                  /* of the access engine, 0 in a baseline: see engine_tolerance */
    int64_t sampled_beyond_bytes;         /* of the replica engine, see there; -1: not known, as in earlier baselines */
    uint32_t object_min_bytes;            /* smaller buffers were no objects */
    const char *why_partial;              /* NULL: the run came to its end and was read whole */
    const char *question;                 /* see profile_question; of the database only, not of an exported baseline */
    bool from_run;
    uint64_t births, object_bytes;
    uint64_t without_place; /* objects that found no room among the places */
    double time_s;
    uint64_t samples;
    uint64_t run_samples;      /* of the whole run, whichever phase is asked for */
    bool training;             /* phases were recognised: they are told on a page */
    struct share stores, dead; /* of all lines */
    struct profile_file *files;
    size_t file_count, file_capacity;
    struct profile_line *lines; /* by path, then number */
    size_t line_count, line_capacity;
    struct map line_map; /* of the first `line_indexed` lines: path and number -> index + 1 */
    size_t line_indexed;
    struct profile_finding *findings; /* by line, kind and id */
    size_t finding_count, finding_capacity;
    struct profile_ignore *ignores;
    size_t ignore_count, ignore_capacity;
};

/*
 * profile_load.c: reads a run's file or a baseline, as --own and --phase say. False after one line on stderr; so where the baseline is not
 * of the phase that is asked for. Free with profile_free in both cases; the strings live until intern_free_all().
 */
struct options;
bool profile_load(struct profile *profile, const char *path, const struct options *options);
void profile_free(struct profile *profile);

/* profile_load.c: what a line's groups say that it made; of a run or baseline of one phase that is not all. */
struct profile_made profile_made_by_groups(const struct profile_line *line);

/* profile_load.c: adds a line's objects to the profile's sums. */
void profile_count_line(struct profile *profile, const struct profile_line *line);

/* profile_take.c: from a model, whose memory is not needed afterwards. */
void profile_take(struct profile *profile, struct model *model);

/* profile_pool.c: does a file's text differ between runs of one side? Its path, NULL: no. */
const char *profile_differs(const struct profile *a, const struct profile *b);

/*
 * profile_pool.c: adds what another run of the same code sampled, and the findings that were measured there, to the first.
 * Exact counts and times stay the first's own.
 */
void profile_pool(struct profile *first, const struct profile *other);

/* profile_pool.c: the index of the line at a place, of another profile of the same code, too; SIZE_MAX: nothing was counted there. */
size_t profile_find_line(struct profile *profile, const char *path, int32_t number);

/* profile_read.c: from a baseline's text. False: `*error` (fresh memory) says where and what is wrong. */
bool profile_read(struct profile *profile, const char *text, size_t length_bytes, char **error);

/* profile_write.c: as a baseline: the same bytes for the same counts. False when the output could not be written. */
bool profile_write(FILE *out, const struct profile *profile);

/* program.c: what ran: "script" and its path, "module" and its name, or "text". Returns the script's absolute path or NULL. */
const char *profile_program(struct profile *profile, const struct model *model);

/* program.c: is it the file of the profile's program? A module's is "pkg/train.py" or "pkg/train/__main__.py", at any depth. */
bool profile_is_program_file(const struct profile *profile, const char *path);

/* Does this process run `python -c TEXT`, whatever options stand before? */
bool profile_is_text(const struct run_process *process);

/* program.c: where the path of a file of the profile begins on this machine, for `root`; NULL: not known. */
const char *profile_root_of(const char *absolute, const char *path);

/* ended.c: why a run cannot stand for the whole program; NULL: it came to its end and was read whole. Interned. */
const char *profile_why_partial(const struct run *run);

/* A `python -c` beside other commands that failed, and how, which does not count; NULL: none. Interned. */
const char *profile_question(const struct run *run);

/*
 * Do exact counts alone make findings of this kind? Others are measured, or told only where they cost time: they are not
 * written into baselines, which are the same bytes for the same program.
 */
static inline bool kind_is_exact(const char *kind)
{
    return strcmp(kind, "replica") == 0 || strcmp(kind, "transfer") == 0;
}

/* Is what makes findings of this kind sampled? (Counts make "constant" ones, where they cost time.) */
static inline bool kind_is_measured(const char *kind)
{
    return !kind_is_exact(kind) && strcmp(kind, "constant") != 0;
}

/* ignore.c: notes the comments of a file and marks the findings that they name. */
void profile_ignore(struct profile *profile, size_t file, const char *text, size_t length_bytes);
void profile_ignore_findings(struct profile *profile);

/* Full tenths that a part is of the whole. */
static inline unsigned profile_tenths(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (unsigned)(10 * ((double)part / (double)whole)) : 0;
}

/* Sums that only a damaged file makes so large stay at their end, which JSON can hold. */
static inline void profile_add(uint64_t *sum, uint64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum) || *sum > INT64_MAX)
        *sum = INT64_MAX;
}

/* What a profile is of: "phase forward", "all phases". */
const char *profile_phase_words(enum phase phase);

static inline const char *line_path(const struct profile *profile, const struct profile_line *line)
{
    return profile->files[line->file].path;
}

static inline const struct profile_line *finding_line(const struct profile *profile,
                                                      const struct profile_finding *finding)
{
    return &profile->lines[finding->line];
}

#endif
