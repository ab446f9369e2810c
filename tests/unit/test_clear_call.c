/* link: analyzer */
/* Clears ahead of the call of a function that clears the same, by the text, and what stands against that. */
#include "source_run.h"

#include <stdio.h>

#include "python/clear_call.h"

#define MADE "net = Net()\nopt = SGD(net.parameters())\n"
#define STEP "def step(x):\n    opt.zero_grad()\n    net(x).backward()\n    opt.step()\n"
#define LOOP "for x in data:\n"
#define AHEAD LOOP "    opt.zero_grad()FIRST\n"

/* The row of the clear in the function that the one marked FIRST stands ahead of; 0: there is none. */
static int32_t second_of(const char *text, struct clear_call *found)
{
    struct source_run run;
    source_run_begin(&run, text);
    int32_t first = source_run_line(&run, "FIRST");
    memcpy(strstr(run.text, "FIRST"), "     ", 5);
    return clear_call_find(&run.source, first, found) ? found->second : 0;
}

static void check(const char *text, int32_t expected)
{
    struct clear_call found = {0};
    int32_t second = second_of(text, &found);
    if (second != expected)
        fail_msg("%s: row %d, not %d", text, (int)second, (int)expected);
}

static void test_rows(void **state)
{
    (void)state;
    struct clear_call found = {0};
    assert_int_equal(second_of(MADE STEP AHEAD "\n    seen.append(step(\n        x))\n", &found), 4);
    assert_int_equal(second_of(MADE STEP AHEAD "\n    loss = step(\n        x)\n", &found), 4);
    assert_int_equal(found.first, 8);
    assert_int_equal(found.call, 10);
    assert_int_equal(found.call_last, 11);
    assert_int_equal(found.function, 3);
}

static void test_calls(void **state)
{
    (void)state;
    check(MADE STEP AHEAD "    step(x)\n", 4);
    check(MADE STEP AHEAD "    seen.append(step(x))\n", 4);
    check(MADE STEP AHEAD "    total += step(x.to(d)).item()\n", 4);
    check(MADE STEP AHEAD "    x = x.to(d)\n    y = net(x).mean()\n    print(y)\n    step(x)\n", 4);
    check(MADE STEP "def train():\n    for x in data:\n        opt.zero_grad()FIRST\n        return step(x)\n", 4);
    /* Above the call, or below it. */
    check(MADE AHEAD "    step(x)\n" STEP, 7);
    /* The function is called elsewhere, too: its own clear stays. */
    check(MADE STEP "step(y)\n" AHEAD "    step(x)\n", 4);
    /* The function's first statements leave gradients as they are. */
    check(MADE "def step(x):\n    x = x.float()\n\n    y = net(x)\n    opt.zero_grad()\n    y.backward()\n" AHEAD
               "    step(x)\n",
          7);
    check(MADE "def step(\n    x,\n):\n    opt.zero_grad()\n    net(x).backward()\n" AHEAD "    step(x)\n", 6);
    /* The model's, and the optimizer's that is made of it. */
    check(MADE "def step(x):\n    net.zero_grad()\n    net(x).backward()\n" AHEAD "    step(x)\n", 4);
    check(MADE "def step(x):\n    for p in net.parameters():\n        p.grad.zero_()\n    net(x).backward()\n" LOOP
               "    opt.zero_grad(set_to_none=False)FIRST\n    step(x)\n",
          5);
}

static void test_arguments(void **state)
{
    (void)state;
#define WITH(parameters) "def step(" parameters "):\n    o.zero_grad()\n    net(x).backward()\n"
    check(WITH("o, x") AHEAD "    step(opt, x)\n", 2);
    check(WITH("x, o: Optimizer = None") AHEAD "    step(x, o=opt)\n", 2);
    check(WITH("x, o") LOOP "    self.opt.zero_grad()FIRST\n    step(x, self.opt)\n", 2);
    check(WITH("o, x") AHEAD "    step(x, opt)\n", 0);
    check(WITH("x, o=opt") AHEAD "    step(x)\n", 0);
    check(WITH("o, x") AHEAD "    step(*opt, x)\n", 0);
    check(WITH("*o") AHEAD "    step(opt, x)\n", 0);
    check(WITH("o, x") AHEAD "    step(opt if x else o, x)\n", 0);
    check("def step(o, x):\n    o = o or x\n    o.zero_grad()\n" AHEAD "    step(opt, x)\n", 0);
    check("def step(t, x):\n    t.opt.zero_grad()\n" AHEAD "    step(opt, x)\n", 0);
    check("def step(opt, x):\n    opt.zero_grad()\n" AHEAD "    step(other, x)\n", 0);
#undef WITH
}

