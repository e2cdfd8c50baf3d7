"""Certified verdicts: they agree with measured ones, enclose them, and decide nothing that is open."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from tests.certify.sound import random_problem
from tests.problems import reference
from verify import Dataset, Initialisation, Problem, check
from verify.certify import claims, verdicts
from verify.certify.balls import ball, library, precision
from verify.certify.margin import CertifiedMargin, open_question, power, smaller
from verify.certify.search import Timeline, Window
from verify.certify.trajectory import trajectory_of
from verify.certify.verdicts import COLUMNS, Certification, certify
from verify.claim import Claim, Margin, Verdict
from verify.claims import CLAIMS
from verify.errors import InvalidArgument, PrecisionExhausted, UnknownClaim
from verify.limits import selected_sizes

NEEDED = (
    *("L1.conserved", "L1.sign", "L6.frozen", "L2.align+", "L2.align-", "L2.norm", "L7.norm", "L7.align"),
    *("L7.dead.corrected", "L8.norm", "L8.align", "L8.dead.corrected", "L9.lower+", "L9.lower-", "L3.time", "L3.exit"),
    *("L3.align", "L3.idle", "L4.time", "L4.exit", "L12.rate", "A1.interpolator"),
)
OWN_MARGINS = {"T1.loss", "L5.PL", "L12.rate", "L10.rate", "L10.rate.corrected", "L10.logistic"}
"""Certified by another margin than the measured one."""

FAMILIES = {"C1.exponent", "T1.bias"}
"""They certify several trajectories: tests/certify/claims/test_families.py."""


@pytest.fixture(scope="module")
def r3() -> Certification:
    return certify(reference("R3")[0], [name for name in claims.MEASURES if name not in FAMILIES])


def test_the_claims_of_the_phases_are_certified(r3: Certification) -> None:
    verdict = {outcome.claim.id: outcome.verdict for outcome in r3.outcomes}
    assert {name: verdict[name] for name in NEEDED} == dict.fromkeys(NEEDED, Verdict.HOLDS)
    assert verdict["L7.dead"] == verdict["L8.dead"] == Verdict.FAILS


def test_margins_enclose_the_measured_ones(r3: Certification) -> None:
    rows = r3.frame()
    rows = rows[~rows.claim.isin(OWN_MARGINS)]
    measured = check(reference("R3")[0], rows.claim.tolist(), digits=None)
    for box, row in zip(rows.itertuples(), measured.itertuples(), strict=True):
        assert box.verdict.split()[0] == row.verdict, box.claim
        assert box.low - row.uncertainty <= row.margin <= box.high + row.uncertainty, box.claim
        assert box.high - box.low < 1e-4 * max(1, abs(box.low)) or box.high == math.inf, box.claim


def test_the_frame_has_its_columns_and_says_what_is_certified(r3: Certification) -> None:
    frame = r3.frame()
    assert tuple(frame.columns) == COLUMNS
    assert set(frame.verdict) == {"HOLDS (certified)", "FAILS (certified)"}
    assert set(frame.claim[frame.verdict == "FAILS (certified)"]) == {"L7.dead", "L8.dead", "L5.PL"}


def test_phases_that_end_at_once_and_bounds_that_fail_are_certified_too() -> None:
    """R1 is far outside the regime: κ is 0.6."""
    rows = certify(reference("R1")[0], ["L4.time", "L12.rate", "L4.close", "L3.align", "L3.time"]).frame()
    assert [v.split()[0] for v in rows.verdict] == ["FAILS", "FAILS", "FAILS", "VACUOUS", "HOLDS"]
    assert "t₃ = t₂" in rows.reason[0]
    measured = check(reference("R1")[0], ["L4.time"], digits=None)
    assert rows.low[0] == pytest.approx(measured.margin[0], rel=1e-12) == rows.high[0]


def test_every_claim_of_a_problem_outside_the_regime_is_decided_or_vacuous() -> None:
    rows = certify(reference("R1")[0], [name for name in claims.MEASURES if name not in FAMILIES]).frame()
    assert set(rows.verdict) == {"HOLDS (certified)", "FAILS (certified)", "VACUOUS"}
    assert all(rows.reason[rows.verdict == "VACUOUS"])


def test_the_first_claim_pays_for_the_trajectory(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock that only the trajectory moves."""
    clock, right = [0.0], trajectory_of

    def slow(*arguments: Any) -> Any:
        clock[0] += 100.0
        return right(*arguments)

    monkeypatch.setattr("verify.certify.evidence.trajectory_of", slow)
    monkeypatch.setattr("verify.certify.verdicts.time.perf_counter", lambda: clock[0])
    rows = certify(reference("R1")[0], ["L7.norm", "L8.norm"]).frame()
    assert rows.seconds.tolist() == [100.0, 0.0]


