/* link: analyzer */
/* Statements that clear the same gradients, by the text, and what stands against that. */
#include "source_run.h"

#include <stdio.h>

#include "python/cleared.h"
#include "python/scope.h"

#define LOOP "for x in batches:\n"
#define OPTIMIZER "model = Net()\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n"

/* The pair that the row with "SECOND" belongs to: the first's row, 0 without one. */
static int32_t first_of(const char *text, struct cleared *pair, struct source_run *run)
{
    source_run_begin(run, text);
    int32_t line = source_run_line(run, "SECOND");
    memcpy(strstr(run->text, "SECOND"), "      ", 6);
    return cleared_find(&run->source, line, pair) ? pair->first : 0;
}

static void check(const char *text, int32_t expected)
{
    struct source_run run;
    struct cleared pair = {0};
    int32_t found = first_of(text, &pair, &run);
    if (found != expected)
        fail_msg("%s: row %d, not %d", text, (int)found, (int)expected);
}

static void test_pairs(void **state)
{
    (void)state;
    check(LOOP "    opt.zero_grad(False)\n    y = f(x)\n    opt.zero_grad(False)SECOND\n", 2);
    check(LOOP "    self.opt.zero_grad()\n    if x:\n        g()\n    self.opt.zero_grad()SECOND\n", 2);
    check(OPTIMIZER "model.zero_grad()\nopt.zero_grad()SECOND\n", 3);
    check("model = Net(3); opt = SGD(model.parameters()); loss = []\nmodel.zero_grad()\nopt.zero_grad()SECOND\n", 2);
    check("model = Net(3); opt = SGD(model.parameters()); opt = None\nmodel.zero_grad()\nopt.zero_grad()SECOND\n", 0);
    check(OPTIMIZER "opt.zero_grad()\n\nmodel.zero_grad()SECOND\n", 3);
    check("class T:\n    def __init__(self):\n        self.o = Adam(self.n.parameters())\n    def f(self):\n"
          "        self.n.zero_grad()\n        self.o.zero_grad()SECOND\n",
          5);
    check("def f(x):\n    m = N()\n    o = AdamW(params=m.parameters(), lr=1)\n    m.zero_grad()\n    "
          "o.zero_grad()SECOND\n",
          4);
    check(OPTIMIZER "def f(x):\n    model.zero_grad()\n    opt.zero_grad()SECOND\n", 4);
    /* The model has two names. */
#define TRAINER(body, model)                                                                                           \
    "class T:\n    def __init__(self, " model "):\n" body "    def f(self):\n        self.m.zero_grad()\n"             \
    "        self.o.zero_grad()SECOND\n"
#define HOLDS "        self.m = model\n"
#define MADE "        self.o = SGD(model.parameters(), lr=1)\n"
    check(TRAINER(HOLDS MADE, "model"), 6);
    check(TRAINER(MADE HOLDS, "model"), 6);
    check(TRAINER(HOLDS "        model = wrap(model)\n" MADE, "model"), 0);
    check(TRAINER(MADE "        model = wrap(model)\n" HOLDS, "model"), 0);
    check(TRAINER("        self.m = wrap(model)\n" MADE, "model"), 0);
    check(TRAINER("        self.m = other\n" MADE, "model"), 0);
    check(TRAINER(HOLDS MADE "        model.head = Linear()\n", "model"), 0);
    check(TRAINER(HOLDS "    def g(self, model):\n" MADE, "model"), 0);
    /* Asked for the first, it is the same pair. */
    check(LOOP "    opt.zero_grad()SECOND\n    y = f(x)\n    opt.zero_grad()\n", 2);
}

#define EACH "for p in model.parameters():\n"

