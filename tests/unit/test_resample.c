/* link: analyzer */
/* What the weights of pairs, being estimates, add to how much a share varies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/resample.h"
#include "model/share.h"

#define RECORDS 400u
#define COUNT 9u /* pairs of a record */

static const struct db_pair record = {.count = COUNT, .scale = 16 * COUNT, .scale_squares = 256 * COUNT};

enum law { LAW_AS_TOLD, LAW_CANCELS, LAW_DOUBLES };

/* What one of the record's pairs counts for in each resample. */
static void weights_of(enum law law, uint64_t id, double weights[RESAMPLES])
{
    double factors[RESAMPLES];
    resample_factors(&record, id, factors);
    for (size_t i = 0; i < RESAMPLES; i++) {
        const double more = factors[i] - 1;
        weights[i] = law == LAW_AS_TOLD ? 1 : law == LAW_CANCELS ? 1 / factors[i] : (1 + 2 * more) / factors[i];
    }
}

/* Adds a process's records, a quarter of them wasted. */
static void charge(struct weights *weights, enum law law, uint64_t first_id)
{
    struct resampled *list = NULL;
    for (uint64_t id = first_id; id < first_id + RECORDS; id++) {
        double counts_for[RESAMPLES];
        weights_of(law, id, counts_for);
        const struct resampled_pairs pairs = resample_pairs(&record, id, counts_for);
        bool wasted = id % 4 == 0;
        resample_add(&list, weights, &pairs, wasted);
        weights->all += (double)record.scale;
        weights->squares += (double)record.scale_squares;
        weights->wasted += wasted ? (double)record.scale : 0;
        weights->wasted_squares += wasted ? (double)record.scale_squares : 0;
    }
    resample_settle(list);
}

static void test_factors_vary_as_the_pairs_do(void **state)
{
    (void)state;
    double sum = 0, squares = 0;
    for (uint64_t id = 1; id <= RECORDS; id++) {
        double factors[RESAMPLES], again[RESAMPLES];
        resample_factors(&record, id, factors);
        resample_factors(&record, id, again);
        assert_memory_equal(factors, again, sizeof factors);
        assert_true(factors[0] == 1);
        for (size_t i = 1; i < RESAMPLES; i++) {
            sum += factors[i] - 1;
            squares += (factors[i] - 1) * (factors[i] - 1);
        }
    }
    const double drawn = RECORDS * (RESAMPLES - 1.0);
    assert_true(fabs(sum / drawn) < 0.01);
    assert_true(fabs(squares / drawn - 0.25 / COUNT) < 1e-9);
}

/* Of two records that stand near one another no chance of the signs is left. */
static void test_signs_of_neighbours_are_orthogonal(void **state)
{
    (void)state;
    for (uint64_t id = 1; id <= 40; id++)
        for (uint64_t other = id + 1; other < id + RESAMPLES - 2; other++) {
            double factors[RESAMPLES], others[RESAMPLES], product = 0;
            resample_factors(&record, id, factors);
            resample_factors(&record, other, others);
            for (size_t i = 1; i < RESAMPLES; i++)
                product += (factors[i] - 1) * (others[i] - 1);
            assert_true(fabs(product) < 1e-12);
        }
}

/* The file is no more to be trusted than any: no factor is negative whatever it says. */
static void test_factors_of_any_record_are_positive(void **state)
{
    (void)state;
    static const struct db_pair odd[] = {{.count = 1, .scale = 1, .scale_squares = UINT64_MAX}, {.count = 0}};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        double factors[RESAMPLES];
        resample_factors(&odd[i], 1, factors);
        for (size_t j = 0; j < RESAMPLES; j++)
            assert_true(factors[j] >= 0.5 && factors[j] <= 1.5);
    }
}

static void test_weights_that_are_known_add_nothing(void **state)
{
    (void)state;
    struct weights weights = {0};
    charge(&weights, LAW_AS_TOLD, 1);
    assert_true(fabs(weights.variance) < 1e-6 * weights_variance(&weights, 0.25));
    assert_null(weights.resampled);
}

static void test_weights_that_make_up_for_chance_take_it_away(void **state)
{
    (void)state;
    struct share known = {.pairs = RECORDS * COUNT}, share = known;
    charge(&known.weights, LAW_AS_TOLD, 1);
    charge(&share.weights, LAW_CANCELS, 1);
    assert_true(fabs(share.weights.variance / weights_variance(&share.weights, 0.25) + 1) < 1e-6);
    const struct estimate wide = share_estimate(&known), narrow = share_estimate(&share);
    assert_true(fabs((wide.high - wide.low) / (narrow.high - narrow.low) - 2) < 0.01); /* no narrower than half */
}

/* Twice as far from the mean is four times the variance, the interval twice as wide; of each process for itself. */
static void test_weights_that_follow_chance_widen_the_interval(void **state)
{
    (void)state;
    struct share known = {.pairs = 2 * RECORDS * COUNT}, doubled = known;
    for (uint64_t process = 0; process < 2; process++) {
        charge(&known.weights, LAW_AS_TOLD, 1 + process * RECORDS);
        charge(&doubled.weights, LAW_DOUBLES, 1 + process * RECORDS);
    }
    assert_true(fabs(doubled.weights.variance / weights_variance(&doubled.weights, 0.25) - 3) < 1e-6);
    const struct estimate narrow = share_estimate(&known), wide = share_estimate(&doubled);
    assert_true(narrow.fraction == 0.25 && wide.fraction == 0.25);
    assert_true(fabs((wide.high - wide.low) / (narrow.high - narrow.low) - 2) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors_vary_as_the_pairs_do),
        cmocka_unit_test(test_signs_of_neighbours_are_orthogonal),
        cmocka_unit_test(test_factors_of_any_record_are_positive),
        cmocka_unit_test(test_weights_that_are_known_add_nothing),
        cmocka_unit_test(test_weights_that_make_up_for_chance_take_it_away),
        cmocka_unit_test(test_weights_that_follow_chance_widen_the_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
