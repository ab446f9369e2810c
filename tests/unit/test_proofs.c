/* link: shim */
/* Equal samples are no equal contents: what whole ones prove, of a site's objects and of two sites' together. */
#include "object_run.h"
#include "objects/judge.h"

/* One element between the sampled lines differs: what samples say is not believed. */
static void test_equal_samples_of_different_contents_are_found_out(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 50; i++) {
        fill(~UINT64_C(9));
        struct object object = born(site);
        fill(9);
        buffer[100] = i;
        examine_end(sites_at(site), &object, object.start);
    }
    assert_int_equal(record_of(site)->examined, 50);
    assert_int_equal(record_of(site)->looked_at, 50);
    assert_int_equal(record_of(site)->replicas, 0);
    assert_int_equal(record_of(site)->period_replicas, 0);
}

/* A content that differs all over by its seed, and between the sampled lines by its variant. */
static void examine_content_of(uint32_t site, uint64_t seed, uint64_t variant, bool is_primer)
{
    fill(~UINT64_C(9));
    struct object object = born(site);
    object.origin.is_primer = is_primer;
    fill(seed);
    buffer[100] = variant;
    examine_end(sites_at(site), &object, object.start);
}

static void examine_content(uint32_t site, uint64_t seed, uint64_t variant)
{
    examine_content_of(site, seed, variant, false);
}

/* Eight contents come round, two of them of equal samples: those from before that is found out are known by their proofs. */
static void test_what_samples_were_distrusted_for_comes_round_exactly(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 40; i++) {
        examine_content(site, i % 8 == 2 ? 31 : 30 + i % 8, i % 8);
    }
    assert_int_equal(record_of(site)->examined, 40);
    assert_int_equal(record_of(site)->replicas, 32);
    assert_int_equal(record_of(site)->period, 8);
}

/* Where samples differed contents did, too. Of one of which a sample alone is known it is open whether another is equal to it. */
static void test_what_samples_alone_know_is_open(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 6; i++) {
        examine_content(site, 60 + i, 1);
    }
    examine_content(site, 62, 2); /* a proof tells it from the third */
    examine_content(site, 65, 1); /* none tells whether it is the sixth */
    assert_int_equal(record_of(site)->examined, 7);
    assert_int_equal(record_of(site)->looked_at, 7);
    assert_int_equal(record_of(site)->replicas, 0);
    examine_content(site, 65, 1);
    examine_content(site, 62, 2);
    assert_int_equal(record_of(site)->examined, 9);
    assert_int_equal(record_of(site)->replicas, 2);
}

/* What changes where no sample lies, and stays, shows at the next proof; what was proved before still counts. */
static void test_a_change_between_proofs_is_found(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 1; i <= 100; i++) {
        examine_content(site, 60, i <= 82 ? 1 : 2);
    }
    assert_int_equal(record_of(site)->replicas, 80 + 14); /* to the proof of the 81st, and from that of the 86th on */
    assert_int_equal(record_of(site)->examined, 100 - 4);
    assert_int_equal(record_of(site)->undecided, 4);
}

/* Results that were kept, freed from the last, which alone is another, to the first. */
static void test_what_ends_first_is_proved(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    struct object objects[20];
    for (unsigned i = 0; i < 20; i++) {
        fill(~UINT64_C(9));
        objects[i] = born(site);
    }
    for (unsigned i = 20; i-- > 0;) {
        fill(60);
        buffer[100] = i == 19 ? 2 : 1;
        examine_end(sites_at(site), &objects[i], objects[i].start);
    }
    assert_int_equal(record_of(site)->replicas, 18);
    assert_int_equal(record_of(site)->examined + record_of(site)->undecided, 20);
}

/* Of few births each is proved, whatever changes between the samples. */
static void test_the_first_ones_are_all_proved(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 1; i <= 63; i++) {
        examine_content(site, 60, i <= 10 ? 1 : i);
    }
    assert_int_equal(record_of(site)->replicas, 9);
    assert_int_equal(record_of(site)->undecided, 0);
}

static unsigned proofs(uint32_t first, uint32_t last, size_t bytes)
{
    unsigned count = 0;
    for (uint32_t birth = first; birth <= last; birth++) {
        count += judge_proves(birth, bytes);
    }
    return count;
}

/* The later a birth and the larger, the fewer are read whole: never none. */
static void test_proofs_thin_out(void **state)
{
    (void)state;
    assert_int_equal(proofs(1, 63, 1 << 20), 63);
    assert_in_range(proofs(64, 126, 1 << 20), 14, 18);
    assert_in_range(proofs(1024, 3071, 1 << 20), 60, 68);
    assert_in_range(proofs(1, 63, 4 << 20), 14, 18);
    assert_in_range(proofs(1, 63, 16 << 20), 3, 5);
    assert_in_range(proofs(1, 3200, 512 << 20), 98, 102);
}

