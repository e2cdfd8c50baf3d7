"""Checks the theorems on gradient flow of one-hidden-layer ReLU networks, instance by instance."""
