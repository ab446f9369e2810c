/* link: analyzer */
/* Buffers that are filled, and what is stored into them right behind that: all of it, by the text, or not. */
#include "source_run.h"

#include "python/cover.h"

/* The text's first line fills; is the row that begins with "cover" or holds it the first store of those that cover it all? 0: none. */
static int32_t covered(const char *text)
{
    struct source_run run;
    struct cover_fill fill;
    source_run_begin(&run, text);
    int32_t line = source_run_line(&run, "FILL");
    char *word = strstr(run.text, "FILL");
    memcpy(word, "    ", 4);
    int32_t row = cover_read_fill(&run.source, line, &fill) ? cover_find(&run.source, line, &fill) : 0;
    return row > 0 ? row - line : 0;
}

static void check(const char *text, int32_t expected)
{
    int32_t found = covered(text);
    if (found != expected)
        fail_msg("%s: row %d, not %d", text, (int)found, (int)expected);
}

static void test_calls_and_slices_of_all(void **state)
{
    (void)state;
    check("z = np.zeros((n, 3)) FILL\nnp.matmul(x, w, out=z)\n", 1);
    check("z = np.zeros((n, 3)) FILL\n\n\nnp.matmul(x, w, out = z)\n", 3);
    check("def f():\n    self.z = torch.zeros(n, 3) FILL\n    torch.mm(x, w, out=self.z)\n", 1);
    check("z = np.zeros_like(x) FILL\nz[:] = x * 2\n", 1);
    check("z = np.ones(n, dtype=int) FILL\nz[...] = x\n", 1);
    check("z = torch.full((n,), 3) FILL\nz.copy_(x)\n", 1);
    check("z = np.zeros(n) FILL\nnp.copyto(z, x)\n", 1);
    check("z.fill(0) FILL\nnp.add(x, y, out=z)\n", 1);
    check("z.zero_() FILL\nz.copy_(x)\n", 1);
    check("self.z.fill(0) FILL\nself.z[:] = x.astype(float).mean(0)\n", 1);
    check("self.z[:] = 0.0 FILL\ny = np.add(x, y, out=self.z)\n", 1);
    check("out = np.zeros(n) FILL\nnp.add(x, y, out=out)\n", 1);
    check("z.fill(0.0) FILL\nz.fill(i + 1)\n", 1);
    check("z.zero_() FILL\nz.normal_(0, 1)\n", 1);
    check("np.copyto(z, 0) FILL\nnp.add(x, y, out=z)\n", 1);
    check("self.z *= 0 FILL\nnp.add(x, y, out=self.z)\n", 1);
}

static void test_what_leaves_or_reads_some_of_it(void **state)
{
    (void)state;
    check("z = np.zeros(n) FILL\nnp.add(z, x, out=z)\n", 0);
    check("z = np.zeros(n) FILL\nnp.add(x, y, out=z, where=m)\n", 0);
    check("z = np.zeros(n) FILL\nnp.add(x, y, out=z[1:])\n", 0);
    check("out = np.zeros(n) FILL\nnp.add(x, out, out=out)\n", 0);
    check("where = np.zeros(n) FILL\nnp.add(x, y, out=where, where=where)\n", 0);
    check("z = np.zeros(n) FILL\nz[:] += x\n", 0);
    check("z = np.zeros(n) FILL\nz[:] = z + x\n", 0);
    check("z = np.zeros(n) FILL\nz[1:-1] = x\n", 0);
    check("z = np.zeros(n) FILL\nprint(z)\nz[:] = x\n", 0);
    check("z = np.zeros(n) FILL\nif x:\n    z[:] = x\n", 0);
    check("z = np.zeros(n) FILL\nif x: np.add(x, y, out=z)\n", 0);
    check("if x:\n    z = np.zeros(n) FILL\nz[:] = x\n", 0);
    check("z = np.zeros(n) FILL\nzz[:] = x\n", 0);
    check("z = f(np.zeros(n)) FILL\nz[:] = x\n", 0);
    check("z = np.zeros(n); y = z FILL\nz[:] = x\n", 0);
    check("z = np.empty(n) FILL\nz[:] = x\n", 0);
    check("z.fill(0) FILL\n", 0);
    check("z.fill(0) FILL\nz.fill(z.max())\n", 0);
    check("z.fill(0) FILL\nz[1:].fill(3)\n", 0);
    check("z[:k].fill(0) FILL\nz[:k].fill(3)\n", 0);
    check("np.copyto(z, 0, where=m) FILL\nz.fill(3)\n", 0);
    check("np.copyto(z, x) FILL\nz.fill(3)\n", 0);
    check("z *= 2 FILL\nz.fill(3)\n", 0);
    check("z *= 0 FILL\nz += x\n", 0);
    check("z **= 0 FILL\nz.fill(3)\n", 0);
    check("z.fill(3) FILL\nz.fill(4, corner)\n", 0);
    check("z.fill(3) FILL\nz.fill(*values)\n", 0);
    check("z.fill(3) FILL\nother.fill(z)\n", 0);
    check("z.fill(rng.normal()) FILL\nz.fill(4)\n", 0);
    check("z.fill_(next(it)) FILL\nz.normal_()\n", 0);
    check("z.fill(0) FILL\nz.fill(0.0)\n", 0);
    check("z.zero_() FILL\nz.zero_()\n", 0);
}

