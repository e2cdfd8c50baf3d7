"""The symbol table is true: the names exist and have the shapes it states."""

import numpy as np
import pytest

from tests.problems import rotated
from verify.network import Network
from verify.notation import SYMBOLS

PROBLEM = rotated()
OWNERS = {
    "Dataset": PROBLEM.dataset,
    "Initialisation": PROBLEM.initialisation,
    "Problem": PROBLEM,
    "Network": Network(PROBLEM.initialisation.signs, PROBLEM.initialisation.directions),
}
SIZES = {"n": PROBLEM.dataset.n, "d": PROBLEM.dataset.d, "m": PROBLEM.initialisation.m}


@pytest.mark.parametrize("symbol", [s for s in SYMBOLS if s.code.split(".")[0] in OWNERS], ids=lambda s: s.code)
def test_every_symbol_has_its_shape(symbol):
    owner, attribute = symbol.code.split(".")
    value = getattr(OWNERS[owner], attribute)
    assert np.shape(value) == tuple(SIZES[size] for size in symbol.shape)


def test_symbols_and_code_names_are_unique():
    assert len({s.paper for s in SYMBOLS}) == len({s.code for s in SYMBOLS}) == len(SYMBOLS)