static void test_methods(void **state)
{
    (void)state;
#define CLASS "class T:\n    def step(self, x):\n        self.opt.zero_grad()\n        self.net(x).backward()\n"
#define FIT                                                                                                            \
    "    def fit(self):\n        for x in self.data:\n            self.opt.zero_grad()FIRST\n            "             \
    "self.step(x)\n"
    check(CLASS FIT, 3);
    check(CLASS "class U:\n" FIT, 0);
    check(CLASS FIT "class U(T):\n    def step(self, x):\n        pass\n", 0);
    check(CLASS FIT "t.step = other\n", 0);
    check(CLASS "    @staticmethod\n    def fit(t):\n        for x in t.data:\n            t.opt.zero_grad()FIRST\n    "
                "        t.step(x)\n",
          0);
    check("class T:\n    @cached\n    def step(self, x):\n        self.opt.zero_grad()\n" FIT, 0);
    check("class T:\n    def step(self, x):\n        opt.zero_grad()\n" FIT, 0);
    check("class T:\n    def step(self, x):\n        self.other.zero_grad()\n" FIT, 0);
#undef CLASS
#undef FIT
}

static void test_what_the_call_may_not_be(void **state)
{
    (void)state;
    check(MADE STEP AHEAD, 0);
    check(MADE STEP AHEAD "    if x: step(x)\n", 0);
    check(MADE STEP AHEAD "    if x:\n        step(x)\n", 0);
    check(MADE STEP AHEAD "    with lock:\n        step(x)\n", 0);
    check(MADE STEP AHEAD "    y = x and step(x)\n", 0);
    check(MADE STEP AHEAD "    y = step(x) if x else 0\n", 0);
    check(MADE STEP AHEAD "    y = [step(z) for z in x]\n", 0);
    check(MADE STEP AHEAD "    y = lambda: step(x)\n", 0);
    check(MADE STEP AHEAD "    assert step(x)\n", 0);
    check(MADE STEP AHEAD "step(x)\n", 0);
    check(MADE STEP AHEAD "    other.step(x)\n", 0);
    check(MADE STEP AHEAD "    f(x).step(x)\n", 0);
    check(MADE STEP AHEAD "    step(other(x))\n", 0);
    check(MADE STEP AHEAD "    step(net(x).backward())\n", 0);
    check(MADE STEP AHEAD "    step(x); y = 1\n", 0);
    /* The clear, which is the last of its suite, and the round's next statement. */
    check(MADE STEP "for x in data:\n    if x:\n        opt.zero_grad()FIRST\n    step(x)\n", 0);
    check(MADE STEP "def step2(x):\n    opt.zero_grad()FIRST\nstep(x)\n", 0);
}

static void test_what_may_not_stand_between(void **state)
{
    (void)state;
    const char *rows[] = {"net(x).backward()",
                          "opt.step()",
                          "penalty(x)",
                          "n = p.grad.norm()",
                          "if x: continue",
                          "if x:\n        break",
                          "return",
                          "torch.nn.utils.clip_grad_norm_(p, 1)",
                          "opt = other",
                          "net.head = Linear()",
                          "for y in x: y()",
                          "y = next(it)",
                          "torch.autograd.backward(y)",
                          "opt.param_groups[0] = g"};
    char text[400];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(text, sizeof text, MADE STEP AHEAD "    %s\n    step(x)\n", rows[i]);
        check(text, 0);
        snprintf(text, sizeof text,
                 MADE "def step(x):\n    %s\n    opt.zero_grad()\n    net(x).backward()\n" AHEAD "    step(x)\n",
                 rows[i]);
        check(text, 0);
    }
    /* A name that the file defines is the program's own, whatever libraries have by it. */
    check(MADE STEP "def train(x):\n    net(x).backward()\n" AHEAD "    t.train(x)\n    step(x)\n", 0);
    check(MADE STEP "def print(x):\n    net(x).backward()\n" AHEAD "    print(x)\n    step(x)\n", 0);
}