/* What is called meanwhile may read it, or write a part; and what an exception leaves is used behind the try. */
static void test_what_others_may_see_or_leave(void **state)
{
    (void)state;
    check("z = np.zeros(n) FILL\nscatter_add(x, where, out=z)\n", 0);
    check("self.z.fill(0) FILL\nself.z[:] = self.step(x)\n", 0);
    check("z.fill(0) FILL\nnp.add(x, pull(), out=z)\n", 0);
    check("z = np.zeros(n) FILL\nnp.add(x, pull(), out=z)\n", 1);
    check("z = torch.zeros(n, dtype=complex) FILL\nz.real.copy_(x)\n", 0);
    check("z = np.zeros(n) FILL\nnp.copyto(z, x, kind, mask)\n", 0);
    check("z = np.zeros(n) FILL\nnp.divide(x, y, out=z, **options)\n", 0);
    check("z = np.zeros_like(x, shape=(9, 3)) FILL\nfor i in range(len(x)):\n    z[i] = x[i]\n", 0);
    check("z = np.zeros(n) FILL\nfor i in range(n):\n    if x: continue\n    z[i] = x[i]\n", 0);
    check("z = np.zeros(n) FILL\nfor i in range(n):\n    i = where[i]\n    z[i] = x[i]\n", 0);
    check("z = np.zeros(n) FILL\nfor i in range(n):\n    for i in x:\n        y = i\n    z[i] = x[i]\n", 0);
    check("try:\n    z = np.zeros(n) FILL\n    for i in range(n):\n        z[i] = next(x)\nexcept StopIteration:\n    "
          "pass\n",
          0);
    check("def f(i):\n    return z[i - 1]\nz = np.zeros(n) FILL\nfor i in range(n):\n    z[i] = f(i)\n", 0);
    check("def g():\n    def f(i):\n        return z[i - 1]\n    z = np.zeros(n) FILL\n    for i in range(n):\n        "
          "z[i] = "
          "f(i)\n",
          0);
    check("def f():\n    return z * 2\nz = np.zeros(n) FILL\nz[:] = f()\n", 0);
    check("def f(z):\n    return z * 2\nz = np.zeros(n) FILL\nz[:] = f(x)\n", 1);
    check("def f(i):\n    z = x[i]\n    return z\nz = np.zeros(n) FILL\nfor i in range(n):\n    z[i] = f(i)\n", 2);
    check("try:\n    if x:\n        z = np.zeros(n) FILL\n        z[:] = x\nfinally:\n    pass\n", 0);
}

static void test_slices_from_end_to_end(void **state)
{
    (void)state;
    check("z = torch.zeros(n, 32) FILL\nz[:, :16] = a\nz[:, 16:] = b\n", 1);
    check("z = np.zeros((n, 32)) FILL\nz[:k] = a\nz[k : k + 2] = b\nz[k+2:] = c\n", 1);
    check("z = np.zeros((n, 32)) FILL\nz[..., :k] = a\nz[..., k:] = b\n", 1);
    check("z = np.zeros((n, 32)) FILL\nz[:k] = a\nz[m:] = b\n", 0);
    check("z = np.zeros((n, 32)) FILL\nz[:k] = a\n", 0);
    check("z = np.zeros((n, 32)) FILL\nz[:k] = a\nz[:, k:] = b\n", 0);
    check("z = np.zeros((n, 32)) FILL\nz[1:k] = a\nz[k:] = b\n", 0);
    check("z = np.zeros((n, 32)) FILL\nz[:k] = a\nz[k:-1] = b\n", 0);
    check("z = np.zeros((n, 32)) FILL\nz[:k, 1] = a\nz[k:, 1] = b\n", 0);
    check("z = np.zeros((n, 32)) FILL\nz[:k] = a\nz[k:] = z[:k]\n", 0);
    check("z.fill(0) FILL\nz[:k] = self.a()\nz[k:] = b\n", 0);
}

