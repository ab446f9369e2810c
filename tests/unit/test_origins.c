/* link: analyzer */
/* By which other names a statement may read a buffer: what is understood not to, and everything else. */
#include <stdio.h>

#include "source_run.h"

#include "model/annotations.h"
#include "python/cover.h"
#include "python/origins.h"

/* May the row below the text's "FILL" read what is filled there? */
static bool may_read(const char *text)
{
    struct source_run run;
    struct cover_fill fill;
    source_run_begin(&run, text);
    int32_t line = source_run_line(&run, "FILL");
    memcpy(strstr(run.text, "FILL"), "    ", 4);
    annotations_blank(run.text, run.source.length_bytes); /* as source_code() gives it */
    if (!cover_read_fill(&run.source, line, &fill))
        fail_msg("%s: fills nothing", text);
    return origins_may_read(&run.source, line, line + 1, fill.buffer);
}

#define CHECK_ALL(texts, expected)                                                                                     \
    for (size_t i = 0; i < sizeof(texts) / sizeof((texts)[0]); i++)                                                    \
        if (may_read((texts)[i]) != (expected))                                                                        \
            fail_msg("%s", (texts)[i]);

/* In a function that is called with a buffer of its own; `made`: the statement above. */
static bool may_read_made(const char *made, const char *read)
{
    char text[1000];
    snprintf(text, sizeof(text),
             "import numpy as np\ndef step(sheet, k):\n    %s\n    sheet.fill(0.0) FILL\n    np.copyto(sheet, %s)\n"
             "sheet = np.ones((9, 9))\nfor k in range(9):\n    step(sheet, k)\n",
             made, read);
    return may_read(text);
}

static const char *const views[] = {"row = sheet[0]",
                                    "row = sheet[1:, ::2]",
                                    "row = sheet.reshape(-1)[:7]",
                                    "row = sheet.T[0]",
                                    "row = np.ravel(sheet)[:7]",
                                    "row = np.asarray(sheet)",
                                    "row = memoryview(sheet)",
                                    "row = torch.from_numpy(sheet)",
                                    "row = sheet.numpy()",
                                    "row = sheet.data",
                                    "row = sheet.real.view(float)",
                                    "row = (sheet)",
                                    "row = +1 if k else sheet",
                                    "row = k or sheet",
                                    "row, other = sheet[0], k",
                                    "row, other = sheet",
                                    "*row, other = sheet",
                                    "(row, other) = other, row = sheet, k",
                                    "other = row = sheet[0]",
                                    "row = sheet = np.zeros(9)",
                                    "sheet = k.rest = row = np.zeros(9)",
                                    "row = np.einsum('ii->i', sheet)",
                                    "row = torch.einsum('ij->ji', sheet)",
                                    "row = sheet.float()",
                                    "row = sheet.type(torch.float32)",
                                    "row = sheet.round()",
                                    "row = round(sheet)",
                                    "row = sum([[sheet]], [])[0]",
                                    "row = np.maximum(sheet, 0, sheet)",
                                    "row = np.exp(sheet, sheet)",
                                    "row = np.add(k, 0, sheet)",
                                    "row = np.sum(k, 0, None, sheet)",
                                    "row = k.min(0, sheet)",
                                    "row = np.cumsum(k, 0, None, sheet)",
                                    "row = np.diff(sheet, 0)",
                                    "row = rng.standard_normal(None, float, sheet)",
                                    "row = sheet.astype(float, 'K', 'unsafe', True, False)",
                                    "row = copy.copy([sheet])[0]",
                                    "row = np.array([None, sheet], dtype=object)[1]",
                                    "setattr(k, 'row', sheet)\n    row = k.row",
                                    "row = getattr(k, 'row')",
                                    "vars()['row'] = sheet",
                                    "names = globals()",
                                    "exec('row = sheet')",
                                    "match [sheet]:\n        case [row]: pass",
                                    "row: float = sheet[0]",
                                    "row = \\\n        sheet[0]",
                                    "rows = [sheet[0]]\n    row = rows[0]",
                                    "rows = []\n    rows.append(sheet[0])\n    row = rows[0]",
                                    "rows = [k] + [sheet[0]]\n    row = rows[1]",
                                    "rows = {}\n    rows[0] = sheet[0]\n    row = rows[0]",
                                    "for row in sheet: pass",
                                    "for row, other in zip(sheet, k): pass",
                                    "for i, row in enumerate(sheet): pass",
                                    "row = [r for r in sheet]",
                                    "if (row := sheet[0]) is None: pass",
                                    "with torch.no_grad(): row = sheet[0]",
                                    "with window(sheet) as row: pass",
                                    "row = np.array(sheet, copy=False)",
                                    "row = np.add(k, k, out=sheet[0])",
                                    "row = window(sheet)",
                                    "row = max(sheet, key=len)",
                                    "row = Window(sheet).first",
                                    "window = lambda: sheet[0]\n    row = window()",
                                    "k.row = sheet[0]\n    row = k.row",
                                    "other = sheet[0]\n    row = other.reshape(-1)"};

