"""The kernels of the table: a case is a small program whose every line makes one native call."""
from dataclasses import dataclass, field

LOADS, STORES, DEAD = "redundant_loads", "redundant_stores", "dead_stores"

PROGRAM = """import os, socket, sys
sys.path.insert(0, {directory!r})
from running import COUNT, lib, repeat, take
a, b, c = take(), take(), take()
w = (a, b, c, COUNT)
{setup}
def step(n):
    {lines}
repeat(step)
"""
SETUP_LINE = 6


@dataclass(frozen=True)
class Case:
    """`lines` run at each step `n`. Without `truth` all are counted, else it gives shares of a kind to the lines' ordinals:
    a share, or one of all and one of those between calls. What `stepped` lines call is stepped through to count."""

    name: str
    lines: tuple
    setup: tuple = ()
    truth: dict = field(default_factory=dict)
    needs: str = ""
    stepped: bool = False

    def text(self, directory):
        return PROGRAM.format(directory=str(directory), setup="\n".join(self.setup or ("pass",)), lines="\n    ".join(self.lines))

    def line_numbers(self):
        first = SETUP_LINE + len(self.setup or ("pass",)) + 1
        return range(first, first + len(self.lines))


def counted(name, *lines, setup=()):
    return Case(name, lines, tuple(setup))


def built(name, *lines, setup=(), truth, needs=""):
    return Case(name, lines, tuple(setup), truth, needs)


def real(name, *lines, setup=()):
    """Lines of NumPy and PyTorch."""
    arrays = ("from running import array, module", "np = module('numpy')", "x, y, z = array(a), array(b), array(c)")
    return Case(name, lines, arrays + tuple(setup), stepped=True)


EQUAL = [counted(f"stores, {part} % equal", f"lib.equal64(*w, n, {part})") for part in (0, 1, 10, 50, 90, 99, 100)]
SIZES = [counted(f"half-equal stores, {bits} bits", f"lib.equal{bits}(*w, n, 50)", f"lib.sum{bits}(*w, n, 0)") for bits in (8, 16, 32, 64)]
INCREMENTS = [counted(f"increment in place, {bits} bits", f"lib.increment{bits}(*w, n, 0)") for bits in (8, 16, 32, 64)]

STORED = [
    counted("filled, filled, summed", "lib.fill64(*w, n, 0)", "lib.fill64(*w, n, n)", "lib.sum64(*w, n, 0)"),
    counted("filled, a tenth again, summed", "lib.fill64(*w, n, n)", "lib.fill_part(*w, n, 10)", "lib.sum64(*w, n, 0)"),
    counted("filled, half again, summed", "lib.fill64(*w, n, n)", "lib.fill_part(*w, n, 50)", "lib.sum64(*w, n, 0)"),
    counted("wide and narrow fills", "lib.fill64(*w, n, n << 32 | n)", "lib.fill32(*w, n, 0)", "lib.sum64(*w, n, 0)"),
    counted("flips between two", "lib.flip(*w, n, 0)", "lib.sum64(*w, n, 0)"),
    counted("flips, seen each second time", "lib.flip(*w, 0, 0)", "lib.flip(*w, 1, 0)", "lib.sum64(*w, n, 0)"),
    counted("flips in a call", "lib.flip_within(*w, n, 0)"),
    counted("three fills in a call", "lib.fill_rounds(*w, 3 * n, 3)"),
    counted("ten fills in a call", "lib.fill_rounds(*w, 10 * n, 10)"),
    counted("dead initialisation of sums", "lib.sum_rows(*w, n, 8)"),
    counted("scatter of one value", "lib.scatter(*w, n, 7)", "lib.fill64(*w, n, 0)"),
    counted("scatter of new values", "lib.scatter(*w, n, 0)"),
    counted("histogram", "lib.histogram(*w, n, 20)"),
    counted("strided stores", "lib.strided_store(*w, n, 16)"),
    counted("unaligned stores", "lib.unaligned_store(*w, n, 50)", "lib.unaligned_load(*w, n, 0)"),
    counted("struct fields", "lib.records_update(*w, n, 0)"),
    counted("copy of half-equal", "lib.equal64(b, a, c, COUNT, n, 50)", "lib.copy(*w, n, 0)"),
    counted("reversed in place", "lib.reverse(*w, n, 0)", setup=["lib.number(*w, 0, 0)"]),
    counted("equal fast, changed slowly", "lib.equal_fast_changed_slowly(*w, n, 5)"),
    counted("transposed", "lib.equal32(b, a, c, COUNT, n, 60)", "lib.transpose(*w, n, 80)"),
]