/* Those that are looked at only for the ones that follow pass on what was proved of those before them. */
static void test_a_change_among_primers_is_found(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 1; i <= 68; i++) {
        examine_content_of(site, 60, i <= 40 ? 1 : 2, i > 40 && i < 68);
    }
    assert_true(sites_at(site)->distrusted);
    assert_int_equal(record_of(site)->replicas, 39);
}

/* Where there are few objects, one that samples alone call equal would be a large part of them: they are not believed at all. */
static void test_samples_do_not_decide_of_few_objects(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 4; i++) {
        fill(~UINT64_C(9));
        struct object object = born(site);
        fill(i < 2 ? 20 + i : 9); /* two that differ all over, then two that differ between the lines */
        buffer[100] = i;
        examine_end(sites_at(site), &object, object.start);
        assert_int_equal(record_of(site)->replicas, 0);
    }
}

/* Batches whose number has every divisor with that of the proofs: each is proved, and what changed in one is found. */
static void test_what_comes_round_is_proved_each(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES), steady = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 12 * 32; i++) {
        examine_content(site, 100 + i % 32, i % 32 == 17 ? i / 32 : 0);
        examine_content(steady, 100 + i % 32, 0);
    }
    assert_true(sites_at(site)->distrusted);
    assert_true(record_of(site)->replicas <= 11 * 31);
    assert_true(record_of(site)->replicas + record_of(site)->undecided >= 11 * 31);
    assert_int_equal(record_of(steady)->replicas, 11 * 32);
}

/* The first four are alike in twos, then none are, but by their samples: one in some new ones is there to be held against. */
static void test_what_comes_twice_is_proved(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES), steady = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 400; i++) {
        examine_content(site, 60 + i / 2, i < 4 ? 0 : i % 2);
        examine_content(steady, 60 + i / 2, 0);
    }
    assert_true(sites_at(site)->distrusted);
    assert_in_range(record_of(site)->replicas, 2, 4);
    assert_int_equal(record_of(steady)->replicas, 200);
    assert_int_equal(record_of(steady)->undecided, 0);
}

/* One that equals the one before by its sample, and none that says more. */
static void test_what_was_never_proved_is_undecided(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    for (uint64_t i = 0; i < 20; i++) {
        examine_content(site, 60 + (i == 11 ? i - 1 : i), 0);
    }
    assert_int_equal(record_of(site)->replicas, 1);
    judge_finish(sites_at(site));
    assert_int_equal(record_of(site)->replicas, 0);
    assert_int_equal(record_of(site)->undecided, 1);
    assert_int_equal(record_of(site)->examined, 19);
}

/* All contents are whole from the first on: nothing is left open. */
static void test_full_digests_know_all(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    config.digest_full = true;
    for (uint64_t i = 0; i < 100; i++) {
        examine_content(site, 60, i / 10);
    }
    config.digest_full = false;
    assert_int_equal(record_of(site)->replicas, 90);
    assert_int_equal(record_of(site)->examined, 100);
    assert_int_equal(record_of(site)->undecided, 0);
    assert_int_equal(record_of(site)->new_step, 10);
}

/* Rounds of 100, of which most of each is as it was: from the second on it is known exactly, but for when the second began. */
static void test_rounds_of_what_changes_in_part_are_found(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, BYTES);
    const struct db_site *record = record_of(site);
    for (uint64_t i = 0; i < 400; i++) {
        examine_content(site, 60, 1 + (i + 10) / 100);
    }
    assert_true(sites_at(site)->distrusted);
    assert_in_range(record->undecided, 1, 4);
    assert_int_equal(record->examined - record->replicas, 5);
    assert_int_equal(record->examined + record->undecided, 400);
    assert_int_equal(record->period_replicas, record->replicas);
    assert_int_equal(record->new_bursts, 5);
    assert_int_equal(record->new_first, 1);
    assert_int_equal(record->new_last, 391);
    assert_int_equal(record->new_step, 100);
}

#define LARGE_BYTES ((size_t)17 << 20)

/* Beyond 16 MiB few are read whole: once samples are not believed, when a content was new is not known of any. */
static void test_of_what_is_too_large_it_is_not_known_when(void **state)
{
    (void)state;
    static uint64_t large[LARGE_BYTES / 8];
    uint32_t site = fresh_site(1, LARGE_BYTES);
    for (uint64_t i = 0; i < 100; i++) {
        large[0] = 1 + i / 20;
        large[100] = i / 5;
        struct object object = born_at(site, large);
        examine_end(sites_at(site), &object, object.start);
    }
    assert_true(sites_at(site)->distrusted);
    assert_int_equal(record_of(site)->new_last, UINT32_MAX);
}

