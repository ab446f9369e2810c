"""What the pairs of a file say: shares, their intervals, and what is waste."""

import pytest

from reports import line_at, make_db, report_json


def test_unproved_pairs_decide_redundant_but_not_dead_stores(tmp_path):
    database = make_db.golden_small()
    process = database.processes[0]
    process.pair(12, 14, (make_db.STORE, make_db.STORE), flags=make_db.UNPROVED | make_db.SAME_VALUE, count=50)
    process.stores(14, 50, 0)
    path = tmp_path / "out.db"
    database.write(path)
    data = report_json(path)
    dead, redundant = line_at(data, 4)["dead_stores"], line_at(data, 5)["redundant_stores"]
    assert (dead["pairs"], dead["unproved"]) == (100, 50)
    assert (redundant["pairs"], redundant["unproved"], redundant["fraction"]) == (247, 0, pytest.approx(50 / 247))


def test_a_pair_counts_as_those_it_stands_for(tmp_path):
    database = make_db.golden_small()
    process = database.processes[0]
    process.pair(12, 14, (make_db.STORE, make_db.STORE), count=50, scale=4)
    path = tmp_path / "out.db"
    database.write(path)
    share = line_at(report_json(path), 4)["dead_stores"]
    assert (share["pairs"], share["fraction"]) == (150, pytest.approx(297 / 300))
    plain = 50 / 150  # what counts as 200 of 300 is 50 of 150: the interval is wider than that of 300 equal pairs
    assert plain < share["fraction"] and share["ci95"][1] - share["ci95"][0] > 3.92 * (0.01 * 0.99 / 300) ** 0.5


def test_the_share_of_redundant_stores_is_that_of_the_sampled_stores(tmp_path):
    """Whatever the stores meet next: here the second fill is read, its own stores pair with loads."""
    database = make_db.golden_small()
    process = database.processes[0]
    process.records["PAIR"].clear()
    process.stores(14, 90, 10)
    process.pair(14, 13, (make_db.STORE, make_db.LOAD), count=100)
    process.pair(12, 14, (make_db.STORE, make_db.STORE), flags=make_db.SAME_VALUE, count=40)
    process.pair(12, 14, (make_db.STORE, make_db.STORE), count=10)
    path = tmp_path / "out.db"
    database.write(path)
    share = line_at(report_json(path), 5)["redundant_stores"]
    assert (share["pairs"], share["fraction"]) == (100, pytest.approx(0.9))
    assert (share["across"]["pairs"], share["across"]["fraction"]) == (50, pytest.approx(0.8))


def test_a_share_counts_each_sampled_access_once(tmp_path):
    """A watch that goes on after its call gives a second pair: of calls it tells, of the sampled accesses not."""
    database = make_db.golden_small()
    process = database.processes[0]
    process.records["PAIR"].clear()
    process.pair(13, 13, (make_db.LOAD, make_db.LOAD), make_db.WITHIN, flags=make_db.SAME_VALUE, count=90)
    process.pair(13, 13, (make_db.LOAD, make_db.LOAD), make_db.ACROSS, count=90, continued=True)
    process.pair(13, 13, (make_db.LOAD, make_db.LOAD), make_db.ACROSS, count=10)
    path = tmp_path / "out.db"
    database.write(path)
    share = report_json(path)["totals"]["redundant_loads"]
    assert (share["pairs"], share["fraction"]) == (100, 0.9)
    assert (share["across"]["pairs"], share["across"]["fraction"]) == (100, 0)


def test_undecided_stores_widen_the_interval_and_many_leave_no_share(tmp_path):
    for undecided, known in ((0, True), (50, True), (101, False)):
        database = make_db.golden_small()
        process = database.processes[0]
        process.records["PAIR"].clear()
        process.pair(12, 13, (make_db.STORE, make_db.LOAD), make_db.WITHIN, count=100)
        process.pair(12, 14, (make_db.STORE, make_db.STORE), flags=make_db.UNPROVED, count=undecided)
        path = tmp_path / "out.db"
        database.write(path)
        dead = line_at(report_json(path), 4)["dead_stores"]
        assert (dead["fraction"] is not None) == known
        if known:
            assert dead["fraction"] == 0 and dead["ci95"][0] == pytest.approx(0, abs=1e-9)
            assert dead["ci95"][1] == pytest.approx((0.037 * 100 + undecided) / (100 + undecided), abs=0.01)


