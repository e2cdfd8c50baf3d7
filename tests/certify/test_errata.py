"""The suspected errata of the text on one small problem, certified: nobody can blame rounding."""

from __future__ import annotations

from pathlib import Path

from verify import Problem, certify

PROBLEM = Path(__file__).resolve().parents[2] / "examples" / "errata.json"


def test_printed_readings_fail_and_corrected_ones_hold() -> None:
    """Coordinates that start negative are not 0; α lacks 1/n²; the distance at t₃ is λ^(ε/29)/sqrt(2n‖D₋‖)."""
    readings = ["L7.dead", "L10.rate", "L4.close"]
    corrected = [f"{name}.corrected" for name in readings]
    rows = certify(Problem.from_json(PROBLEM), readings + corrected).frame().set_index("claim")
    assert rows.loc[readings, "verdict"].tolist() == ["FAILS (certified)"] * 3
    assert rows.loc[corrected, "verdict"].tolist() == ["HOLDS (certified)"] * 3
    assert rows.loc["L10.rate", "high"] < -0.49 and rows.loc["L10.rate.corrected", "low"] > 0.04
