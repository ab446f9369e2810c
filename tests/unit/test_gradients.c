/* link: analyzer */
/* Where PyTorch records no graph, by the text. */
#include "source_run.h"

#include "python/gradients.h"

static const char text[] = "import torch\n"
                           "with torch.no_grad(): a = one_line(x)\n"
                           "with open(path) as file, torch.inference_mode():\n"
                           "    for x in xs:\n"
                           "        among_others(x)\n"
                           "    with torch.enable_grad():\n"
                           "        on_again(x)\n"
                           "behind(x)\n"
                           "@torch.no_grad()\n"
                           "@other\n"
                           "async def marked(x):\n"
                           "    in_marked(x)\n"
                           "    def inner():\n"
                           "        in_inner(x)\n"
                           "@other\n"
                           "def plain(x, no_grad=None):\n"
                           "    in_plain(x)\n"
                           "    with torch.set_grad_enabled(False):\n"
                           "        set_off(x)\n"
                           "    with torch.set_grad_enabled(training):\n"
                           "        set_by_name(x)\n"
                           "    with torch.inference_mode(False):\n"
                           "        no_inference(x)\n"
                           "    with torch.no_grad():\n"
                           "        call(one,\n"
                           "             second_row)\n";

static void test_rows(void **state)
{
    (void)state;
    static const char *const off[] = {"one_line", "among_others", "in_marked", "set_off", "second_row"};
    static const char *const on[] = {"import",   "on_again",    "behind",      "in_inner",
                                     "in_plain", "set_by_name", "no_inference"};
    struct source_run run;
    source_run_begin(&run, text);
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
        if (!gradients_are_off(&run.source, source_run_line(&run, off[i])))
            fail_msg("on: %s", off[i]);
    for (size_t i = 0; i < sizeof on / sizeof on[0]; i++)
        if (gradients_are_off(&run.source, source_run_line(&run, on[i])))
            fail_msg("off: %s", on[i]);
    assert_false(gradients_are_off(&run.source, 0));
    assert_false(gradients_are_off(&run.source, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
