/* The records of objects: what makes them, and what was seen of their contents, lives and pages. */
#ifndef PIEPROF_DB_OBJECTS_H
#define PIEPROF_DB_OBJECTS_H

#include <stdint.h>

#define DB_FAR_MIN_BYTES 16384u
#define DB_FAR_BITS_MAX 8u
#define DB_FAR_SKIPPED_BIRTHS 16u /* of a site, from its first on */
#define DB_NEW_MEASURED 8u
#define DB_GLANCED 4u        /* births of a site that are glanced at, one after the other... */
#define DB_GLANCES_FIRST 64u /* ... in so many of those that are passed over (a power of two) up to this birth: */
#define DB_GLANCES_TO_BIRTH 16384u
#define DB_GLANCES 256u /* ... and beyond it */

static inline uint32_t db_glances(uint64_t birth)
{
    return birth <= DB_GLANCES_TO_BIRTH ? DB_GLANCES_FIRST : DB_GLANCES;
}

/* Births within which one of each `period` is seen, if it is there: a glance may see others of the period. */
static inline uint64_t db_out_of_sight(uint64_t birth, uint32_t period)
{
    uint64_t glances = 1 + (period > 0 ? (period - 1) / DB_GLANCED : 0);
    return glances * db_glances(birth) + DB_GLANCED;
}

/*
 * A place that makes objects: all Python frames of the allocation, its size and its ordinal within its line's execution.
 * The counters, from `births` on, are atomic.
 */
struct db_site {
    uint32_t published;
    uint32_t node; /* its context, from the allocator's caller outwards; 0 before a small one's second birth; atomic */
    uint64_t size_bytes; /* as requested */
    uint16_t ordinal; /* of equal allocations since the innermost Python frame last stood at this instruction, from 0 */
    uint16_t recurring_digits; /* of recurring, the first 65,535: full of numbers with digits, as new_digits */
    uint32_t period;           /* the distance, in births of this site, of most of its replicas; 0 = none yet */
    uint64_t births;
    uint64_t workspaces; /* born and dead within one native call */
    uint64_t unfilled;   /* of examined: they held what lay there at birth, and no object of the site ever held more */
    uint64_t examined;   /* digested at their end (no workspaces) */
    uint64_t constant;   /* of examined: one value throughout */
    uint64_t zero;       /* of constant: zero */
    uint64_t replicas;   /* of examined, not constant: equal to an earlier object of this site */
    uint64_t period_replicas; /* of replicas: at the distance `period` */
    uint64_t copies; /* of examined: equal to an object of another site that was alive at its birth (a copy of it) */
    uint32_t live_at_end; /* not dead when the process ended; digested then when possible (they count in examined) */
    uint32_t
        recurring; /* contents that came again: one that was forgotten, or out of sight for longer than glances are apart, counts anew */
    uint64_t looked_at; /* of births; the others were thinned by count, or gone. Data structures count, unexamined */
    /* What follows is counted for objects of DB_LIVE_SMALL_BYTES and more, all of them. */
    uint64_t ended;         /* of births: no longer alive */
    uint64_t lifetime_ns;   /* of those, summed; each a difference of readings of a clock that moves every few ms */
    uint32_t most_alive;    /* at once; each further birth took the place of one that had ended */
    int32_t changed_offset; /* of changed_beyond: in the bytecode, where the last of these frames stood before it */
    uint32_t peak_objects;  /* alive when db_live's snapshot was taken */
    uint32_t new_bursts;    /* see below */
    /* The far history, of objects of DB_FAR_MIN_BYTES and more: contents that their own hash selects, one in 2^far_bits. */
    uint64_t far_births;          /* of births: those it covers, from the first that it counted to the last */
    uint64_t far_contents;        /* different ones */
    uint64_t far_examined;        /* objects that held them: all but the first of each content are replicas */
    uint64_t far_squares;         /* sum over contents: the square of their number of objects */
    uint64_t far_spans;           /* sum over contents: births between its first object and its last */
    uint64_t far_period_replicas; /* of its replicas: those that came `far_period` after the one before */
    uint32_t far_period;          /* the commonest of these distances, in births; 0 = none */
    uint8_t far_bits;
    uint8_t changed_beyond; /* Python frames, leaf first, that had moved on when an object was changed; 0: none was */
    uint8_t new_digits;     /* of the first DB_NEW_MEASURED new contents (see below): full of numbers with digits */
    uint8_t unlike;         /* bits, DB_UNLIKE_...: what speaks against taking its objects for equal */
    /* Of objects of DB_PAGES_MIN_BYTES and more: memory that the kernel had to give, page by page, as it was touched. */
    uint32_t pages_asked;     /* of births: whose pages were looked at */
    uint32_t last_known;      /* the last birth that was seen to hold what is remembered of others; 0: none was */
    uint64_t fresh_bytes;     /* of those, summed: whole pages that were not there at birth... */
    uint64_t untouched_bytes; /* ... and still not at the end */
    /*
     * When contents were new: of examined, neither constant nor replicas. A burst: those with no replica between them, or less
     * than `period` births. Distances are those of the bursts' first; one that an undecided birth may have begun has none.
     */
    uint32_t new_step;    /* greatest common divisor of the distances known, from the third burst on; 0: none yet */
    uint32_t undecided;   /* of births, not in looked_at: their samples do not tell whether they were new */
    uint32_t new_first;   /* birth of the first... */
    uint32_t new_last;    /* ... and of the last; UINT32_MAX: it is not known when */
    uint32_t alike;       /* of constant: of the same value as the first */
    uint16_t new_growing; /* bursts as much further from the one before than that from its own as it has contents... */
    uint16_t
        new_other; /* ... and others, but for the first two; both while all births are looked at, the first 65,535 */
    uint64_t huge_bytes; /* of fresh_bytes: where a whole huge page could come, aligned and all of it absent */
};

