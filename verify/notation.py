"""The paper's symbols, the names they have in code, and their shapes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
ObjectArray = npt.NDArray[np.object_]


@dataclass(frozen=True)
class Symbol:
    """One symbol of the paper: its code name, its shape in terms of n, d, m, and what it stands for."""

    paper: str
    code: str
    shape: tuple[str, ...]
    meaning: str


SYMBOLS: tuple[Symbol, ...] = (
    Symbol("x_k", "Dataset.x", ("n", "d"), "inputs, orthonormal rows"),
    Symbol("y_k", "Dataset.y", ("n",), "labels, none zero"),
    Symbol("D₊", "Dataset.d_plus", ("d",), "target of the positive neurons, mean of y_k x_k over y_k > 0"),
    Symbol("D₋", "Dataset.d_minus", ("d",), "target of the negative neurons, mean of y_k x_k over y_k < 0"),
    Symbol("‖D₊‖", "Dataset.norm_plus", (), "growth rate of the neurons aligned with D₊"),
    Symbol("‖D₋‖", "Dataset.norm_minus", (), "growth rate of the neurons aligned with -D₋"),
    Symbol("r", "Dataset.ratio", (), "‖D₊‖/‖D₋‖, above 1 once oriented"),
    Symbol("α", "Dataset.alpha_plus", (), "min over y_k > 0 of y_k²/(2n²‖D₊‖²)"),
    Symbol("α₋", "Dataset.alpha_minus", (), "min over y_k < 0 of y_k²/(2n²‖D₋‖²)"),
    Symbol("g_j", "Initialisation.directions", ("m", "d"), "directions: w_j(0) = λ g_j"),
    Symbol("s_j", "Initialisation.signs", ("m",), "signs of the output weights, ±1"),
    Symbol("Λ", "Initialisation.minus_log_lambda", (), "-ln λ, with λ the scale of the initialisation"),
    Symbol("c", "Initialisation.c", (), "largest ‖g_j‖"),
    Symbol("c̲", "Initialisation.c_low", (), "smallest ‖g_j‖"),
    Symbol("ε", "Problem.epsilon", (), "the exponent of the lemmas"),
    Symbol("κ", "Problem.kappa", (), "εΛ, so that λ^ε = exp(-κ)"),
    Symbol("S₊₁", "Problem.key_plus", ("m",), "positive neurons active on every positive label at t = 0"),
    Symbol("S₋₁", "Problem.key_minus", ("m",), "negative neurons active on every negative label at t = 0"),
    Symbol("⟨g_j,x_k⟩", "Problem.projections", ("m", "n"), "coordinates of the directions on the inputs"),
    Symbol("a_j", "Network.a", ("m",), "output weights"),
    Symbol("w_j", "Network.w", ("m", "d"), "hidden weights, one row a neuron"),
    Symbol("ln|a_j|", "State.log_norms", ("m",), "logarithms of the neurons' norms"),
    Symbol("p_jk/|a_j|", "State.directions", ("m", "n"), "p_jk = ⟨w_j,x_k⟩ in units of the neuron's norm"),
    Symbol("r_k", "State.residual", ("n",), "y_k - h(x_k)"),
)
