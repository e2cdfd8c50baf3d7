"""The smallest margin of a claim inside its hypotheses: drawn by Hypothesis, minimised by CMA-ES, then simplified."""

from verify.search.budget import Budget
from verify.search.found import Found
from verify.search.run import search
from verify.search.scales import Scale
from verify.search.space import Space

__all__ = ["Budget", "Found", "Scale", "Space", "search"]