def test_loads_of_unseen_values_widen_the_interval_between_calls(tmp_path):
    for unseen, known in ((0, True), (50, True), (101, False)):
        database = make_db.golden_small()
        process = database.processes[0]
        process.records["PAIR"].clear()
        process.pair(13, 13, (make_db.LOAD, make_db.LOAD), make_db.WITHIN, count=100)
        process.pair(13, 13, (make_db.LOAD, make_db.LOAD), make_db.ACROSS, flags=make_db.SAME_VALUE, count=100, continued=True)
        process.pair(13, 13, (make_db.LOAD, make_db.LOAD), make_db.ACROSS, flags=make_db.SLEPT | make_db.UNSEEN, count=unseen, continued=True)
        path = tmp_path / "out.db"
        database.write(path)
        loads = report_json(path)["totals"]["redundant_loads"]
        assert (loads["pairs"], loads["fraction"], loads["across"]["pairs"]) == (100, 0, 100)
        assert (loads["across"]["fraction"] is not None) == known
        if known:
            assert loads["across"]["fraction"] == 1 and loads["across"]["ci95"][1] == pytest.approx(1)
            assert loads["across"]["ci95"][0] == pytest.approx(0.963 * 100 / (100 + unseen), abs=0.01)


def test_a_watch_that_slept_says_nothing_of_dead_stores_unless_a_load_was_seen(tmp_path):
    for flags, expected in ((make_db.SLEPT, (100, 50)), (make_db.SLEPT | make_db.USED, (150, 0)), (make_db.USED, (150, 0))):
        database = make_db.golden_small()
        process = database.processes[0]
        process.pair(12, 14, (make_db.STORE, make_db.STORE), flags=flags, count=50)
        path = tmp_path / "out.db"
        database.write(path)
        dead = line_at(report_json(path), 4)["dead_stores"]
        assert (dead["pairs"], dead["unproved"]) == expected
        assert dead["fraction"] == pytest.approx(97 / dead["pairs"])


def test_waste_needs_pairs_between_calls(tmp_path):
    path = tmp_path / "out.db"
    for scope, relation, wasteful in ((make_db.ACROSS, 1, True), (make_db.WITHIN, 1, False), (make_db.ACROSS, 2, False)):
        database = make_db.golden_small()
        process = database.processes[0]
        process.records["PAIR"].clear()
        process.stores(14, 50, 0)
        process.pair(12, 14, (make_db.STORE, make_db.STORE), scope, relation, flags=make_db.SAME_VALUE | make_db.SLEPT, count=50)
        database.write(path)
        line = line_at(report_json(path), 5)
        assert line["redundant_stores"]["fraction"] == 1
        assert (line["waste_s"] > 0) == wasteful


@pytest.mark.parametrize("count, wasteful", [(1, False), (3, False), (4, True)])
def test_a_pair_or_two_say_nothing_of_where_values_come_from(tmp_path, count, wasteful):
    """Of fifty stores of what was there: whether that could be spared only those tell that came upon another call's."""
    database = make_db.golden_small()
    process = database.processes[0]
    process.records["PAIR"].clear()
    process.stores(14, 50, 0)
    process.pair(12, 14, (make_db.STORE, make_db.STORE), make_db.ACROSS, 1, flags=make_db.SAME_VALUE | make_db.SLEPT, count=count)
    path = tmp_path / "out.db"
    database.write(path)
    assert (line_at(report_json(path), 5)["waste_s"] > 0) == wasteful


def test_zeros_over_zeros_are_no_waste(tmp_path):
    """One-hot rows, rectified values: most of the buffer is zero again when all of it is new. What nobody reads is waste, zero or not."""
    path = tmp_path / "out.db"
    for flags, accesses, wasteful in ((make_db.SAME_VALUE | make_db.USED, 5, True), (make_db.SAME_VALUE | make_db.USED | make_db.ZERO, 5, False),
                                      (make_db.ZERO, 4, True)):
        database = make_db.golden_small()
        process = database.processes[0]
        process.records["PAIR"].clear()
        process.stores(14, 50, 0)
        process.pair(12, 14, (make_db.STORE, make_db.STORE), make_db.ACROSS, 1, flags=flags, count=50)
        database.write(path)
        assert (line_at(report_json(path), accesses)["waste_s"] > 0) == wasteful


def redundant_loads_of_a_fast_line(tmp_path, slow):
    """A line that loads one array that stays (redundant) and one that another, slow line has loaded; `slow`: times as slow."""
    database = make_db.golden_small()
    process = database.processes[0]
    process.records["PAIR"].clear()
    process.pair(10, 10, flags=make_db.SAME_VALUE, count=500)
    process.pair(10, 12, count=500)
    process.pair(12, 10, count=500 * slow)
    path = tmp_path / "out.db"
    database.write(path)
    return line_at(report_json(path), 9)["redundant_loads"]


def test_a_slow_line_elsewhere_does_not_count_for_more(tmp_path):
    """Each load that ends a pair begins another: however often the clock found the slow line, half of these loads are redundant."""
    for slow in (1, 8):
        share = redundant_loads_of_a_fast_line(tmp_path, slow)
        assert share["pairs"] == 500 + 500 * slow
        assert share["fraction"] == pytest.approx(0.5, abs=0.01)
        assert share["ci95"][0] > 0.44 and share["ci95"][1] < 0.56


