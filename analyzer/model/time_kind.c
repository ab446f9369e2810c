/*
 * Python, native or boundary. A sample outside the interpreter is native. One inside is boundary when a native function
 * called back into the interpreter (to convert, to allocate an object), or when it is in the interpreter's machinery of
 * calls and conversions; all else is Python.
 */
#include <string.h>

#include "model/model.h"
#include "symbols/binary.h"

/*
 * Names of that machinery: how each begins. One that ends in '$' must be whole. Functions that make objects of C values
 * (PyLong_From...) are not among them: the evaluation loop and range() use them for every number, and where a native
 * function calls them its own frame tells.
 */
static const char *const machinery[] = {
    "_PyObject_Call",
    "PyObject_Call",
    "_PyObject_FastCall",
    "PyObject_Vectorcall",
    "_PyObject_Vectorcall",
    "PyVectorcall_",
    "_PyVectorcall_",
    "_PyFunction_Vectorcall",
    "cfunction_",
    "method_vectorcall",
    "vectorcall_",
    "_PyObject_MakeTpCall",
    "_Py_CheckFunctionResult",
    "_PyCFunction",
    "PyCFunction_",
    "_PyMethodDef_",
    "type_call$",
    "_PyStack_",
    "PyMember_Get",
    "wrap_",
    "wrapper_call$",
    "wrapperdescr_",
    "slot_",
    "builtin_vectorcall",
    "classmethoddescr_call",
    "method_call$",
    "PyArg_",
    "_PyArg_",
    "vgetargs",
    "convertitem",
    "convertsimple",
    "getargs",
    "Py_BuildValue",
    "_Py_BuildValue",
    "do_mkvalue",
    "PyLong_As",
    "_PyLong_As",
    "PyFloat_As",
    "PyNumber_As",
    "PyNumber_Index",
    "_PyNumber_Index",
    "PyNumber_Long",
    "PyNumber_Float",
    "PyUnicode_AsUTF8",
    "PyComplex_As",
    "PyObject_GetBuffer",
    "PyBuffer_",
    "PyTuple_Pack",
    "PyErr_Occurred",
    "PyGILState_",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "take_gil",
    "drop_gil",
};

/* Compiler's clones ("name.part.0", "name.cold") begin like the function itself. */
static bool is_machinery(const char *symbol)
{
    for (size_t i = 0; i < sizeof(machinery) / sizeof(machinery[0]); i++) {
        size_t length = strlen(machinery[i]);
        if (machinery[i][length - 1] != '$') {
            if (strncmp(symbol, machinery[i], length) == 0)
                return true;
        } else if (strncmp(symbol, machinery[i], length - 1) == 0 &&
                   (symbol[length - 1] == '\0' || symbol[length - 1] == '.')) {
            return true;
        }
    }
    return false;
}

static const char *symbol_at(const struct db_module *module, const struct run_process *run, uint64_t address)
{
    struct binary *binary = binary_get(modules_path(run, module), module->build_id, module->build_id_bytes);
    return binary_symbol(binary, address - module->load_bias);
}

/*
 * By the leaf's own name alone: a static function of a stripped interpreter has none, and the call that led to it
 * (PyObject_Vectorcall) says nothing of what it does - sum() is no boundary. Such time counts as Python.
 */
static enum time_kind interpreter_kind(struct process *process, const struct db_module *module, uint64_t address)
{
    const char *symbol = symbol_at(module, process->run, address);
    return symbol != NULL && is_machinery(symbol) ? TIME_BOUNDARY : TIME_PYTHON;
}

enum time_kind time_kind_of(struct process *process, const struct db_node *record, const struct node *node)
{
    if (record->frame == DB_FRAME_PYTHON)
        return TIME_PYTHON;
    if (record->frame != DB_FRAME_NATIVE && record->frame != DB_FRAME_ACCESS)
        return TIME_NATIVE;
    if (node->module == NULL || (node->module->flags & DB_MODULE_INTERPRETER) == 0)
        return TIME_NATIVE;
    if (node->python == 0)
        return TIME_PYTHON; /* the interpreter starting or ending */
    if (node->native_between)
        return TIME_BOUNDARY;
    return interpreter_kind(process, node->module, record->value);
}