static void test_views_of_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
        if (!may_read_made(views[i], "row * 2"))
            fail_msg("%s", views[i]);
}

static void test_what_is_new(void **state)
{
    (void)state;
    static const char *const news[] = {"row = sheet * 2",
                                       "row = sheet[0] + sheet[1]",
                                       "row = -sheet",
                                       "row = sheet.copy()",
                                       "row = sheet[0].copy().reshape(-1)",
                                       "row = np.zeros_like(sheet)",
                                       "row = np.ones(sheet.shape)",
                                       "row = np.sqrt(sheet).T",
                                       "row = len(sheet)",
                                       "row = sheet.shape[0]",
                                       "row = np.add(sheet, 1)",
                                       "row, other = np.zeros(3), sheet",
                                       "for row, other in enumerate(sheet): pass",
                                       "row = np.random.default_rng(0).random((9, 9))",
                                       "row = other = np.zeros(9)",
                                       "row = other = 0",
                                       "row = np.sum(sheet, 0)",
                                       "row = sheet.sum(1, True)",
                                       "row = sheet.std(0)",
                                       "row = np.maximum(sheet, 0)",
                                       "row = np.maximum(sheet, k, dtype=float)",
                                       "row = np.where(sheet > 0, sheet, k)",
                                       "row = np.array(sheet, float)",
                                       "row = sheet.astype(float)",
                                       "row = np.copy(sheet)",
                                       "row = sheet.abs()",
                                       "row = float(sheet)",
                                       "row = sheet.size(0)",
                                       "row = 3"};
    for (size_t i = 0; i < sizeof(news) / sizeof(news[0]); i++)
        if (may_read_made(news[i], "row * 2"))
            fail_msg("%s", news[i]);
    assert_false(may_read_made("pass", "k * 2"));
}

/* What a function is handed. */
static void test_arguments(void **state)
{
    (void)state;
    static const char *const mays[] = {
        "def step(sheet, row):\n    sheet.fill(0) FILL\n    sheet[:] = row\ns = np.ones(3)\nstep(s, s[0])\n",
        "def step(sheet, row):\n    sheet.fill(0) FILL\n    sheet[:] = row\ns = np.ones(3)\nstep(row=s[0], sheet=s)\n",
        "def step(sheet, row):\n    sheet.fill(0) FILL\n    sheet[:] = row\ns = np.ones(3)\nstep(*s)\n",
        "def step(sheet, row):\n    sheet.fill(0) FILL\n    sheet[:] = row\n",
        "def step(sheet, row):\n    sheet.fill(0) FILL\n    sheet[:] = row\nmap(step, sheets, rows)\n",
        "def step(sheet, row=sheet[0]):\n    sheet.fill(0) FILL\n    sheet[:] = row\nstep(sheet)\n",
        "def step(row):\n    sheet.fill(0) FILL\n    sheet[:] = row\nsheet = np.ones(3)\n",
        "def top(s):\n    return s[0]\nrow = top(sheet)\nsheet.fill(0) FILL\nsheet[:] = row\n",
        "def top():\n    return sheet[0]\nrow = top()\nsheet.fill(0) FILL\nsheet[:] = row\n",
        "def mean(s):\n    return sheet[0]\nsheet = np.ones(3)\nsheet.fill(0) FILL\nsheet[:] = np.add(other.mean(), "
        "1)\n",
    };
    CHECK_ALL(mays, true)
    static const char *const nots[] = {
        "def step(sheet, row):\n    sheet.fill(0) FILL\n    sheet[:] = row\ns = np.ones(3)\nstep(s, np.ones(3))\n",
        "def step(row):\n    sheet = np.ones(3)\n    for i in range(9):\n        sheet.fill(0) FILL\n        sheet[:] "
        "= row\n",
        "def make():\n    return np.ones(3)\nrow, sheet = make(), make()\nsheet.fill(0) FILL\nsheet[:] = row\n",
    };
    CHECK_ALL(nots, false)
}