static void test_loops_over_all_of_a_dimension(void **state)
{
    (void)state;
    check("z = np.zeros(n) FILL\nfor i in range(n):\n    z[i] = x[i] * 2\n", 2);
    check("z = np.zeros((n, len(xs)), dtype=float) FILL\nfor k, x in enumerate(xs):\n    a = x + 1\n    for b in a:\n  "
          "      c += b\n    z[:, k] = c\nreturn z\n",
          5);
    check("z = np.zeros((x.shape[0], 3)) FILL\nfor i in range(len(x)):\n    z[i] = x[i]\n", 2);
    check("z = np.zeros(n) FILL\nfor i in range(0, n):\n    z[i] = x[i] * 2\n", 2);
    check("z = np.zeros_like(x) FILL\nfor i in range(x.shape[0]):\n    z[i, :] = x[i]\n", 2);
    check("z = torch.zeros(n, 4) FILL\nfor i in range(z.shape[1]):\n    z[:, i] = x\n", 2);
    check("z = np.zeros(n) FILL\nfor s in range(0, n, step):\n    z[s:s + step] = f(x[s:s + step])\n", 2);
}

static void test_loops_that_leave_or_read_some(void **state)
{
    (void)state;
    check("z = np.zeros(n) FILL\nfor i in range(m):\n    z[i] = x[i]\n", 0);
    check("z = np.zeros(n) FILL\nfor i in range(1, n):\n    z[i] = x[i]\n", 0);
    check("z = np.zeros(n) FILL\nfor i in range(n):\n    z[i] += x[i]\n", 0);
    check("z = np.zeros(n) FILL\nfor i in range(n):\n    z[i] = z[i - 1] + x[i]\n", 0);
    check("z = np.zeros(n) FILL\nfor i in range(n):\n    if x[i]:\n        z[i] = x[i]\n", 0);
    check("z = np.zeros(n) FILL\nfor i in range(n):\n    if x[i]:\n        continue\n    z[i] = x[i]\n", 0);
    check("z = np.zeros((n, 4)) FILL\nfor i in range(n):\n    z[i, 1:] = x[i]\n", 0);
    check("z = np.zeros((n, n)) FILL\nfor i in range(n):\n    for j in range(n):\n        z[i, j] = x\n", 0);
    check("z = np.zeros(shape) FILL\nfor i in range(n):\n    z[i] = x[i]\n", 0);
    check("z = np.zeros(n) FILL\nfor s in range(0, n, step):\n    z[s:s + size] = x\n", 0);
    check("z = np.zeros(n) FILL\nfor i, x in enumerate(xs):\n    z[i] = x\n", 0);
    check("self.z = np.zeros(n) FILL\nfor i in range(n):\n    self.z[i] = self.f(i)\n", 0);
    check("z = np.zeros(n) FILL\nfor i in range(n):\n    y = z.sum()\n    z[i] = x[i]\n", 0);
    check("z = np.zeros(n) FILL\nfor i in range(n):\n", 0);
}

/* What does not end, and what is nested deeply, covers nothing and is read to its end. */
static void test_broken_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {"z = np.zeros( FILL\n",
                                        "z = np.zeros(n) FILL\nz[",
                                        "z = np.zeros(n) FILL\nz[:",
                                        "z = np.zeros(n)) FILL\nz[:]]",
                                        "= FILL\n=\n",
                                        "z = FILL\nfor i in",
                                        "z = np.zeros(n) FILL\nfor :",
                                        "z = np.zeros(n) FILL\nfor in range(n):\n    z[] = 1\n",
                                        "z = np.zeros(,) FILL\nz[,] = 1",
                                        "z = np.zeros((((((((( FILL\n)"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check(texts[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_others_may_see_or_leave),
        cmocka_unit_test(test_calls_and_slices_of_all),
        cmocka_unit_test(test_what_leaves_or_reads_some_of_it),
        cmocka_unit_test(test_slices_from_end_to_end),
        cmocka_unit_test(test_loops_over_all_of_a_dimension),
        cmocka_unit_test(test_loops_that_leave_or_read_some),
        cmocka_unit_test(test_broken_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
