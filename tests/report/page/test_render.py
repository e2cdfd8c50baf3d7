"""The page as a file: whole, self-contained, well-formed, escaped, small."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from tests.report.page import study
from tests.report.page.study import rows
from verify.report.page.render import render_page

VOID = {"meta", "link", "input", "br", "hr"}


class Outline(HTMLParser):
    """Checks that tags nest; collects tags and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page() -> str:
    return study.page()


def test_tags_nest_and_ids_are_unique(page: str) -> None:
    outline = Outline()
    outline.feed(page)
    assert outline.open == []
    ids = [attributes["id"] for _, attributes in outline.seen if "id" in attributes]
    assert len(ids) == len(set(ids))
    heads = [attributes for tag, attributes in outline.seen if tag == "th"]
    assert heads and all(attributes.get("scope") in ("col", "row") for attributes in heads)


def test_certified_verdicts_are_counted_where_there_are_any(page: str) -> None:
    assert "certified" not in re.sub(r"<style>.*?</style>|<script.*?</script>", "", page, flags=re.S)
    table = rows()
    table.loc[table["claim"] == "L1.sign", "reason"] = "certified; at the ends of all pieces"
    made = render_page(study.content(table), {})
    assert '<li class="certified"><b>40</b> certified</li>' in made
    assert made.count("of the verdicts certified") == 1 and "40 of the verdicts certified" in made


def test_nothing_is_fetched(page: str) -> None:
    addresses = re.findall(r"(?:src|href|url|action)\s*[=(]\s*[\"']?([^\"')\s>]+)", page)
    assert addresses and all(address.startswith(("#", "data:")) for address in addresses)
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "") and "https:" not in page


def test_text_is_escaped(page: str) -> None:
    hostile = "</script><script>alert(1)</script>"
    table = rows().assign(reason=hostile, labels=hostile)
    shown = render_page(study.content(table, title=hostile, provenance={"version": hostile}), {})
    assert "<script>alert" not in shown
    assert "A made-up campaign &amp; more" in page and "&lt;L3.time&gt;" in page


def test_the_data_are_json(page: str) -> None:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    assert len(data["claims"]) == 12 and len(data["curves"]) == 5 and data["problems"]["shown"] == 40


def test_a_claim_that_was_never_tested_is_an_alarm(page: str) -> None:
    assert re.search(r'data-claim="X.never"[^>]*\n?\s*class="untested"', page)
    assert "Vacuous in every case" in page


def test_a_page_without_curves_or_failures_renders() -> None:
    table = rows(3)
    shown = render_page(study.content(table[table["claim"] == "L1.conserved"], sample={}), {})
    assert "3 problems, 1 claim, 3 cases" in shown
