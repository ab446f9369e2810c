"""Runs a case's program: for seconds of CPU time as it is, or for some steps with every access counted.

The program's arguments are the library, "run" and seconds, or "count" and steps. Counting prints what the counter has of each of
the program's lines, as JSON, once the steps before have left every byte a history. A library with a stepper steps through each
call; one without has kernels that announce their accesses.
"""
import ctypes
import importlib
import json
import sys
import time

COUNT = 8000  # elements
ELEMENT_BYTES_MAX = 8
WARM_STEPS = 6
BATCH = 8
KINDS = ("redundant_loads", "redundant_stores", "dead_stores")

library = ctypes.PyDLL(sys.argv[1])


class Share(ctypes.Structure):
    _fields_ = [("whole", ctypes.c_uint64), ("part", ctypes.c_uint64), ("recycled", ctypes.c_uint64)]


class Line(ctypes.Structure):
    _fields_ = [(kind + scope, Share) for kind in KINDS for scope in ("", "_across")]


def kernel(name):
    function = getattr(library, name)
    function.restype = ctypes.c_uint64
    function.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_size_t, ctypes.c_uint64, ctypes.c_uint64]
    return function


class Plain:
    def __getattr__(self, name):
        setattr(self, name, kernel(name))
        return getattr(self, name)


class Counted:
    """A module, or the library, whose functions are counted on the line that calls them."""

    def __init__(self, function_of):
        self.function_of = function_of

    def __getattr__(self, name):
        function = self.function_of(name)

        def call(*arguments, **options):
            begin(sys._getframe(1).f_lineno)
            try:
                return function(*arguments, **options)
            finally:
                end()

        return call


library.take.restype = ctypes.c_void_p
library.take.argtypes = [ctypes.c_size_t]
counting = sys.argv[2] == "count"
stepping = counting and hasattr(library, "stepper_call")
begin, end = (library.stepper_call, library.stepper_return) if stepping else (library.counter_call, library.counter_return) if counting else (None, None)
lib = Counted(kernel) if counting else Plain()


def take():
    return library.take((COUNT + 1) * ELEMENT_BYTES_MAX)


def module(name):
    """NumPy, or PyTorch; only a stepper can count what it does."""
    found = importlib.import_module(name)
    return Counted(lambda function: getattr(found, function)) if counting else found


def array(object_address, kind="f8"):
    """The object's elements as NumPy's, zeros at first."""
    import numpy

    found = numpy.frombuffer((ctypes.c_byte * (COUNT * ELEMENT_BYTES_MAX)).from_address(object_address), kind)
    found[:] = 0
    return found


def counts():
    library.counter_line.restype = ctypes.POINTER(Line)
    everything = ((number, library.counter_line(number).contents) for number in range(1, 100))
    return {number: {name: [getattr(getattr(line, name), field) for field, _ in Share._fields_] for name, _ in Line._fields_}
            for number, line in everything}


def count(step, steps):
    for n in range(1, steps + WARM_STEPS + 1):
        if n == WARM_STEPS + 1:
            library.counter_forget()
        step(n)
    if stepping:
        library.stepper_missed.restype = ctypes.c_uint64
        if library.stepper_missed() > 0:
            sys.exit(f"{library.stepper_missed()} accesses were not understood")
    print(json.dumps(counts()))


def run(step, seconds):
    end, n = time.thread_time() + seconds, 0
    while time.thread_time() < end:
        for n in range(n + 1, n + 1 + BATCH):
            step(n)


def repeat(step):
    (count if counting else run)(step, float(sys.argv[3]) if not counting else int(sys.argv[3]))