#define DB_GROWING_MIN 8u  /* rounds; of fewer the distances may grow by chance */
#define DB_GROWING_PART 4u /* ... times as many as others: a loop that begins anew for a next setting has some */

/* Do the rounds of its new contents grow, each by what is new in it? As far as these were counted. */
static inline int db_rounds_grow(uint32_t growing, uint32_t other)
{
    return growing >= DB_GROWING_MIN && growing >= DB_GROWING_PART * other;
}

/* Objects of the second site that equal a recent, earlier born one of the first, made by the same native function. */
struct db_link {
    uint32_t published;
    uint32_t first_site;
    uint32_t second_site;
    uint32_t reserved;
    uint64_t objects; /* atomic */
};

#define DB_UNLIKE_BEGINNING 1u /* one that was asked about changes ended as another did, and had begun otherwise */
#define DB_UNLIKE_BEFORE 2u    /* a birth that was passed over held what none of those looked at before had... */
#define DB_UNLIKE_NEXT 4u      /* ... and the next one something else again */
#define DB_UNLIKE_SIZES 8u     /* between its births its instruction made other sizes without it, as far as is known */
/*
 * From this bit on: frames, as in changed_beyond, that had moved on when NumPy stored over an object, as over an operand; the fewest, at
 * most DB_OVERWRITTEN_MAX; 0: over none that was looked at. What was held afterwards may differ.
 */
#define DB_OVERWRITTEN_SHIFT 4u
#define DB_OVERWRITTEN_MAX 15u
#define DB_OFFSET_UNKNOWN INT32_MIN /* db_site.changed_offset: not known... */
#define DB_OFFSET_CALLED INT32_MAX  /* ... or within Python code that was called there */
#define DB_LIVE_SMALL_BYTES 16384u
#define DB_PAGES_MIN_BYTES 131072u /* glibc's allocations are mappings of their own from here on, at first */
/* Objects from here on are told as if of huge pages as far as these fit in, where there are any. */
#define DB_HUGE_MIN_BYTES ((uint64_t)4 << 20)
#define DB_HUGE_PAGE_BYTES ((uint64_t)2 << 20)
#define DB_LIVE_BINS 128u

/*
 * The bytes of the process's objects that are alive, as requested: one record a process, none when nothing was. All atomic.
 * Times count from the process's start. The sums with a sign may be off for a moment, or negative, while threads come and go.
 */
