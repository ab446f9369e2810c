#include "symbols/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>

#include "base/intern.h"
#include "base/memory.h"
#include "symbols/demangle.h"

struct debug_info {
    Dwfl *dwfl;
    Dwfl_Module *module;
    bool tried, has_dwarf;
};

static char *debug_info_path;

/* Without debuginfod's progress or a debugger's habits: libdw's own search, which honours DEBUGINFOD_URLS. */
static const Dwfl_Callbacks callbacks = {
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_info_path,
};

void debug_info_close(struct debug_info *info)
{
    if (info != NULL && info->dwfl != NULL)
        dwfl_end(info->dwfl);
    free(info);
}

struct debug_info *debug_info_open(const char *path)
{
    struct debug_info *info = memory_zeroed(1, sizeof(*info));
    info->dwfl = dwfl_begin(&callbacks);
    if (info->dwfl != NULL) {
        dwfl_report_begin(info->dwfl);
        info->module = dwfl_report_elf(info->dwfl, path, path, -1, 0, true);
        dwfl_report_end(info->dwfl, NULL, NULL);
    }
    if (info->module == NULL) {
        debug_info_close(info);
        return NULL;
    }
    return info;
}

void debug_info_symbols(struct debug_info *info,
                        void (*take)(void *to, const char *name, uint64_t start, uint64_t size, bool local), void *to)
{
    int count = dwfl_module_getsymtab(info->module);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        const char *name = dwfl_module_getsym_info(info->module, i, &symbol, &address, &section, NULL, NULL);
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        if (name != NULL && *name != '\0' && (type == STT_FUNC || type == STT_GNU_IFUNC) && section != SHN_UNDEF)
            take(to, name, address, symbol.st_size, GELF_ST_BIND(symbol.st_info) == STB_LOCAL);
    }
}

/* Looked for once: the search for a separate file may ask a server. */
static bool has_dwarf(struct debug_info *info)
{
    Dwarf_Addr bias;
    if (!info->tried) {
        info->tried = true;
        info->has_dwarf = dwfl_module_getdwarf(info->module, &bias) != NULL;
    }
    return info->has_dwarf;
}

static const char *die_name(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *mangled = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    if (mangled != NULL)
        return demangle(mangled);
    const char *name = dwarf_diename(die);
    return name != NULL ? intern_string(name) : NULL;
}

static int die_number(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0 && value < 100000000 ? (int)value : 0;
}

/* Where the inlined function was called: this is the next outer function's place. */
static void die_call_site(Dwarf_Die *die, Dwarf_Die *unit, struct binary_function *caller)
{
    Dwarf_Files *files;
    size_t count;
    size_t file = (size_t)die_number(die, DW_AT_call_file);
    caller->line = die_number(die, DW_AT_call_line);
    caller->file = NULL;
    if (dwarf_getsrcfiles(unit, &files, &count) == 0 && file < count && dwarf_filesrc(files, file, NULL, NULL) != NULL)
        caller->file = intern_string(dwarf_filesrc(files, file, NULL, NULL));
}

/* The scopes around `address`, innermost first, each inlined call with its own concrete parents; free the result. */
static int scopes_at(struct debug_info *info, Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
    Dwarf_Addr bias;
    Dwarf_Die innermost;
    Dwarf_Die *found = NULL;
    int count = dwarf_getscopes(unit, address, &found);
    if (count <= 0)
        return 0;
    bool good = dwarf_offdie(dwfl_module_getdwarf(info->module, &bias), dwarf_dieoffset(&found[0]), &innermost) != NULL;
    free(found);
    return good ? dwarf_getscopes_die(&innermost, scopes) : 0;
}

static void place_from_scopes(Dwarf_Die *scopes, int count, Dwarf_Die *unit, struct binary_place *place)
{
    for (int i = 0; i < count && place->count < BINARY_INLINE_MAX; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        const char *name = die_name(&scopes[i]);
        place->functions[place->count].name = name != NULL ? name : "?";
        place->count++;
        if (tag == DW_TAG_subprogram)
            return;
        if (place->count < BINARY_INLINE_MAX)
            die_call_site(&scopes[i], unit, &place->functions[place->count]);
    }
}

bool debug_info_find(struct debug_info *info, uint64_t address, struct binary_place *place)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *scopes = NULL;
    *place = (struct binary_place){0};
    Dwarf_Die *unit = has_dwarf(info) ? dwfl_module_addrdie(info->module, address, &bias) : NULL;
    if (unit == NULL)
        return false;
    int count = scopes_at(info, unit, address - bias, &scopes);
    Dwfl_Line *line = dwfl_module_getsrc(info->module, address);
    if (line != NULL) {
        const char *file = dwfl_lineinfo(line, NULL, &place->functions[0].line, NULL, NULL, NULL);
        place->functions[0].file = file != NULL ? intern_string(file) : NULL;
    }
    place_from_scopes(scopes, count, unit, place);
    free(scopes);
    return place->count > 0;
}