static void test_loops_over_parameters(void **state)
{
    (void)state;
    check(OPTIMIZER "opt.zero_grad(set_to_none=False)\n" EACH "    p.grad.zero_()SECOND\n", 3);
    check(OPTIMIZER "model.append(layer)\nopt.zero_grad(set_to_none=False)\n" EACH "    p.grad.zero_()SECOND\n", 0);
    check(OPTIMIZER "model.register_parameter(n, q)\nopt.zero_grad()\nmodel.zero_grad()SECOND\n", 0);
    check(OPTIMIZER "losses.append(model)\nopt.zero_grad()\nmodel.zero_grad()SECOND\n", 4);
    check(OPTIMIZER "opt.zero_grad(False)\n" EACH "    p.grad.data.zero_()SECOND\n", 3);
    check(OPTIMIZER "model.zero_grad(set_to_none=True)\ny = 1\n" EACH "\n    p.grad = NoneSECOND\n", 3);
    check(OPTIMIZER "opt.zero_grad(set_to_none=False)\nfor p in model.parameters(): p.grad.zero_()SECOND\n", 3);
    check(OPTIMIZER "opt.zero_grad(set_to_none=False)\n" EACH
                    "    if p.grad is not None:\n        p.grad.zero_()SECOND\n"
                    "y = 1\n",
          3);
    check(OPTIMIZER EACH "    if p.grad is not None: p.grad.zero_()\nopt.zero_grad(set_to_none=False)SECOND\n", 4);
    check(OPTIMIZER EACH "    p.grad.zero_()\n" EACH "    p.grad.zero_()SECOND\n", 4);
    check("class T:\n    def __init__(self):\n        self.o = Adam(self.n.parameters(), lr=1)\n    def f(self):\n"
          "        self.o.zero_grad(set_to_none=False)\n        for q in self.n.parameters():\n            "
          "q.grad.zero_()SECOND\n        return y\n",
          5);
}

static void test_loops_that_clear_something_else(void **state)
{
    (void)state;
#define LOOPS(head, body) OPTIMIZER "opt.zero_grad(set_to_none=False)\n" head body "\n"
    /* Zeros are not None; what the default is, the version says. */
    check(LOOPS(EACH, "    p.grad = NoneSECOND"), 0);
    check(OPTIMIZER "opt.zero_grad()\n" EACH "    p.grad.zero_()SECOND\n", 0);
    check(LOOPS(EACH, "    p.grad.mul_(0.5)SECOND"), 0);
    check(LOOPS(EACH, "    q.grad.zero_()SECOND"), 0);
    check(LOOPS(EACH, "    p.zero_()SECOND"), 0);
    check(LOOPS(EACH, "    p.grad.zero_().add_(q)SECOND"), 0);
    check(LOOPS(EACH, "    p.grad.zero_()SECOND\n    p.add_(q)"), 0);
    check(LOOPS(EACH, "    p.grad.zero_(); p.add_(q)SECOND"), 0);
    check(LOOPS(EACH, "    p.add_(q)\n    p.grad.zero_()SECOND"), 0);
    check(LOOPS(EACH, "    p.grad.zero_()SECOND\nelse:\n    f()"), 0);
    check(LOOPS(EACH, "    if p.ndim > 1:\n        p.grad.zero_()SECOND"), 0);
    check(LOOPS(EACH, "    if p.grad is None:\n        p.grad.zero_()SECOND"), 0);
    check(LOOPS(EACH, "    if p.grad is not None:\n        p.grad.zero_()SECOND\n    else:\n        f(p)"), 0);
    check(LOOPS(EACH, "    if q.grad is not None:\n        p.grad.zero_()SECOND"), 0);
    check(LOOPS("for p in model.head.parameters():\n", "    p.grad.zero_()SECOND"), 0);
    check(LOOPS("for p in list(model.parameters())[1:]:\n", "    p.grad.zero_()SECOND"), 0);
    check(LOOPS("for p in model.parameters(False):\n", "    p.grad.zero_()SECOND"), 0);
    check(LOOPS("for p, q in model.parameters():\n", "    p.grad.zero_()SECOND"), 0);
    check(LOOPS("for p in other.parameters():\n", "    p.grad.zero_()SECOND"), 0);
    check(LOOPS("while p in model.parameters():\n", "    p.grad.zero_()SECOND"), 0);
    check(LOOPS("if x:\n    " EACH, "        p.grad.zero_()SECOND"), 0);
#undef LOOPS
}

