"""The page as a reader uses it: filters, sorting, plots, trajectories; in Chromium, skipped where there is none."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.report.page import study
from tests.report.page.browser import document, needs_chromium
from tests.report.page.study import rows

pytestmark = needs_chromium
VISIBLE = "[...document.querySelectorAll('#index tbody tr:not([hidden])')].map((row) => row.dataset.claim)"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(study.page(), encoding="utf-8")
    return path


def answers(page: Path, address: str = "", width: int = 1200, **questions: str) -> dict[str, Any]:
    """What JavaScript expressions are worth, one after the other, once the page has started."""
    steps = "".join(f"out.{name} = (() => {{ return {code}; }})();" for name, code in questions.items())
    script = (
        f"setTimeout(() => {{ const out = {{}}; {steps} const place = document.createElement('pre');"
        "place.id = 'answers'; place.textContent = JSON.stringify(out); document.body.append(place); }, 300);"
    )
    found = re.search(r'<pre id="answers">(.*?)</pre>', document(page, address, script, width), re.DOTALL)
    assert found is not None
    return json.loads(found[1].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))  # type: ignore[no-any-return]


def set_field(name: str, value: str) -> str:
    event = "new Event('input', { bubbles: true })"
    return f"(document.forms.filters.elements.{name}.value = '{value}', document.forms.filters.dispatchEvent({event}))"


def test_the_form_filters_claims_and_problems(page: Path) -> None:
    table = rows()
    two = table[(table["n"] == 2) & (table["claim"] == "L5.PL")]
    found = answers(
        page,
        all=f"{VISIBLE}.length",
        searched=f"{set_field('q', 'l3')}, {VISIBLE}",
        untested=f"{set_field('q', '')}, {set_field('show', 'untested')}, {VISIBLE}",
        alarm="document.querySelector('tr[data-claim=\"X.never\"]').className",
        held=f"{set_field('show', '')}, {set_field('n', '2')}, "
        "Number(document.querySelector('tr[data-claim=\"L5.PL\"]').cells[2].textContent)",
        smallest="document.querySelector('tr[data-claim=\"L5.PL\"]').cells[6].textContent",
        status="document.getElementById('status').textContent",
        kept="location.hash",
        back=f"{set_field('n', '')}, Number(document.querySelector('tr[data-claim=\"L5.PL\"]').cells[2].textContent)",
    )
    assert found["all"] == 12
    assert found["searched"] == ["L3.time", "L3.exit", "L3.align"]
    assert (found["untested"], found["alarm"]) == (["X.never"], "untested")
    assert found["held"] == int((two["verdict"] == "HOLDS").sum())
    assert f"{len(two)} of 40 problems" in found["status"]
    assert re.fullmatch(r"\S+ relative", found["smallest"])
    assert found["kept"] == "#n=2"
    assert found["back"] == int(((table["claim"] == "L5.PL") & (table["verdict"] == "HOLDS")).sum())


def test_columns_sort_both_ways_and_say_so(page: Path) -> None:
    press = "document.querySelector('th[data-sort=failed] button').click()"
    state = "document.querySelector('th[data-sort=failed]').getAttribute('aria-sort')"
    failed = "[...document.querySelectorAll('#index tbody tr')].map((row) => Number(row.cells[3].textContent))"
    found = answers(
        page,
        first=f"{press}, {state}",
        down=failed,
        second=f"{press}, {state}",
        up=failed,
        third=f"{press}, {state}",
        order=VISIBLE,
    )
    assert (found["first"], found["second"], found["third"]) == ("descending", "ascending", None)
    assert found["down"] == sorted(found["down"], reverse=True) and found["up"] == sorted(found["up"])
    assert found["order"][0] == "L1.conserved"


def test_a_view_is_in_the_address(page: Path) -> None:
    address = "#show=failed&sort=margin&order=ascending&open=L3.time"
    found = answers(page, address, shown=VISIBLE, open="document.querySelector('details[open]').id")
    table = rows()
    failed = set(table.loc[table["verdict"] == "FAILS", "claim"])
    assert set(found["shown"]) == failed and found["open"] == "claim-L3.time"


def test_a_claim_opens_with_plots_and_leads_to_a_trajectory(page: Path) -> None:
    [key, *_] = study.drawn()
    found = answers(
        page,
        "#open=L2.align%2B",
        plots="document.querySelectorAll('details[open] .plots svg').length",
        points="document.querySelector('details[open] path.points').getAttribute('d').split('M').length - 1",
        button=f"document.querySelector('button.trajectory[data-problem=\"{key}\"]').click(), "
        "document.getElementById('trajectory').open",
        panels="document.querySelectorAll('#trajectory svg').length",
        curves="document.querySelectorAll('#trajectory path.curve').length",
        said="document.querySelector('#trajectory .note').textContent",
        logarithmic="document.getElementById('log-time').click(), "
        "document.querySelectorAll('#trajectory path.curve').length",
    )
    table = rows()
    measured = table[(table["claim"] == "L2.align+") & (table["verdict"] != "VACUOUS")]
    held = int((measured["verdict"] == "HOLDS").sum())
    assert (found["plots"], found["points"]) == (3, held)
    assert (found["button"], found["panels"], found["curves"], found["logarithmic"]) == (True, 3, 6, 6)
    assert f"verify replay {key} --store somewhere" in found["said"]


def test_margins_on_two_scales_share_neither_a_median_nor_a_plot(page: Path) -> None:
    row, table = "document.querySelector('tr[data-claim=\"L2.norm\"]')", rows()
    own = table[(table["claim"] == "L2.norm") & (table["verdict"] != "VACUOUS")]
    [one] = [size for size in (2, 3, 4) if own.loc[own["n"] == size, "scale"].nunique() == 2][:1]
    found = answers(
        page,
        "#open=L2.norm",
        whole=f"{row}.cells[7].textContent",
        titles="[...document.querySelectorAll('details[open] figcaption')].map((title) => title.textContent)",
        bars="[...document.querySelectorAll('details[open] .plots svg[aria-label^=Distribution]')]"
        ".map((plot) => plot.getAttribute('aria-label'))",
        filtered=f"{set_field('n', str(one))}, {row}.cells[7].textContent",
        all=set_field("n", ""),
        last=f"document.querySelector('th[data-sort=median] button').click(), {VISIBLE}.slice(-2)",
    )
    assert found["whole"] == found["filtered"] == "two scales"
    counts = sorted(own["scale"].value_counts())
    assert sorted(int(text.split()[2]) for text in found["bars"]) == counts
    assert [title.split()[0] for title in found["titles"]] == ["Margins", "Margin", "Margins", "Margin", "Exponent"]
    assert sorted(found["last"]) == ["L2.norm", "X.never"]


def test_light_and_dark_and_nothing_wider_than_a_phone(page: Path) -> None:
    found = answers(
        page,
        width=500,
        before="document.documentElement.dataset.theme",
        after="document.getElementById('theme').click(), document.documentElement.dataset.theme",
        tag="getComputedStyle(document.querySelector('#index th[data-sort=tag]')).display",
        everything="document.getElementById('open-all').click(), 0",
        spill="document.documentElement.scrollWidth - document.documentElement.clientWidth",
    )
    assert {found["before"], found["after"]} == {"light", "dark"}
    assert (found["tag"], found["spill"]) == ("none", 0)
