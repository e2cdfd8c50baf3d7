"""Examples in docstrings are shown as code: Markdown would take the >>> of a doctest for quotations."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!\s*$).*\n?)*)", re.MULTILINE)


def fenced(text: str) -> str:
    """Every doctest of a docstring, with its answer, in a fence of its own."""
    return EXAMPLE.sub(lambda match: f"```pycon\n{match[0].rstrip()}\n```\n", text)


class Fences(griffe.Extension):
    """Applied to each object before it is shown."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite its docstring."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