def test_places_that_nothing_links_count_as_sampled(tmp_path):
    database = make_db.golden_small()
    process = database.processes[0]
    process.records["PAIR"].clear()
    process.pair(10, 10, flags=make_db.SAME_VALUE, count=300)
    process.pair(12, 12, count=100)
    path = tmp_path / "out.db"
    database.write(path)
    assert report_json(path)["totals"]["redundant_loads"]["fraction"] == pytest.approx(0.75)


def test_a_handful_of_pairs_is_not_weighed_by_what_it_lacks(tmp_path):
    """Three loads of a line that no sample has met as second accesses: chance, not a line that hardly loads."""
    database = make_db.golden_small()
    process = database.processes[0]
    process.records["PAIR"].clear()
    process.pair(10, 12, flags=make_db.SAME_VALUE, count=3)
    process.pair(12, 12, count=9)
    path = tmp_path / "out.db"
    database.write(path)
    assert 0.08 < report_json(path)["totals"]["redundant_loads"]["fraction"] < 0.25


def totals_of(tmp_path, fill):
    database = make_db.golden_small()
    process = database.processes[0]
    process.records["PAIR"].clear()
    fill(process)
    path = tmp_path / "out.db"
    database.write(path)
    return report_json(path)["totals"]


@pytest.mark.parametrize("slow", [1, 8])
def test_a_slow_store_elsewhere_does_not_count_for_more(tmp_path, slow):
    """Filled in one line and, by a slow one, scattered into: half of what the fill meets is its own value, however long scattering takes."""
    def fill(process):
        process.pair(12, 12, (make_db.STORE, make_db.STORE), flags=make_db.SAME_VALUE, count=500)
        process.pair(12, 14, (make_db.STORE, make_db.STORE), count=500)
        process.pair(14, 12, (make_db.STORE, make_db.STORE), count=500 * slow)
    across = totals_of(tmp_path, fill)["redundant_stores"]["across"]
    assert across["fraction"] == pytest.approx(1 / 3, abs=0.01)


def cycle(process, slow, linked):
    """Stored, stored again, slowly, loaded: and so on. Half of the stores are dead."""
    process.pair(12, 14, (make_db.STORE, make_db.STORE), count=500)
    process.pair(14, 10, (make_db.STORE, make_db.LOAD), count=500 * slow)
    process.pair(10, 10, (make_db.LOAD, make_db.LOAD), flags=make_db.STORED, count=500)
    if linked:
        process.pair(10, 12, (make_db.LOAD, make_db.STORE), count=500)


@pytest.mark.parametrize("slow", [1, 8])
def test_stores_behind_loads_are_weighed_by_what_follows_what(tmp_path, slow):
    totals = totals_of(tmp_path, lambda process: cycle(process, slow, linked=True))
    assert totals["dead_stores"]["fraction"] == pytest.approx(0.5, abs=0.01)
    assert totals["redundant_loads"]["pairs"] == totals["redundant_loads"]["across"]["pairs"] == 500


def test_stores_count_as_sampled_where_nothing_tells_what_follows_a_load(tmp_path):
    totals = totals_of(tmp_path, lambda process: cycle(process, 8, linked=False))
    assert totals["dead_stores"]["fraction"] == pytest.approx(1 / 9)


@pytest.mark.parametrize("slow", [1, 8])
def test_instructions_beside_one_another_are_equally_slow(tmp_path, slow):
    """One loop loads two arrays: of one a slow line elsewhere makes more samples, and by that nothing for the other."""
    def fill(process):
        beside = process.node(make_db.NODE.unpack(process.records["NODE"][9])[1], make_db.NATIVE, 0x7f0000000204)
        process.pair(10, 10, flags=make_db.SAME_VALUE, count=500)
        process.pair(beside, 12, count=500)
        process.pair(12, beside, count=500 * slow)
    assert totals_of(tmp_path, fill)["redundant_loads"]["fraction"] == pytest.approx(1 / 3, abs=0.02)


def test_few_wasted_pairs_that_stand_for_many_widen_the_interval(tmp_path):
    """Half of the share rests on nine pairs of a hundred: its odds vary by sqrt(1/9 + 1/91), of as many equal ones by 2 / sqrt(100)."""
    def fill(process):
        process.pair(10, 10, flags=make_db.SAME_VALUE, count=9, scale=910)
        process.pair(10, 10, count=91, scale=90)
    share = totals_of(tmp_path, fill)["redundant_loads"]
    width = share["ci95"][1] - share["ci95"][0]
    assert share["fraction"] == pytest.approx(0.5) and width == pytest.approx(2 * 1.96 * 0.5 * 0.5 * (1 / 9 + 1 / 91) ** 0.5, rel=0.1)
