#include "launcher/stat.h"

#include <stdio.h>
#include <string.h>

const char *stat_read(pid_t pid, char *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    size_t length = fread(text, 1, STAT_BYTES - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *behind = strrchr(text, ')');
    return behind && behind[1] == ' ' ? behind + 2 : NULL;
}