static void test_no_pairs(void **state)
{
    (void)state;
    check("opt.zero_grad()SECOND\n", 0);
    check(LOOP "    a.zero_grad()\n    b.zero_grad()SECOND\n", 0);
    check(LOOP "    if x:\n        opt.zero_grad()\n    opt.zero_grad()SECOND\n", 0);
    check(LOOP "    if x: opt.zero_grad()\n    opt.zero_grad()SECOND\n", 0);
    check("opt.zero_grad()\n" LOOP "    opt.zero_grad()SECOND\n", 0);
    check("if x:\n    opt.zero_grad()\nelse:\n    opt.zero_grad()SECOND\n", 0);
    check("def f():\n    opt.zero_grad()\ndef g():\n    opt.zero_grad()SECOND\n", 0);
    /* The name stands for another in between. */
    check("opt.zero_grad()\nopt = opts[1]\nopt.zero_grad()SECOND\n", 0);
    check("t.opt.zero_grad()\nt = u\nt.opt.zero_grad()SECOND\n", 0);
    check("self.opt.zero_grad()\nself.opt = f()\nself.opt.zero_grad()SECOND\n", 0);
    check("opt.zero_grad()\nfor opt in opts:\n    f(opt)\nopt.zero_grad()SECOND\n", 0);
    check("opt.zero_grad()\nloss = f(opt)\nopt.zero_grad()SECOND\n", 1);
    /* None is not zero. */
    check("opt.zero_grad()\nopt.zero_grad(set_to_none=False)SECOND\n", 0);
    /* Of fewer or more parameters, or of others. */
    check(OPTIMIZER "model.head = Linear()\nmodel.zero_grad()\nopt.zero_grad()SECOND\n", 0);
    check(OPTIMIZER "model = Net()\nmodel.zero_grad()\nopt.zero_grad()SECOND\n", 0);
    check(OPTIMIZER "model.add_module('a', b)\nmodel.zero_grad()\nopt.zero_grad()SECOND\n", 0);
    check(OPTIMIZER "def f(\n    model,\n    opt,\n):\n    model.zero_grad()\n    opt.zero_grad()SECOND\n", 0);
    check(OPTIMIZER "for opt in opts:\n    model.zero_grad()\n    opt.zero_grad()SECOND\n", 0);
    check(OPTIMIZER "def f(model, opt):\n    model.zero_grad()\n    opt.zero_grad()SECOND\n", 0);
    check("def make(model):\n    opt = SGD(model.parameters())\n    return opt\ndef f(model, opt):\n    "
          "model.zero_grad()\n    opt.zero_grad()SECOND\n",
          0);
    check("opt = SGD(model.head.parameters())\nmodel.zero_grad()\nopt.zero_grad()SECOND\n", 0);
    check("opt = SGD(list(model.parameters())[:2])\nmodel.zero_grad()\nopt.zero_grad()SECOND\n", 0);
    check(OPTIMIZER "opt.add_param_group(g)\nmodel.zero_grad()\nopt.zero_grad()SECOND\n", 0);
    check(OPTIMIZER "opt = make()\nmodel.zero_grad()\nopt.zero_grad()SECOND\n", 0);
    check(OPTIMIZER "opt, n = make()\nmodel.zero_grad()\nopt.zero_grad()SECOND\n", 0);
    check("model.zero_grad()\nopt.zero_grad()SECOND\n", 0);
    check(OPTIMIZER "other.zero_grad()\nopt.zero_grad()SECOND\n", 0);
}

static void test_gradients_stored_by_the_program(void **state)
{
    (void)state;
#define TWICE(between) "opt.zero_grad()\n" between "\nopt.zero_grad()SECOND\n"
    check(TWICE("p.grad += q"), 0);
    check(TWICE("p.grad = q"), 0);
    check(TWICE("p.grad[0] = q"), 0);
    check(TWICE("p.grad.data.add_(q)"), 0);
    check(TWICE("p.grad.copy_(q)"), 0);
    check(TWICE("p.grad = None"), 1);
    check(TWICE("p.grad.zero_()"), 1);
    check(TWICE("norms = p.grad.norm()"), 1);
    check(TWICE("same = p.grad == q"), 1);
    check(TWICE("g, = torch.autograd.grad(loss, w)"), 1);
#undef TWICE
}