struct db_live {
    uint32_t published;
    uint32_t bins;          /* of max_bytes, in use; those of the time after the last change are not */
    uint64_t bin_ns;        /* how long each is; doubles when they have filled */
    int64_t bytes;          /* now */
    int64_t small_bytes;    /* of these: of objects below DB_LIVE_SMALL_BYTES */
    int64_t siteless_bytes; /* of these: of others without a site */
    uint64_t peak_bytes;
    uint64_t peak_at_ns;     /* when it was first reached */
    uint64_t snapshot_bytes; /* what stood when db_site.peak_objects was noted: the peak, or not long before it */
    uint64_t snapshot_at_ns;
    uint64_t snapshot_small_bytes;
    uint64_t snapshot_siteless_bytes;
    uint64_t page_ns;      /* CPU time to get a page, touch it and give it back, as tried out here; 0 = not needed */
    uint64_t huge_page_ns; /* the same of a page of 2 MiB; 0 = not needed, or the kernel gave none */
    uint64_t max_bytes[DB_LIVE_BINS]; /* the most within each bin */
};

#define DB_CONTENT_BYTES 4096u /* read of an object, all of a smaller one; a stored sample has as many at most */
#define DB_CONTENT_LINE_BYTES 64u
#define DB_CONTENT_SAMPLES 4u

/* Of elements read as floating point of one width. */
struct db_range {
    uint64_t nan, infinite, negative_zeros;
    uint64_t lowest, highest; /* bits of |x|, of finite values that are not 0; lowest > highest: there were none */
    uint64_t repeated; /* elements equal to that value, not 0, which most of their object's that are not 0 were */
};

/*
 * What a site's examined objects held (PIEPROF_CONTENT): facts by which the reader decides what their elements are, for the
 * allocator is not told. Of each object all is read up to DB_CONTENT_BYTES, else a line in each of 64 equal parts of it, at a
 * place that depends on its number among the births alone. A word has 8 bytes, its halves 4: [0] is the one at the lower address.
 */
struct db_content {
    uint32_t published;
    uint32_t site;
    uint64_t objects;
    uint64_t words;
    uint64_t zero_words;
    uint64_t zero_halves[2];
    uint64_t floats[2]; /* not 0 (as integers): a usual float32: -0, from 2^-64 to 2^64, infinite, the quiet NaN */
    uint64_t shorts[2]; /* not 0: as int32 one that 16 bits would hold */
    uint64_t fractions; /* halves whose lower 16 bits are not 0... */
    uint64_t fraction_bits[3]; /* ... of these: with bit 15, 14, 7 set */
    uint64_t doubles;          /* words, not 0: a usual float64: the same with 2^-128 to 2^128 */
    uint64_t whole;            /* words, not 0: as int64 one that 32 bits would hold */
    uint64_t flags[2];         /* words, not 0, of bytes that are 0 or 1; of these: not only the first of a half is 1 */
    struct db_range float32, float64;
    uint32_t samples[DB_CONTENT_SAMPLES]; /* blobs: bytes of the 1st, 4th, 16th, 64th object; 0: none */
};

#define DB_HEAT_PARTS 16u
#define DB_HEAT_KEPT 12u      /* accesses of one object that are kept, at random, until it ends */
#define DB_HEAT_MIN_TICKS 32u /* the shortest life whose parts are told, in units of 2^20 ns */

/*
 * When in their lives a site's objects were accessed, as far as accesses were sampled. Told at the end of objects of
 * DB_LIVE_SMALL_BYTES and more that had lived for DB_HEAT_MIN_TICKS: in which of DB_HEAT_PARTS equal parts of its life each
 * access lay. All atomic.
 */
struct db_heat {
    uint32_t published;
    uint32_t site;
    uint64_t accesses;             /* sampled ones to its objects, of any size and life */
    uint64_t forgotten;            /* of these: not kept, for the tables were full or in use */
    uint64_t objects;              /* that ended, or were there at the end, with accesses kept */
    uint64_t lives_ns;             /* of these objects, summed */
    uint64_t parts[DB_HEAT_PARTS]; /* accesses kept, of these objects */
    uint32_t nodes[DB_HEAT_PARTS]; /* the context of the last of them, of its sample; 0: none is known */
};

/* Sampled accesses to objects of one site on pages that objects of another site shared at that moment. Atomic. */
struct db_neighbour {
    uint32_t published;
    uint32_t site;
    uint32_t neighbour; /* the other site */
    uint32_t reserved;
    uint64_t accesses;
    uint64_t bytes;           /* of the accessed object on that page, summed */
    uint64_t neighbour_bytes; /* of the other site's objects there, summed */
};

#endif