static uint64_t linked(uint32_t first, uint32_t second)
{
    uint64_t objects = 0;
    const struct db_link *link;
    for (uint32_t id = 1; (link = ledger_record(DB_KIND_LINK, id)) != NULL; id++) {
        bool is_it = link->first_site == sites_at(first)->id && link->second_site == sites_at(second)->id;
        objects += is_it ? link->objects : 0;
    }
    return objects;
}

static void test_the_same_function_elsewhere_is_a_link(void **state)
{
    (void)state;
    uint32_t first = fresh_site(77, BYTES), second = fresh_site(77, BYTES), other = fresh_site(78, BYTES);
    for (uint64_t i = 0; i < 100; i++) {
        make(first, 5000 + i);
        make(second, 5000 + i);
        make(other, 5000 + i); /* another function, after the others died: chance, or not for us to say */
    }
    assert_int_equal(linked(first, second), 100);
    assert_int_equal(linked(second, first), 0);
    assert_int_equal(linked(first, other) + linked(second, other), 0);
    assert_int_equal(record_of(second)->copies + record_of(other)->copies, 0);
}

/* The same call twice, of which the second differs where no sample lies: always, in every third, from the 50th on, or at first. */
static void test_equals_elsewhere_are_proved(void **state)
{
    (void)state;
    static const struct {
        uint64_t from, until, every, least, most;
    } changes[] = {
        {0, 100, 1, 0, 0}, {0, 100, 3, 60, 66}, {50, 100, 1, 30, 50}, {0, 0, 1, 100, 100}, {0, 2, 1, 96, 98}};
    for (unsigned k = 0; k < sizeof changes / sizeof changes[0]; k++) {
        uint32_t first = fresh_site(90 + k, BYTES), second = fresh_site(90 + k, BYTES);
        for (uint64_t i = 0; i < 100; i++) {
            bool differs = i >= changes[k].from && i < changes[k].until && i % changes[k].every == 0;
            examine_content(first, 9000 + i, 1);
            examine_content(second, 9000 + i, differs ? 2 : 1);
        }
        assert_in_range(linked(first, second), changes[k].least, changes[k].most);
    }
}

static void test_a_copy_is_no_replica(void **state)
{
    (void)state;
    uint32_t source = fresh_site(80, BYTES), copy = fresh_site(81, BYTES);
    for (uint64_t i = 0; i < 20; i++) {
        fill(0);
        struct object original = born(source);
        struct object duplicate = born(copy);
        fill(7000 + i);
        /* Whichever dies first. */
        examine_end(sites_at(i % 2 ? source : copy), i % 2 ? &original : &duplicate, original.start);
        examine_end(sites_at(i % 2 ? copy : source), i % 2 ? &duplicate : &original, original.start);
    }
    assert_int_equal(record_of(copy)->copies, 20);
    assert_int_equal(record_of(copy)->replicas + record_of(source)->replicas + record_of(source)->copies, 0);
    assert_int_equal(linked(source, copy), 0);
}

/* Up to 64 KiB all of each is compared: a change that goes again before a proof would be asked is seen, and nothing is open. */
static void test_short_contents_need_no_proof(void **state)
{
    (void)state;
    uint32_t site = fresh_site(1, 65536);
    for (uint64_t i = 0; i < 60; i++) {
        examine_content(site, 5, i == 20 || i == 41 ? i : 1);
    }
    assert_int_equal(record_of(site)->replicas, 57);
    assert_int_equal(record_of(site)->examined, 60);
    assert_int_equal(record_of(site)->undecided, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_samples_of_different_contents_are_found_out),
        cmocka_unit_test(test_what_samples_were_distrusted_for_comes_round_exactly),
        cmocka_unit_test(test_what_samples_alone_know_is_open),
        cmocka_unit_test(test_a_change_between_proofs_is_found),
        cmocka_unit_test(test_what_ends_first_is_proved),
        cmocka_unit_test(test_the_first_ones_are_all_proved),
        cmocka_unit_test(test_proofs_thin_out),
        cmocka_unit_test(test_a_change_among_primers_is_found),
        cmocka_unit_test(test_samples_do_not_decide_of_few_objects),
        cmocka_unit_test(test_what_comes_round_is_proved_each),
        cmocka_unit_test(test_what_comes_twice_is_proved),
        cmocka_unit_test(test_what_was_never_proved_is_undecided),
        cmocka_unit_test(test_full_digests_know_all),
        cmocka_unit_test(test_short_contents_need_no_proof),
        cmocka_unit_test(test_rounds_of_what_changes_in_part_are_found),
        cmocka_unit_test(test_of_what_is_too_large_it_is_not_known_when),
        cmocka_unit_test(test_equals_elsewhere_are_proved),
        cmocka_unit_test(test_the_same_function_elsewhere_is_a_link),
        cmocka_unit_test(test_a_copy_is_no_replica),
    };
    return cmocka_run_group_tests(tests, object_run_begin, scratch_run_end);
}
