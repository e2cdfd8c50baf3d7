"""Certified verdicts: the flow and its claims in ball arithmetic, where every number is an interval that holds the true one."""
