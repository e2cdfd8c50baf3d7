"""The families as public Hypothesis strategies: assumptions by construction, simple shrinks."""

from verify.strategies.data import datasets, labels, orthonormal_inputs
from verify.strategies.problems import initialisations, networks, problems
from verify.strategies.sampling import sample

__all__ = ["datasets", "initialisations", "labels", "networks", "orthonormal_inputs", "problems", "sample"]
