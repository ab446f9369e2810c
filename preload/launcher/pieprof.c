/* pieprof: runs a program with libpieprof.so preloaded, and says where the profile is. */
#include <stdlib.h>

#include "launcher/launcher.h"

enum { EXIT_NOT_STARTED = 127 };

int main(int argc, char **argv)
{
    struct launch launch = {0};
    int status = options_parse(&launch, argc, argv);
    if (status >= 0)
        return status;
    if (!environment_find_library(&launch) || !environment_prepare(&launch))
        return EXIT_USAGE;
    status = child_run(launch.program);
    if (status < 0)
        return EXIT_NOT_STARTED;
    if (!launch.quiet && !launch.refused && !environment_is_later_rank())
        outcome_say(&launch);
    child_die_alike(status);
}
