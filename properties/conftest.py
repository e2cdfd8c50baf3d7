"""Hypothesis profiles: dev 20, ci 200, thorough 2000 examples, chosen by VERIFY_PROFILE."""

import os

from hypothesis import settings

EXAMPLES = {"dev": 20, "ci": 200, "thorough": 2000}

for name, count in EXAMPLES.items():
    # The parent is named because Hypothesis itself starts from a derandomized profile when CI is set.
    parent = settings.get_profile("default")
    settings.register_profile(name, parent, max_examples=count, deadline=None, print_blob=True)

environment = os.environ.get("VERIFY_PROFILE") or os.environ.get("HYPOTHESIS_PROFILE")
settings.load_profile(environment or ("ci" if os.environ.get("CI") else "dev"))
