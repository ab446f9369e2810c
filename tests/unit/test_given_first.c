/* link: analyzer */
/* Loops whose rounds give a name anew before they ask for it, and those that take what an earlier one left. */
#include <stdio.h>

#include "loop_run.h"

#define IN_LOOP "for i in range(n):\n"

static void expect(const char *const *bodies, size_t count, bool carried)
{
    for (size_t i = 0; i < count; i++) {
        char text[1000];
        snprintf(text, sizeof text, IN_LOOP "%s", bodies[i]);
        if (loop_run_read(text).carried != carried)
            fail_msg("%s", text);
    }
}

static void test_given_in_some_rounds(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "    if x[i] > 1:\n        on = 1\n    elif x[i] < 0:\n        on = 0\n    y[i] = on\n",
        "    if x[i] > 1: on = 1\n    y[i] = on\n",
        "    if x[i] > 1:\n        s = x[i]\n    else:\n        y[i] = s * x[i]\n",
        "    if x[i] > 1:\n        s = x[i]\n    elif x[i] > s:\n        y[i] = x[i]\n",
        "    try:\n        s = 1 / x[i]\n    except ZeroDivisionError:\n        pass\n    y[i] = s\n",
        "    v = x[i]\n    if v > 1:\n        if v > 2:\n            ref = v\n    y[i] = v - ref\n",
        "    if x[i] > 1:\n        if x[i] > 2:\n            s = 1\n    else:\n        s = 2\n    y[i] = s\n",
        "    match k[i]:\n        case 1:\n            s = x[i]\n        case 2:\n            s = 0\n    y[i] = s\n",
        "    y[i] = (v := 0.9 * v + x[i])\n",
        "    y[i] = s\n    s = x[i]\n",
        "    s *= 0.9\n    s += x[i]\n",
        "    self.s *= 0.9\n    self.s += 0.1 * x[i]\n",
        "    s |= x[i]\n    s &= w[i]\n",
        "    if x[i] > 1:\n        s = 0\n    s += x[i]\n",
        "    e = x[i] @ w - z[i]\n    w.data -= 0.1 * e * x[i]\n",
        "    e = net(x[i]) - z[i]\n    net.weight.data -= e * x[i]\n",
        "    h.flat[i] = x[i] + h[i - 1]\n",
        "    y[i] = f(s)\n    s.last = x[i]\n",
        "    np.copyto(s, x[i], where=m[i])\n    y[i] = s\n",
        "    np.putmask(s, m[i], x[i])\n    y[i] = s\n",
        "    np.multiply(x[i], 2, out=s, where=m[i])\n    y[i] = s\n",
        "    if x[i, 0] > 0:\n        np.copyto(s, x[i])\n    y[i] = s\n",
        "    y[i] = x[i] - s\n    (s, q) = (x[i], 1)\n",
        "    y[i] = x[i] - s\n    a, [s, q] = x[i], (x[i], 1)\n",
        "    for k in near[i]:\n        s = w[k]\n    y[i] = s\n",
        "    y[i] = ((s := x[i] * 2) if x[i] > 0 else 0) + s\n",
        "    s = x[i] + s\n    s = s * 2\n    y[i] = s\n",
        "    if x[i] > 1 and (v := x[i]) > 2:\n        pass\n    elif w[i]:\n        v = 1\n    y[i], v = v, 2\n",
        "    if x[i] > 1:\n        self.on = 1\n    y[i] = self.on\n",
        "    if x[i] > 1:\n        on = 1\n    y[i] = on.real\n",
        "    if x[i] > 1:\n        p.on = 1\n    y[i] = p.on\n",
        "    q.append(x[i])\n    y[i] = q[0]\n",
        "    total.add_(x[i])\n    y[i] = total.sum()\n",
        "    def g():\n        s = x[i]\n    y[i] = s * x[i]\n    s = 2\n",
        "    if x[i] > 1:\n        s = 1\n    # s = 2\n    y[i] = s\n",
    };
    expect(bodies, sizeof bodies / sizeof bodies[0], true);
}