static void test_what_the_function_may_not_be(void **state)
{
    (void)state;
    check(MADE "def step(x):\n    if x:\n        opt.zero_grad()\n    net(x).backward()\n" AHEAD "    step(x)\n", 0);
    check(MADE "def step(x):\n    net(x).backward()\n    opt.zero_grad()\n" AHEAD "    step(x)\n", 0);
    check(MADE "def step(x):\n    opt.zero_grad(set_to_none=False)\n" AHEAD "    step(x)\n", 0);
    check(MADE "def step(x):\n    other.zero_grad()\n" AHEAD "    step(x)\n", 0);
    check(MADE "def step(x):\n    opt.zero_grad()\n    yield net(x)\n" AHEAD "    step(x)\n", 0);
    check(MADE "async def step(x):\n    opt.zero_grad()\n    await net(x)\n" AHEAD "    step(x)\n", 0);
    check(MADE "@torch.compile\n" STEP AHEAD "    step(x)\n", 0);
    check(MADE "@wraps(\n    other\n)\n" STEP AHEAD "    step(x)\n", 0);
    check(MADE STEP "step = fast\n" AHEAD "    step(x)\n", 0);
    check(MADE STEP "from fast import step\n" AHEAD "    step(x)\n", 0);
    check(MADE STEP "def f(step):\n    pass\n" AHEAD "    step(x)\n", 0);
    check(MADE STEP STEP AHEAD "    step(x)\n", 0);
    check(MADE "if x:\n    def step(x):\n        opt.zero_grad()\n" AHEAD "    step(x)\n", 0);
    check(MADE "def step(x): opt.zero_grad()\n" AHEAD "    step(x)\n", 0);
    check(MADE AHEAD "    step(x)\n", 0);
    /* Itself. */
    check(MADE "def step(x):\n    opt.zero_grad()FIRST\n    step(x)\n", 0);
}

static void test_names_that_are_not_the_modules(void **state)
{
    (void)state;
    check(MADE STEP "def train(opt):\n    opt.zero_grad()FIRST\n    step(x)\n", 0);
    check(MADE STEP "def train():\n    opt = make()\n    opt.zero_grad()FIRST\n    step(x)\n", 0);
    check(MADE STEP "def train():\n    def inner():\n        opt.zero_grad()FIRST\n        step(x)\n    opt = make()\n",
          0);
    check(MADE STEP "def train():\n    for opt in opts:\n        opt.zero_grad()FIRST\n        step(x)\n", 0);
    check(MADE STEP "def train():\n    opt.zero_grad()FIRST\n    step(x)\n\ndef other(opt):\n    opt = 1\n", 4);
}

static void test_gradients_of_the_programs_own(void **state)
{
    (void)state;
    check(MADE STEP AHEAD "    step(x)\np.grad += q\n", 0);
    check(MADE STEP AHEAD "    step(x)\nclass Own:\n    def zero_grad(self):\n        f()\n", 0);
}

static void test_broken_texts(void **state)
{
    (void)state;
    const char *texts[] = {"opt.zero_grad()FIRST",
                           "opt.zero_grad()FIRST\nstep(",
                           "opt.zero_grad()FIRST\nstep()\ndef step(",
                           "opt.zero_grad()FIRST\nstep()\ndef step():",
                           "opt.zero_grad()FIRST\nstep()\ndef step",
                           "opt.zero_grad()FIRST\nself.step()\nself.def step():\n opt.zero_grad()",
                           "FIRST"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check(texts[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_what_the_call_may_not_be),
        cmocka_unit_test(test_what_may_not_stand_between),
        cmocka_unit_test(test_what_the_function_may_not_be),
        cmocka_unit_test(test_names_that_are_not_the_modules),
        cmocka_unit_test(test_gradients_of_the_programs_own),
        cmocka_unit_test(test_broken_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