FRONTS = [counted(f"equal at the front, {count} elements", f"lib.equal_front(a, b, c, {count}, n, 30)") for count in (500, 2000, 8000)]
FRONTS += [counted(f"changed at the front, {count} elements", f"lib.fill_part(a, b, c, {count}, n, 30)", f"lib.sum64(a, b, c, {count}, n, 0)") for count in (500, 2000, 8000)]

LOADED = [
    counted("streaming dot product", "lib.dot(*w, n, 0)", setup=["lib.fill64(*w, 0, 0)", "lib.fill64(b, a, c, COUNT, 0, 1 << 62)"]),
    counted("maximum", "lib.maximum(*w, n, 0)", setup=["lib.number(*w, 0, 0)"]),
    counted("summed, a tenth changed", "lib.equal64(*w, n, 90)", "lib.maximum(*w, n, 0)"),
    counted("gather", "lib.gather(*w, n, 4)", "lib.equal64(*w, n, 80)"),
    counted("strided loads", "lib.strided_load(*w, n, 16)", "lib.fill_part(*w, n, 30)"),
    counted("stencil on a line", "lib.stencil(*w, n, 0)", "lib.equal64(*w, n, 70)"),
    counted("stencil on a plane", "lib.stencil_plane(*w, n, 0)", "lib.equal_double(*w, n, 90)"),
    counted("relaxation in place", "lib.shuffle(*w, n, 0)", "lib.relax_in_place(*w, n, 0)"),
    counted("window of five", "lib.window(*w, n, 0)", "lib.equal_float(*w, n, 50)", setup=["lib.equal_float(c, a, b, COUNT, 0, 0)"]),
    counted("prefix sum in place", "lib.number(*w, n, 0)", "lib.prefix_sum(*w, n, 0)"),
    counted("axpy", "lib.axpy(*w, n, 0)", setup=["lib.fill64(b, a, c, COUNT, 0, 3)"]),
    counted("updated fast, summed slowly", "lib.fill64(*w, 0, 0)", "lib.axpy(*w, n, 0)", "lib.sum_slowly(*w, n, 0)",
            setup=["lib.equal_double(b, a, c, COUNT, 0, 0)"]),
    counted("rectified in place", "lib.centre(*w, n, 0)", "lib.rectify_in_place(*w, n, 0)"),
    counted("product kept in memory", "lib.product_in_memory(*w, n, 20)", setup=["lib.equal_double(*w, 0, 0)", "lib.equal_double(b, a, c, COUNT, 0, 0)"]),
    counted("product", "lib.product(*w, n, 20)", "lib.equal_double(*w, n, 50)", setup=["lib.equal_double(b, a, c, COUNT, 0, 0)"]),
    counted("sparse product", "lib.sparse_product(*w, n, 0)", "lib.equal64(*w, n, 50)", setup=["lib.draw_columns(*w, 0, 0)"]),
    counted("hash table", "lib.hash_count(*w, n, 0)", setup=["lib.fill64(*w, 0, 0)"]),
    counted("binary search", "lib.binary_search(*w, n, 0)", setup=["lib.number(*w, 0, 0)"]),
    counted("linked ring", "lib.chase(*w, n, 0)", setup=["lib.link_ring(*w, 0, 0)"]),
    counted("a pass of bubbles", "lib.shuffle(*w, n, 0)", "lib.bubble(*w, n, 0)"),
    counted("rows by repeated words", "lib.look_up_rows(*w, n, 0)", setup=["lib.number(*w, 0, 0)"]),
    counted("three kinds on a line", "lib.mixed(*w, n, 0)"),
]