static void test_given_in_every_round(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "    if x[i] > 1:\n        s = 1\n    elif x[i] < 0:\n        s = 0\n    else:\n        s = 2\n    y[i] = s\n",
        "    if x[i] > 1: s = 1\n    else: s = 0\n    y[i] = s\n",
        "    s = 0\n    if x[i] > 1:\n        s = 1\n    y[i] = s\n",
        "    if x[i] > 1:\n        s = x[i]\n        y[i] = s * 2\n",
        "    if x[i] > 1:\n        s = x[i]\n        if s > 2:\n            y[i] = s * 2\n",
        "    if x[i] > 1:\n        continue\n    elif x[i] < 0:\n        s = 1\n    else:\n        s = 2\n    y[i] = "
        "s\n",
        "    if x[i] > 1:\n        s = 1\n    else:\n        y[i] = 3\n        continue\n    y[i] = s\n",
        "    try:\n        s = 1 / x[i]\n    except ZeroDivisionError:\n        s = 0\n    y[i] = s\n",
        "    try:\n        s = 1 / x[i]\n    except ZeroDivisionError:\n        continue\n    y[i] = s\n",
        "    try:\n        s = 1 / x[i]\n    except ZeroDivisionError:\n        s = 0\n    else:\n        y[i] = s\n",
        "    try:\n        t = 1 / x[i]\n    except ZeroDivisionError:\n        t = 0\n    finally:\n        s = 2\n   "
        " y[i] = s\n",
        "    with np.errstate(all='ignore'):\n        s = 1 / x[i]\n    y[i] = s\n",
        "    match k[i]:\n        case 1:\n            s = x[i]\n        case _:\n            s = 0\n    y[i] = s\n",
        "    if (v := x[i]) > 1:\n        y[i] = v\n",
        "    if v := x[i]:\n        y[i] = v\n",
        "    for k in range(3):\n        s = x[i] * k\n    y[i] = s\n",
        "    if x[i] > 1:\n        s = 1\n        y[i] = s\n    else:\n        s = 2\n        y[i] = s\n",
        "    s = x[i]\n    t = s + 1\n    s = t * 2\n    y[i] = s\n",
        "    a = s = x[i]\n    if a > 1:\n        s = 1\n    y[i] = s\n",
        "    a, s = x[i], 1\n    if a > 1:\n        s = 1\n    y[i] = s\n",
        "    s = (x[i]\n         + 1)\n    if x[i] > 1:\n\n        s = 1\n    y[i] = s\n",
        "    np.multiply(x[i], 2, out=s)\n    y[i] = s.sum()\n",
        "    np.copyto(s, x[i])\n    y[i] = s.sum()\n",
        "    v = x[i] * 2\n    v *= 2\n    v += 1\n    y[i] = v\n",
        "    s += x[i]\n    s -= w[i]\n",
        "    s *= x[i]\n",
        "    (s, q) = (x[i], 1)\n    y[i] = s * q\n",
        "    s = 0.0\n    for k in near[i]:\n        s += w[k]\n    y[i] = s\n",
        "    y[i] = f(x[i]).real\n    z.data[i] = x[i]\n",
        "    out.append(x[i])\n",
    };
    expect(bodies, sizeof bodies / sizeof bodies[0], false);
}

static void test_suites_that_are_nested_deep(void **state)
{
    (void)state;
    char text[2000];
    size_t used = (size_t)snprintf(text, sizeof text, IN_LOOP);
    for (unsigned depth = 1; depth < 36; depth++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%*sif x[i] > %u:\n", (int)depth, "", depth);
    snprintf(text + used, sizeof text - used, "%*ss = 1\n%*sy[i] = s\n", 36, "", 36, "");
    assert_true(loop_run_read(text).carried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_in_some_rounds),
        cmocka_unit_test(test_given_in_every_round),
        cmocka_unit_test(test_suites_that_are_nested_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
