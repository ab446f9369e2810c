#include "findings/imported_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/source.h"

#define STATEMENTS_MAX 200u /* and so many items of each: bounds what a hostile text makes us look for */
#define ITEMS_MAX 16u
#define MODULE_BYTES 200u /* no module's name is longer */
#define PACKAGES_MAX 4u   /* around a file */

struct search {
    const struct model *model;
    struct word directory; /* of the importing file, without a slash at its end */
    const struct source **files;
    size_t count, most;
};

static struct word parent(struct word path)
{
    while (path.length_bytes > 0 && path.text[--path.length_bytes] != '/')
        ;
    return path;
}

static bool add_path(struct search *search, char *path)
{
    const struct source *code = source_code(search->model, path);
    free(path);
    for (size_t i = 0; i < search->count; i++)
        if (search->files[i] == code)
            return true;
    if (code->text != NULL && search->count < search->most)
        search->files[search->count++] = code;
    return code->text != NULL;
}

/* "a/b" of the module "a.b" in a directory: a file, or a package. */
static bool add_in(struct search *search, struct word directory, const char *module)
{
    int length = (int)directory.length_bytes;
    return add_path(search, memory_print("%.*s/%s.py", length, directory.text, module)) ||
           add_path(search, memory_print("%.*s/%s/__init__.py", length, directory.text, module));
}

/* Where packages that one may import from are looked for: beside the outermost of the packages around it, of which `module` names the first. */
static struct word beside_own_package(const struct search *search, const char *module)
{
    size_t length = strcspn(module, "/");
    struct word directory = search->directory, none = {directory.text, 0};
    for (size_t i = 0; i < PACKAGES_MAX && directory.length_bytes > 0; i++) {
        char *package = memory_print("%.*s/__init__.py", (int)directory.length_bytes, directory.text);
        bool is_package = source_code(search->model, package)->text != NULL;
        free(package);
        struct word around = parent(directory);
        struct word own = {word_end(around) + 1, directory.length_bytes - around.length_bytes - 1};
        if (!is_package)
            return none;
        if (own.length_bytes == length && memcmp(own.text, module, length) == 0)
            return around;
        directory = around;
    }
    return none;
}

/* "a.b" as "a/b", and the member behind it; false where that is too long. */
static bool path_of(char path[MODULE_BYTES], struct word name, struct word member)
{
    size_t length = 0;
    if (name.length_bytes + member.length_bytes + 2 > MODULE_BYTES)
        return false;
    for (; length < name.length_bytes; length++)
        path[length] = name.text[length] == '.' ? '/' : name.text[length];
    if (member.length_bytes > 0 && length > 0)
        path[length++] = '/';
    memcpy(path + length, member.text, member.length_bytes);
    path[length + member.length_bytes] = '\0';
    return true;
}

/* A module by its name, with dots in front where it is told from the file's own package. */
static void add_module(struct search *search, struct word name, struct word member)
{
    char module[MODULE_BYTES];
    struct word directory = search->directory;
    size_t dots = 0;
    while (dots < name.length_bytes && name.text[dots] == '.')
        if (++dots > 1)
            directory = parent(directory);
    name = (struct word){name.text + dots, name.length_bytes - dots};
    if (!path_of(module, name, member) || *module == '\0' || add_in(search, directory, module) || dots > 0)
        return;
    struct word beside = beside_own_package(search, module);
    if (beside.length_bytes > 0)
        add_in(search, beside, module);
}

/* "a.b" of "a.b as c" */
static struct word without_other_name(struct word item)
{
    const char *at = item.text, *end = word_end(item);
    while (at < end && (word_char(*at) || *at == '.'))
        at++;
    return (struct word){item.text, (size_t)(at - item.text)};
}

/* "from a.b import c, d": the module, and what may be modules in it. */
static void add_members(struct search *search, struct word rest)
{
    struct word items[ITEMS_MAX], module = without_other_name(rest);
    const char *keyword = memmem(rest.text, rest.length_bytes, " import ", 8);
    if (keyword == NULL)
        return;
    struct word list = word_trimmed(keyword + 8, word_end(rest));
    if (list.length_bytes > 0 && *list.text == '(')
        list = word_in_bracket(list.text, word_end(list));
    add_module(search, module, (struct word){module.text, 0});
    size_t count = word_split(list, ',', items, ITEMS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        add_module(search, module, word_name_at(items[i].text, word_end(items[i])));
}

static void add_statement(struct search *search, struct word statement)
{
    struct word items[ITEMS_MAX], keyword = word_name_at(statement.text, word_end(statement));
    struct word rest = word_trimmed(word_end(keyword), word_end(statement));
    if (word_is(keyword, "from")) {
        add_members(search, rest);
        return;
    }
    size_t count = word_split(rest, ',', items, ITEMS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        add_module(search, without_other_name(items[i]), (struct word){rest.text, 0});
}

size_t imported_files(const struct model *model, const struct code_index *of, const struct source **files, size_t most)
{
    const char *path = of->code->path;
    struct search search = {
        .model = model, .directory = parent((struct word){path, strlen(path)}), .files = files, .most = most};
    size_t statements = of->import_count < STATEMENTS_MAX ? of->import_count : STATEMENTS_MAX;
    for (size_t i = 0; i < statements && search.directory.length_bytes > 0; i++)
        add_statement(&search, of->imports[i]);
    return search.count;
}
