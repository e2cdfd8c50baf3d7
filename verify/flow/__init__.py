"""The gradient flow: boosts, Taylor steps, components, and the loop that joins them."""
