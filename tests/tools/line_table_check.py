"""Compares the analyzer's location-table decoder with this interpreter's own, on every code unit of its standard library.

Usage: line_table_check.py LIBRARY [FILES]: LIBRARY is line_table.c built as a shared object. Works on CPython 3.8 and newer.
Prints "UNITS MISMATCHES"; exits 1 when they differ anywhere.
"""
import ctypes
import dis
import os
import sys
import sysconfig


class Span(ctypes.Structure):
    _fields_ = [("start", ctypes.c_uint32), ("end", ctypes.c_uint32), ("line", ctypes.c_int32), ("end_line", ctypes.c_int32),
                ("column", ctypes.c_int32), ("end_column", ctypes.c_int32)]


class Table(ctypes.Structure):
    _fields_ = [("spans", ctypes.c_void_p), ("count", ctypes.c_size_t), ("first_line", ctypes.c_int32)]


def load(path):
    library = ctypes.CDLL(path)
    library.line_table_exact.restype = ctypes.POINTER(Span)
    library.line_table_exact.argtypes = [ctypes.POINTER(Table), ctypes.c_uint32]
    return library


def expected_lines(code):
    """One (line, end_line, column, end_column) for each code unit; None where the interpreter has nothing to say."""
    units = len(code.co_code) // 2
    if sys.version_info >= (3, 11):
        return list(code.co_positions())
    result = [None] * units
    if sys.version_info >= (3, 10):
        for start, end, line in code.co_lines():
            for unit in range(start // 2, end // 2):
                result[unit] = (line, None, None, None)
        return result
    marks = dict(dis.findlinestarts(code))
    line = code.co_firstlineno
    for unit in range(units):
        line = marks.get(2 * unit, line)
        result[unit] = (line, None, None, None)
    return result


def check_code(library, code):
    raw = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
    table = Table()
    library.line_table_decode(ctypes.byref(table), sys.hexversion, raw, ctypes.c_size_t(len(raw)), code.co_firstlineno)
    wrong = 0
    expected = expected_lines(code)
    for unit, (line, end_line, column, end_column) in enumerate(expected):
        found = library.line_table_exact(ctypes.byref(table), 2 * unit)
        got = found.contents if found else Span()
        same = got.line == (line or 0)
        if same and line and sys.version_info >= (3, 11):
            want = (end_line, -1 if column is None else column, -1 if end_column is None else end_column)
            same = (got.end_line, got.column, got.end_column) == want
        wrong += not same
    library.line_table_free(ctypes.byref(table))
    return len(expected), wrong


def check_tree(library, code):
    units, wrong = check_code(library, code)
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            more, worse = check_tree(library, constant)
            units, wrong = units + more, wrong + worse
    return units, wrong


def main():
    library, limit = load(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10**9
    units = wrong = files = 0
    for directory, names, entries in os.walk(sysconfig.get_path("stdlib")):
        names[:] = sorted(name for name in names if name != "site-packages")
        for entry in sorted(entries):
            if not entry.endswith(".py") or files >= limit:
                continue
            path = os.path.join(directory, entry)
            try:
                with open(path, "rb") as file:
                    code = compile(file.read(), path, "exec", dont_inherit=True)
            except (SyntaxError, ValueError, UnicodeDecodeError):
                continue
            files += 1
            more, worse = check_tree(library, code)
            units, wrong = units + more, wrong + worse
    print(units, wrong)
    sys.exit(1 if wrong or not units else 0)


main()
