"""What is expected to be found, as expected.txt has it, and how it is compared with what was found."""

from typing import NamedTuple

from profiled import Finding

# A finding of which enough is known in each run may have a share above --min-waste in one and below in the next ("near").
STATES = ("told", "near", "may", "false")
REPORTS = ("plain", "own", "both")


class Expected(NamedTuple):
    options: tuple  # for the report that counts the package as the user's own
    states: dict  # by (report, finding)


class Verdict(NamedTuple):
    """Findings by what is to be said of them."""

    lost: list
    new: list
    false: list
    told: list
    near: list
    may: list
    beside: list  # below --min-waste, and not expected


def read(path):
    """{driver: Expected}. A driver's line is `DRIVER [--own GLOB]`; its findings' are below it, moved in."""
    expected = {}
    states = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if words and not line[0].isspace():
            states = {}
            expected[words[0]] = Expected(tuple(words[1:]), states)
        elif words:
            state, reports, place, kind, *category = words
            if states is None or state not in STATES or reports not in REPORTS or not category:
                raise SystemExit(f"{path}:{number}: not `STATE REPORT FILE:LINE KIND CATEGORY` below a driver")
            for report in ("plain", "own") if reports == "both" else (reports,):
                states[report, Finding(place, kind, " ".join(category))] = state
    return expected


def judge(expected, report, found):
    """Compares the findings of one report, "plain" or "own"."""
    wanted = {finding: state for (where, finding), state in expected.states.items() if where == report}

    def listed(state):
        return [finding for finding in found.listed if wanted.get(finding, "new") == state]

    def missing(state, among):
        return [finding for finding, one in wanted.items() if one == state and finding not in among]

    near = [finding for finding in found.all if wanted.get(finding) == "near"]
    lost = missing("told", found.listed) + missing("near", found.all)
    beside = [finding for finding in found.all if finding not in wanted and finding not in found.listed]
    return Verdict(lost, listed("new"), listed("false"), listed("told"), near, listed("may"), beside)