SCOPES = [
    counted("equal within, other across", "lib.sum_twice(*w, n, 0)", "lib.equal64(*w, n, 0)"),
    counted("other within, equal across", "lib.invert_between(*w, n, 0)"),
    counted("loaded twice, half changed", "lib.sum_twice_then_change(*w, n, 50)"),
    counted("loaded twice, all changed", "lib.sum_twice_then_change(*w, n, 0)"),
    counted("fresh buffers, half equal", "lib.fresh_buffer(*w, n, 50)"),
    counted("equal where fresh, other where kept", "lib.fresh_and_kept(*w, n, 1)"),
    counted("other where fresh, equal where kept", "lib.fresh_and_kept(*w, n, 0)"),
]

VECTORS = [
    built("AVX2 stores, half equal", "lib.avx2_equal(*w, n, 50)", truth={0: {STORES: 0.5, DEAD: 1}}, needs="avx2"),
    built("AVX2 loads, a fifth changed", "lib.avx2_sum(*w, n, 0)", "lib.equal64(*w, n, 80)", truth={0: {LOADS: 0.8}, 1: {STORES: 0.8, DEAD: 0}}, needs="avx2"),
    built("AVX2 update in place", "lib.avx2_add(*w, n, 0)", setup=["lib.fill64(b, a, c, COUNT, 0, 3)"],
          truth={0: {LOADS: 0.5, STORES: 0, DEAD: 0}}, needs="avx2"),
    built("AVX2 masked stores", "lib.avx2_masked(*w, n, 50)", truth={0: {STORES: 0.5, DEAD: 1}}, needs="avx2"),
    built("AVX2 gather", "lib.avx2_gather(*w, n, 0)", "lib.equal64(*w, n, 50)", truth={0: {LOADS: 0.5}, 1: {STORES: 0.5, DEAD: 0}}, needs="avx2"),
    built("AVX-512 stores, half equal", "lib.avx512_equal(*w, n, 50)", truth={0: {STORES: 0.5, DEAD: 1}}, needs="avx512f"),
    built("AVX-512 loads, a fifth changed", "lib.avx512_sum(*w, n, 0)", "lib.equal64(*w, n, 80)", truth={0: {LOADS: 0.8}, 1: {STORES: 0.8, DEAD: 0}}, needs="avx512f"),
    built("AVX-512 masked stores", "lib.avx512_masked(*w, n, 0)", truth={0: {STORES: 0.5, DEAD: 1}}, needs="avx512f"),
    built("AVX-512 scatter", "lib.avx512_scatter(*w, n, 0)", truth={0: {STORES: 0.5, DEAD: 1}}, needs="avx512f"),
    built("rep stosq", "lib.string_fill(*w, n, 0)", truth={0: {STORES: 0.5, DEAD: 1}}),
    built("rep stosb", "lib.string_fill_bytes(*w, n, 0)", truth={0: {STORES: 0.5, DEAD: 1}}),
    built("rep movsq", "lib.equal64(b, a, c, COUNT, n, 50)", "lib.string_copy(*w, n, 0)", truth={0: {STORES: 0.5, DEAD: 0}, 1: {LOADS: 0.5, STORES: 0.5, DEAD: 1}}),
    built("rep movsb", "lib.string_copy_bytes(*w, n, 0)", truth={0: {LOADS: 1, STORES: 1, DEAD: 1}}),
]

