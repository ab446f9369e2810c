"""The programs of the overhead study: the examples, and four of the kinds that public training code is made of."""
from dataclasses import dataclass

import bench


@dataclass(frozen=True)
class Workload:
    name: str
    script: str
    full: str  # arguments: some six seconds
    quick: str  # ... and two; "": left out
    public: bool = False
    torch: bool = False

    @property
    def path(self):
        return bench.ROOT / self.script


def example(name, full, quick, torch=False):
    return [
        Workload(f"{name}/{version}", f"examples/{name}/{version}.py", full, quick if version == "fixed" else "", torch=torch)
        for version in ("wasteful", "fixed")
    ]


WORKLOADS = [
    *example("mlp_numpy", "--steps 15000", "--steps 6000"),
    *example("cnn_digits", "--epochs 25", "", torch=True),
    *example("transformer", "--steps 200", "", torch=True),
    *example("conv_loops", "--steps 1500", "--steps 1200"),
    Workload("linear algebra, NumPy", "examples/plain/subspace.py", "--steps 800", "--steps 180", public=True),
    Workload("CNN, PyTorch", "examples/plain/cnn.py", "--epochs 10", "--epochs 2", public=True, torch=True),
    Workload("transformer, PyTorch", "examples/plain/transformer.py", "--steps 150", "--steps 25", public=True, torch=True),
    Workload("pipeline, scikit-learn", "tests/bench/pipeline.py", "--rounds 40", "--rounds 6", public=True),
]
