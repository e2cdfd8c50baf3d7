"""Named families of inputs, labels and directions, pure functions of a numpy Generator, and `draw_problem`.

To add a family, write one function with the signature of its neighbours and put it in its table.
"""

from verify.families.directions import DIRECTIONS
from verify.families.draw import draw_problem
from verify.families.inputs import INPUTS
from verify.families.labels import LABELS

__all__ = ["DIRECTIONS", "INPUTS", "LABELS", "draw_problem"]