def test_labels_are_flipped_where_the_proofs_need_it() -> None:
    start = Initialisation([[1.0, -0.5], [-0.25, 1.0]], [1, -1], minus_log_lambda=300)
    [row] = certify(Problem(Dataset.standard([0.5, -1]), start), ["L3.time"]).frame().itertuples()
    assert row.verdict == "HOLDS (certified)" and row.reason.startswith("labels and signs flipped")


def test_a_label_nobody_fits_refutes_convergence() -> None:
    start = Initialisation([[1.0, 0.5, -0.5], [-1.0, 0.25, 1.0], [0.5, -0.25, 1.5]], [1, -1, -1], 20)
    problem = Problem(Dataset.standard(["1", "0.5", "-0.75"]), start)
    [row] = certify(problem, ["T1.loss"]).frame().itertuples()
    assert row.verdict == "HOLDS (certified)"
    alone = Initialisation([[1.0, -0.5, -0.5], [-0.5, -1.0, 1.0]], [1, -1], 20)
    claim, evidence = claims.MEASURES["T1.loss"], _evidence(Problem(problem.dataset, alone))
    with precision(evidence.effort.bits):
        margin = claim(evidence)
    assert isinstance(margin, CertifiedMargin) and margin.verdict == Verdict.FAILS and margin.label == 1


def _evidence(problem: Problem) -> Any:
    from verify.certify.evidence import Evidence
    from verify.certify.follow import effort_for

    return Evidence(problem, effort_for(problem, 20))


def test_bits_that_do_not_suffice_leave_claims_open_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*arguments: Any) -> Any:
        raise PrecisionExhausted("too wide; with 9 bits: try 18")

    monkeypatch.setattr("verify.certify.evidence.trajectory_of", exhausted)
    [row] = certify(reference("R1")[0], ["L3.time"]).frame().itertuples()
    assert (row.verdict, row.low, row.high) == ("UNRESOLVED", -math.inf, math.inf)
    assert "try 18" in row.reason


def test_bits_are_taken_as_they_are() -> None:
    rows = certify(reference("R1")[0], ["L3.time", "L7.norm"], bits=90).frame()
    assert rows.bits.tolist() == [90, 90] and rows.verdict.tolist() == ["UNRESOLVED"] * 2
    assert all("with 90 bits: try 180" in reason for reason in rows.reason)


def test_claims_without_a_certified_measurement_are_named() -> None:
    mine = Claim("My.own", "nowhere", "D", "1 ≥ 0", lambda evidence: Margin(1.0, 0.0, "nats"))
    with pytest.raises(InvalidArgument, match=r"claim My\.own has no certified measurement; those"):
        certify(reference("R1")[0], [mine])
    with pytest.raises(UnknownClaim, match=r"did you mean 'L3\.time'"):
        certify(reference("R1")[0], ["L3.tim"])
    with pytest.raises(InvalidArgument, match="digits = 3 must be a whole number from 20 to 2000, or None for 15"):
        certify(reference("R1")[0], digits=3)
    with pytest.raises(InvalidArgument, match="bits = 3 must be a whole number from 64"):
        certify(reference("R1")[0], bits=3)


def test_every_measure_is_of_a_claim() -> None:
    assert {claim.id for claim in verdicts.measurable(None)} == set(claims.MEASURES) == {claim.id for claim in CLAIMS}


def test_an_obligation_that_only_a_claim_cannot_meet_leaves_only_that_claim_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unmet(*arguments: Any) -> Any:
        raise PrecisionExhausted("whether neuron 0 loses a label under r = y is not certain")

    monkeypatch.setattr("verify.certify.claims.end.selected_sizes", unmet)
    rows = certify(reference("R1")[0], ["C1.saddle", "L3.time"]).frame()
    assert rows.verdict.tolist() == ["UNRESOLVED", "HOLDS (certified)"] and "loses a label" in rows.reason[0]


