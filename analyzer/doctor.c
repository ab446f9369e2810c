/* The verb doctor: what the shim can use on this machine, one row each, with the remedy where it cannot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "doctor/check.h"
#include "show/output.h"
#include "show/page.h"
#include "verb.h"

static const struct check {
    const char *what;
    struct checked (*look)(void);
} checks[] = {
#define X(name, what) {what, check_##name},
    CHECKS(X)
#undef X
};

static bool put_checked(const struct page *page, const char *what, struct checked checked)
{
    static const char *const marks[] = {"ok", "off", "note"};
    static const enum style styles[] = {STYLE_GOOD, STYLE_WARN, STYLE_DIM};
    char *label = memory_print("%-5s", marks[checked.state]),
         *text = text_printable(checked.text, strlen(checked.text));
    page_put(page, styles[checked.state], label);
    fprintf(page->out, "%-20s ", what);
    page_wrap(page, 26, 26, text);
    if (checked.state == CHECK_OFF && checked.remedy != NULL) {
        fprintf(page->out, "%26s", "");
        page_put(page, STYLE_TITLE, "-> ");
        page_wrap(page, 29, 29, checked.remedy);
    }
    free(label);
    free(text);
    free(checked.text);
    return checked.state != CHECK_OFF;
}

int verb_doctor(const struct options *options)
{
    struct page page;
    size_t off = 0;
    bool can_record = true;
    page_start(&page, stdout, options);
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        bool is_on = put_checked(&page, checks[i].what, checks[i].look());
        off += !is_on;
        can_record = can_record && (is_on || checks[i].look != check_library);
    }
    if (!can_record)
        puts("\nNothing can be recorded here without libpieprof.so; reports can be read.");
    else if (off == 0)
        puts("\nEverything works here. Next: pieprof -- python train.py");
    else
        printf("\n%zu thing%s above %s off; the rest works without. Next: pieprof -- python train.py\n", off,
               off == 1 ? "" : "s", off == 1 ? "is" : "are");
    return output_close(stdout, options) ? STATUS_GOOD : STATUS_UNUSABLE;
}
