/* link: analyzer */
/* Which call of an expression uses up what it takes, by its name and what stands in its brackets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "python/uses_up.h"

static void assert_uses_up(const char *code, const char *expected)
{
    struct word name = uses_up_call((struct word){code, strlen(code)});
    assert_int_equal(name.length_bytes, strlen(expected));
    assert_memory_equal(name.text, expected, name.length_bytes);
}

static void test_of_queues_and_stacks(void **state)
{
    (void)state;
    assert_uses_up("base * len(json.loads(messages.get()))", "messages.get");
    assert_uses_up("base * self.queue.get(timeout=1)", "self.queue.get");
    assert_uses_up("base * queues[i].get()", "get");
    assert_uses_up("base * sizes.get(key)", "");
    assert_uses_up("base * sizes.get(timeouts)", "");
    assert_uses_up("f(stack.pop(0)) + heapq.heappop(heap)", "stack.pop");
    assert_uses_up("f(heappop(heap))", "heappop");
    assert_uses_up("pop(x) + self.pops(x) + stack.pop", "");
}

static void test_of_iterators(void **state)
{
    (void)state;
    assert_uses_up("base * len(next(stream))", "next");
    assert_uses_up("base * len(next(iter(batches)))", "");
    assert_uses_up("self.next(x) + next_one(x)", "");
}

static void test_of_what_is_made_anew(void **state)
{
    (void)state;
    assert_uses_up("pool.apply_async(f, (x,)).get()", "");
    assert_uses_up("open(path).pop()", "");
}

static void test_of_what_learns(void **state)
{
    (void)state;
    assert_uses_up("model.partial_fit(x, y).predict(x)", "model.partial_fit");
    assert_uses_up("env.step(action)[0]", "env.step");
    assert_uses_up("model.fit(x, y).predict(x)", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_queues_and_stacks),
        cmocka_unit_test(test_of_iterators),
        cmocka_unit_test(test_of_what_is_made_anew),
        cmocka_unit_test(test_of_what_learns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
