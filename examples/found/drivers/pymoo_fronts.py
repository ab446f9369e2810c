"""pymoo: the front of a problem of two objectives by NSGA-II, that of one of three by NSGA-III."""

from outcome import show
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.optimize import minimize
from pymoo.problems import get_problem
from pymoo.util.ref_dirs import get_reference_directions

two = minimize(get_problem("zdt1"), NSGA2(pop_size=200), ("n_gen", 80), seed=1)
directions = get_reference_directions("das-dennis", 3, n_partitions=12)
three = minimize(get_problem("dtlz2"), NSGA3(pop_size=92, ref_dirs=directions), ("n_gen", 100), seed=1)
show(two=two.F, three=three.F)