SYSTEM = [
    built("memset", "lib.libc_set(*w, n, 0)", truth={0: {STORES: 0.5, DEAD: 1}}),
    built("memcpy", "lib.equal64(b, a, c, COUNT, n, 50)", "lib.libc_copy(*w, n, 0)", truth={0: {STORES: 0.5, DEAD: 0}, 1: {LOADS: 0.5, STORES: 0.5, DEAD: 1}}),
    built("written out by write", "lib.equal64(*w, n, 50)", "lib.write_out(*w, n, out)", setup=["out = os.open('/dev/null', os.O_WRONLY)"], truth={0: {STORES: 0.5, DEAD: 0}}),
    built("sent by send", "lib.equal8(*w, n, 50)", "lib.send_out(*w, n, near)", "lib.receive_in(b, a, c, COUNT, n, far)",
          setup=["ends = socket.socketpair()", "near, far = ends[0].fileno(), ends[1].fileno()"], truth={0: {STORES: 0.5, DEAD: 0}}),
    built("refilled by read", "lib.read_in(*w, n // 2, file)", "lib.sum64(*w, n, 0)",
          setup=["file = os.memfd_create('parts')", "os.write(file, os.urandom(16 * COUNT))"], truth={1: {LOADS: 0.5}}),
    built("refilled by recv", "lib.equal8(b, a, c, COUNT, n, 50)", "lib.send_out(b, a, c, COUNT, n, near)",
          "lib.receive_in(*w, n, far)", "lib.sum8(*w, n, 0)", setup=["ends = socket.socketpair()", "near, far = ends[0].fileno(), ends[1].fileno()"],
          truth={0: {STORES: 0.5, DEAD: 0}, 3: {LOADS: 0.5}}),
    built("two threads", "lib.threads(*w, n, 2)", truth={0: {STORES: 0.5}}),
    built("four threads", "lib.threads(*w, n, 4)", truth={0: {STORES: 0.5}}),
]

TENSORS = ("import torch", "torch.set_num_threads(1)", "s, t, u = map(torch.from_numpy, (x, y, z))", "torch = module('torch')")
REAL = [
    real("NumPy's add", "np.copyto(x[:2400], n)", "np.add(x, y, out=z)"),
    real("NumPy's add in place", "np.add(x, y, out=x)", setup=["y[2000:] = 1"]),
    real("NumPy's maximum", "np.copyto(x[:1600], n)", "np.maximum(x, y, out=z)", setup=["y[:800] = 1e300"]),
    real("NumPy's multiply, strided", "np.copyto(x[::4], n)", "np.multiply(x, y, out=z)", setup=["y[:] = 1"]),
    real("NumPy's sum", "np.copyto(x[:1600], n)", "np.sum(x)"),
    real("NumPy's cumulative sum", "np.copyto(x[-800:], n)", "np.cumsum(x, out=z)"),
    real("NumPy's take", "np.copyto(x[:2400], n)", "np.take(x, order, 0, z, 'clip')", setup=["order = array(b, 'i8')", "order[:] = 4 * np.arange(COUNT) % COUNT"]),
    real("NumPy's exp", "np.copyto(x[:2400], 1 / n)", "np.exp(x, out=z)"),
    real("NumPy's dot", "np.copyto(x[:2400], n)", "np.dot(x, y)"),
    real("PyTorch's add", "torch.add(s[:2400], 1, out=s[:2400])", "torch.add(s, t, out=u)", setup=TENSORS),
    real("PyTorch's clamp", "torch.add(s[:4000], 1, out=s[:4000])", "torch.clamp(s, 0, 1, out=u)", setup=(*TENSORS, "x[:] = -100 * np.arange(COUNT)")),
    real("PyTorch's sum", "torch.add(s[:1600], 1, out=s[:1600])", "torch.sum(s)", setup=TENSORS),
]

CASES = [*EQUAL, *SIZES, *INCREMENTS, *STORED, *FRONTS, *LOADED, *SCOPES, *VECTORS, *SYSTEM, *REAL]

# Runs repeated for the coverage of the intervals.
REPEATED = (
    "stores, 10 % equal", "half-equal stores, 64 bits", "filled, half again, summed", "scatter of one value", "struct fields", "summed, a tenth changed", "gather",
    "updated fast, summed slowly", "rectified in place", "equal where fresh, other where kept", "strided loads", "hash table", "three kinds on a line",
    "equal fast, changed slowly",
)
# Of these the clock is known to tell too much of one part, or too little: slow beside fast, and nothing that both access.
BIASED = ("strided loads", "hash table", "three kinds on a line", "equal fast, changed slowly")
# All redundant loads of these are of one scope.
VERDICTS_KNOWN = {"equal within, other across": "within", "other within, equal across": "across"}
