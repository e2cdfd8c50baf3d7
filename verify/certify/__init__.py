"""Certified verdicts: the flow and its claims in balls, intervals that are certain to hold the true numbers."""