static bool closed(const char *text)
{
    struct source_run run;
    struct cleared pair = {0};
    assert_true(first_of(text, &pair, &run) > 0);
    return cleared_is_closed(&run.source, &pair);
}

static void test_rounds_that_leave_or_look(void **state)
{
    (void)state;
    const char *texts[] = {"    if bad: continue\n", "    if bad:\n        return\n", "    try:\n        f()\n",
                           "    assert f(x)\n"};
    char text[200];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(text, sizeof text, LOOP "    o.zero_grad()\n%s    o.zero_grad()SECOND\n", texts[i]);
        if (closed(text))
            fail_msg("%s: closed", text);
    }
    assert_true(
        closed(LOOP "    o.zero_grad()\n    loss(x).backward()\n    n = p.grad.norm()\n    o.zero_grad()SECOND\n"));
    assert_false(closed(LOOP "    o.zero_grad()\n    f(x)\n    o.zero_grad()SECOND\n    n = p.grad.norm()\n"));
    /* The clears' own rows look at gradients, no others may. */
#define TWICE(behind)                                                                                                  \
    OPTIMIZER "opt.zero_grad(set_to_none=False)\nloss(x).backward()\n" EACH                                            \
              "    if p.grad is not None:\n        p.grad.zero_()SECOND\n" behind
    assert_true(closed(TWICE("y = 1\n")));
    assert_false(closed(TWICE("y = q.grad\n")));
#undef TWICE
}

#define PASS "    o.zero_grad()\n    f(x).backward()\n    o.step()\n    o.zero_grad()SECOND\n"

static void test_what_is_called_from_the_second_round_to_the_first(void **state)
{
    (void)state;
    static const char *const quiet[] = {
        LOOP PASS,
        LOOP PASS "    print(x.mean().item())\n    t = time()\n",
        LOOP PASS "add_penalty(model)\n",
        "def train(x):\n" PASS LOOP "    train(x)\n",
        "def train(x):\n" PASS "    return x\nfor x in tqdm(batches):\n    seen.append(train(x))\n",
        "class T:\n  def step(self, x):\n" PASS "for step in range(9):\n    t.step(x)\n",
        "def train(x):\n" PASS LOOP "    train(x)\no.step()\n",
        "s = torch.optim.lr_scheduler.StepLR(o, 3)\n" LOOP PASS "    s.step()\n",
    };
    static const char *const others[] = {
        LOOP PASS "    add_penalty(model)\n",
        LOOP PASS "    o.step()\n",
        LOOP PASS "other.step()\n",
        LOOP "    add_penalty(model)\n" PASS,
        LOOP PASS "    if x:\n        other.step()\n",
        LOOP PASS "    torch._foreach_add_(a, b)\n",
        "for e in range(9):\n  for x in batches:\n" PASS "  add_penalty(model)\n",
        "def train(x):\n" PASS LOOP "    train(x)\n    add_penalty(model)\n    o.step()\n",
        "def train(x):\n" PASS LOOP "    train(add(x))\n",
        "def train(x):\n" PASS "def run(x):\n    train(x)\n" LOOP "    run(x)\n    add_penalty(model)\n",
        "def train(x):\n" PASS "run(train)\n",
        "def train(x):\n" PASS,
        "class T:\n  def step(self, x):\n" PASS "for step in range(9):\n    t.step(x)\n    o.step()\n",
        "s = Other(o)\n" LOOP PASS "    s.step()\n",
    };
    for (size_t i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++)
        if (!closed(quiet[i]))
            fail_msg("%s: not closed", quiet[i]);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (closed(others[i]))
            fail_msg("%s: closed", others[i]);
}
#undef PASS