static void test_attributes(void **state)
{
    (void)state;
    static const char *const mays[] = {
        "class A:\n  def __init__(self):\n    self.s = np.ones(3)\n    self.row = self.s[0]\n  def step(self):\n"
        "    self.s.fill(0) FILL\n    self.s[:] = self.row\n",
        "class A:\n  def __init__(self):\n    self.s = np.ones(3)\n    self.row = self.s[0]\na = A()\na.s.fill(0) "
        "FILL\n"
        "a.s[:] = a.row\n",
        "class A:\n  def __init__(self):\n    self.s = np.ones(3)\n  @property\n  def row(self):\n    return "
        "self.s[0]\n"
        "  def step(self):\n    self.s.fill(0) FILL\n    self.s[:] = self.row\n",
        "class A(B):\n  def step(self):\n    self.s.fill(0) FILL\n    self.s[:] = self.row\n",
        "class A:\n  def __init__(self, row):\n    self.row = row\ns = np.ones(3)\na = A(s[0])\ns.fill(0) FILL\ns[:] = "
        "a.row\n",
        "s = np.ones(3)\na = Grid(s)\ns.fill(0) FILL\ns[:] = a.row\n",
        "class A:\n  def __init__(self):\n    self.s = np.ones(3)\n  def forward(self, x):\n    self.s.fill(0) FILL\n"
        "    self.s[:] = x\n    return self.s\n",
        "import state\nstate.s.fill(0) FILL\nstate.s[:] = state.row\n",
    };
    CHECK_ALL(mays, true)
    static const char *const nots[] = {
        "class A:\n  def __init__(self):\n    self.s = np.ones(3)\n    self.x = np.ones(3)\n  def step(self):\n"
        "    self.s.fill(0) FILL\n    self.s[:] = self.x * 2\n    self.s += self.x\n",
        "s = np.ones(3)\nx = load(3)\ns.fill(0) FILL\ns[:] = x\n",
        "s = np.ones(3)\nfor x in DataLoader(TensorDataset(np.ones(3))):\n  s.fill(0) FILL\n  s[:] = x\n",
    };
    CHECK_ALL(nots, false)
}

/* What does not end is read to its end. */
static void test_broken_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {"s.fill(0) FILL\ns[:] = (((((((((((((((x",
                                        "s.fill(0) FILL\ns[:] = x\ndef\ndef f(\n",
                                        "s.fill(0) FILL\ns[:] = x\nfor in\nfor x\nwith as\n=\n= =\n,,=,\n",
                                        "s.fill(0) FILL\ns[:] = x\nx = [\n",
                                        "s.fill(0) FILL\ns[:] = x\nclass\nreturn\nlambda:\nx: \\",
                                        "s.fill(0) FILL\ns[:] = .x..y\nx.\n.\n*\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        may_read(texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views_of_it), cmocka_unit_test(test_what_is_new),  cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_attributes),  cmocka_unit_test(test_broken_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
