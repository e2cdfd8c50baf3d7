"""Beyond the lemmas: the paper's experiments, and what happens when an assumption is dropped."""