def test_the_rate_since_the_last_phase_agrees_with_the_measured_one() -> None:
    """Where the bound of the least rate decides and where t₃ itself does; here measured rates fail and hold."""
    verdicts_seen = set()
    for seed in (5, 6, 11, 16, 36):
        problem = random_problem(seed)
        [box] = certify(problem, ["L12.rate"]).frame().itertuples()
        [row] = check(problem, ["L12.rate"], digits=None).itertuples()
        verdicts_seen.add(row.verdict)
        if row.verdict != "VACUOUS":
            assert box.low - row.uncertainty <= row.margin <= box.high + row.uncertainty, seed
            assert {box.verdict.split()[0], row.verdict} not in ({"HOLDS", "FAILS"},), seed
    assert verdicts_seen >= {"HOLDS", "FAILS"}


def test_margins_decide_only_where_all_of_them_has_one_sign() -> None:
    def verdict(low: float, high: float) -> Verdict:
        return CertifiedMargin(low, high, "nats").verdict

    assert verdict(1e-300, 2) == Verdict.HOLDS and verdict(-2, -1e-300) == Verdict.FAILS
    assert verdict(-1, 1) == verdict(0.0, 0.0) == verdict(math.nan, 1) == Verdict.UNRESOLVED
    worst = smaller(CertifiedMargin(1, 5, "nats"), CertifiedMargin(-1, 9, "nats"))
    assert (worst.low, worst.high) == (-1, 5)
    assert open_question("why").verdict == Verdict.UNRESOLVED
    arb = library().arb
    assert power(arb(0.5, 0.5001), ball(0)).high == math.inf
    assert power(arb(0.5, 0.25), ball(0)).low <= math.log(1 / 0.75) <= power(arb(0.5, 0.25), ball(0)).high


def test_the_selected_interpolator_is_that_of_the_float_code(r3: Certification) -> None:
    from verify.certify.selected import selected_sizes as enclosed

    evidence = r3.evidence
    with precision(evidence.effort.bits):
        found = enclosed(evidence.problem, evidence.setting, (evidence.plus, evidence.minus))
    for box, size in zip(found, selected_sizes(evidence.problem), strict=True):
        assert abs(float(box) - size) <= 1e-13 * size and float(box.rad()) <= 1e-30


def test_extrema_are_enclosed_over_continuous_time(r3: CertifiedMargin) -> None:
    """|sin| of a made-up quantity that depends on the time alone: its largest value is inside, at an end, or cut."""

    def hump(state: Any) -> Any:
        return 1 / (1 + (state.t - 100) * (state.t - 100))

    timeline = Timeline(r3.evidence.trajectory)
    with precision(100):
        inside = timeline.largest(hump, Window(ball(50), ball(5000)))
        assert inside.low <= 1 <= inside.high and inside.high - inside.low < 1e-5
        at_end = timeline.largest(hump, Window(ball(101), ball(5000)))
        assert at_end.low <= 0.5 <= at_end.high
        blurred = timeline.largest(hump, Window(library().arb(101, 0.5), ball(5000)))
        assert blurred.low <= ball(Fraction(4, 13)) and blurred.high >= 0.8


def test_first_passages_are_enclosed_and_confirmed(r3: CertifiedMargin) -> None:
    def met(state: Any) -> int:
        level = (state.t - 100) * (state.t - 200) * -1
        return 1 if level > 0 else -1 if level < 0 else 0

    timeline = Timeline(r3.evidence.trajectory)
    with precision(100):
        t = timeline.first_passage(met, ball(3))
        assert t.contains(100) and float(t.rad()) < 1e-9
        assert timeline.confirmed(met, ball(3), t) is t
        assert timeline.confirmed(met, ball(3), t + 1) is None
        assert timeline.confirmed(met, ball(3), library().arb(150, 1)) is None
        assert timeline.first_passage(met, ball(250)) is None
        assert timeline.first_passage(met, ball(150)) == 150


def test_what_is_met_before_a_start_that_is_not_known_exactly_does_not_count(r3: Certification) -> None:
    """The condition holds from 50 to 100 and from 200 on; the start is somewhere from 90 to 120."""

    def met(state: Any) -> int:
        t = state.t
        if (t > 50 and t < 100) or t > 200:
            return 1
        return -1 if t < 50 or (t > 100 and t < 200) else 0

    timeline, start = Timeline(r3.evidence.trajectory), library().arb(105, 15)
    with precision(100):
        t = timeline.first_passage(met, start)
        assert t.lower() <= 90 and t.contains(200), "from 90 or from 110, it may come at once or at 200"
        assert timeline.confirmed(met, start, library().arb(200, 1)) is None
        late = timeline.first_passage(met, library().arb(115, 5))
        assert late.contains(200) and float(late.rad()) < 1e-9
