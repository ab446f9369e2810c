"""Runs a program under torch.profiler, with stacks and memory; the last line of stderr is how many events it recorded.

Usage: torch_profiled.py PROGRAM [ARGUMENT...]
"""
import runpy
import sys

import torch


def main():
    sys.argv = sys.argv[1:]
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], with_stack=True, profile_memory=True) as profiler:
        runpy.run_path(sys.argv[0], run_name="__main__")
    print(len(profiler.profiler.kineto_results.events()), "events", file=sys.stderr)


if __name__ == "__main__":
    main()