static bool quiet(const char *text)
{
    struct source_run run;
    struct cleared pair = {0};
    assert_true(first_of(text, &pair, &run) > 0);
    return cleared_is_quiet(&run.source, &pair);
}

static void test_what_is_called_in_between(void **state)
{
    (void)state;
    assert_true(quiet("o.zero_grad()\no.zero_grad()SECOND\n"));
    assert_true(quiet(OPTIMIZER "opt.zero_grad()\ny = model(x.to(d)).square().mean()\nopt.zero_grad()SECOND\n"));
    assert_true(quiet(
        OPTIMIZER "loss = nn.MSELoss()\nopt.zero_grad()\ny = loss(model(x[i]), F.relu(z))\nopt.zero_grad()SECOND\n"));
#define NAMED(model)                                                                                                   \
    "class T:\n    def __init__(self, m):\n        self.m = " model "\n        self.o = SGD(m.parameters())\n"         \
    "    def f(self, x):\n        self.o.zero_grad()\n        y = self.m(x)\n        self.o.zero_grad()SECOND\n"
    assert_true(quiet(NAMED("m")));
    assert_false(quiet(NAMED("other")));
    assert_false(quiet(OPTIMIZER "opt.zero_grad()\nregularise(model)\nopt.zero_grad()SECOND\n"));
    assert_false(quiet(OPTIMIZER "opt.zero_grad()\nopt.step()\nopt.zero_grad()SECOND\n"));
    assert_true(quiet(OPTIMIZER "opt.zero_grad(set_to_none=False)\n" EACH "    p.grad.zero_()SECOND\n"));
    assert_false(quiet(OPTIMIZER "opt.zero_grad(set_to_none=False)\nf(x)\n" EACH "    p.grad.zero_()SECOND\n"));
    assert_false(quiet("def train(x):\n    pass\nopt.zero_grad()\nself.train(x)\nopt.zero_grad()SECOND\n"));
    assert_false(quiet(OPTIMIZER "opt.zero_grad()\ntorch._foreach_add_(grads, x)\nopt.zero_grad()SECOND\n"));
    assert_false(quiet("opt.zero_grad()\nswitch()\nopt.zero_grad()SECOND\n"));
    assert_false(quiet("opt.zero_grad()\ny = model(x)\nopt.zero_grad()SECOND\n"));
}

static void test_rows(void **state)
{
    (void)state;
    struct source_run run;
    source_run_begin(
        &run, "class A:\n    def backward(self):\n        def inner():\n            pass\n\n        x.backward()\n"
              "for y in z:\n    y.backward(g)\n");
    assert_int_equal(cleared_backward(&run.source, 1), 6);
    assert_int_equal(cleared_backward(&run.source, 7), 8);
    assert_int_equal(cleared_backward(&run.source, 9), 0);
    assert_int_equal(scope_function(&run.source, 6), 2);
    assert_int_equal(scope_function(&run.source, 4), 3);
    assert_int_equal(scope_function(&run.source, 8), 0);
}

static void test_broken_texts(void **state)
{
    (void)state;
    const char *texts[] = {"SECOND",
                           ".zero_grad()SECOND",
                           "o.zero_grad(SECOND",
                           "o.zero_grad()\n o.zero_grad()SECOND",
                           "zero_grad()\nzero_grad()SECOND",
                           "o = .parameters()\nm.zero_grad()\no.zero_grad()SECOND",
                           "o = S(.parameters())\nm.zero_grad()\no.zero_grad()SECOND",
                           "o = S()\nm.zero_grad()\no.zero_grad()SECOND",
                           "o.grad\no.grad =\no.grad.\no.zero_grad()SECOND"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check(texts[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_loops_over_parameters),
        cmocka_unit_test(test_loops_that_clear_something_else),
        cmocka_unit_test(test_no_pairs),
        cmocka_unit_test(test_gradients_stored_by_the_program),
        cmocka_unit_test(test_rounds_that_leave_or_look),
        cmocka_unit_test(test_what_is_called_from_the_second_round_to_the_first),
        cmocka_unit_test(test_what_is_called_in_between),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_broken_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
