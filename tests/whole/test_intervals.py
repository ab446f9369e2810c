"""How often the interval of a share covers the truth, where the pairs themselves say what each of them counts for: on files drawn
at random of a chain that is known."""
import random
import statistics
import sys

from reports import line_at, make_db, report_json

ADDRESS = 0x7f0000000200
PROGRAM = '''def step(data):
    quick(data)
    slow(data)

step([])
'''
FILES = 100
LOADS = (make_db.LOAD, make_db.LOAD)


def drawn_file(path, seed, quick, slow, again):
    """
    The clock finds the slow line's loads `slow` times and those of the quick one, which has more of them, `quick` times. Behind
    a quick load comes another one of the same bytes in `again` of cases, and a slow one else; behind a slow one a quick one.
    """
    chance = random.Random(seed)
    database = make_db.Db()
    process = database.process(python=sys.hexversion, engines=("time", "access"))
    source = process.source("/nowhere/train.py", PROGRAM)
    codes = make_db.text_codes(PROGRAM, "/nowhere/train.py")
    numbers = {name: process.code_of(code, source) for name, code in codes.items()}
    process.module("/nowhere/lib/_kernels.so", ADDRESS & ~0xfffff, (ADDRESS & ~0xfffff) + 0x100000)
    caller = process.frame(process.root(), numbers["<module>"], make_db.offset_of(codes["<module>"], 5))
    first, second = (process.node(process.frame(caller, numbers["step"], make_db.offset_of(codes["step"], line)), make_db.NATIVE, ADDRESS + 64 * line,
                                  samples=500) for line in (2, 3))
    quick_loads = round(chance.gauss(quick, quick**0.5))
    repeated = sum(chance.random() < again for _ in range(quick_loads))
    process.pair(first, first, LOADS, flags=0, count=repeated)
    process.pair(first, second, LOADS, flags=make_db.SAME_VALUE, count=quick_loads - repeated)
    process.pair(second, first, LOADS, flags=make_db.SAME_VALUE, count=round(chance.gauss(slow, slow**0.5)))
    database.write(path)


def covered(tmp_path, quick, slow, again):
    """Of the quick line's loads those that come behind a slow one: there are as many as slow ones."""
    hits, errors, told = 0, [], []
    for seed in range(FILES):
        path = tmp_path / f"{seed}.db"
        drawn_file(path, seed, quick, slow, again)
        share = line_at(report_json(path), 2)["redundant_loads"]
        low, high = share["ci95"]
        errors.append(share["fraction"] - (1 - again))
        told.append((high - low) / 2 / 1.96)
        hits += low <= 1 - again <= high
    assert abs(sum(errors)) / FILES < 0.02
    assert 0.95 <= statistics.fmean(told) / statistics.pstdev(errors) <= 1.2, "as wide as they vary"
    return hits


def test_a_slow_line_beside_a_quick_one(tmp_path):
    assert 90 <= covered(tmp_path, quick=60, slow=600, again=0.5) <= 99


def test_a_quick_line_found_more_often(tmp_path):
    assert 90 <= covered(tmp_path, quick=600, slow=60, again=0.7) <= 99


def test_both_found_alike(tmp_path):
    assert 90 <= covered(tmp_path, quick=200, slow=200, again=0.5) <= 99
