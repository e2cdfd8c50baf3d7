"""check: the frame it returns, flipped problems, claims of one's own, and problems at the edges."""

import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.problems import decoupled, small
from verify.check import COLUMNS, check, select
from verify.claim import Claim, Margin, Vacuous
from verify.claims import CLAIMS
from verify.dataset import Dataset
from verify.errors import UnknownClaim
from verify.evidence import Evidence
from verify.families import draw_problem
from verify.initialisation import Initialisation
from verify.precision import measure
from verify.problem import Problem

FIRST_COLUMNS = ["problem", "claim", "source", "tag", "verdict", "margin", "uncertainty", "scale", "quantity_log"]
LAST_COLUMNS = ["bound_log", "exponent", "claimed_exponent", "neuron", "label", "t", "digits", "seconds", "reason"]
NUMBERS = ["margin", "uncertainty", "quantity_log", "bound_log", "exponent", "claimed_exponent", "t", "seconds"]
TEXTS = ["problem", "claim", "source", "tag", "verdict", "scale", "reason"]
TRAJECTORY = ["L1.conserved", "L1.sign", "L6.frozen", "L2.align+", "L2.align-", "L2.norm", "L3.time", "L3.exit"]
CORE = [*TRAJECTORY, "L3.align", "A1.interpolator", "L5.PL"]


def problem(y=(2.0, -1.0), g=((3.0, 4.0), (-2.0, 1.0)), s=(1, -1), minus_log_lambda=300.0, scale=None):
    return Problem(Dataset.standard(list(y)), Initialisation(g, s, minus_log_lambda, scale))


def verdicts(frame):
    return dict(zip(frame["claim"], frame["verdict"], strict=True))


@pytest.fixture(scope="module")
def frame():
    return check(small(300.0), CORE)


def test_columns_are_those_of_the_contract(frame):
    assert list(COLUMNS) == FIRST_COLUMNS + LAST_COLUMNS == list(frame.columns)


def test_one_row_a_claim_in_the_order_asked_for(frame):
    assert frame["claim"].tolist() == CORE
    for row, claim in zip(frame.itertuples(), select(CORE), strict=True):
        assert (row.source, row.tag) == (claim.source, claim.tag)


def test_all_claims_in_the_order_of_the_proof_by_default():
    everything = check(small(300.0))
    assert everything["claim"].tolist() == [claim.id for claim in CLAIMS]
    assert everything["claim"].is_unique
    assert set(CORE) <= set(everything["claim"])


def test_dtypes(frame):
    assert all(frame[name].dtype == np.float64 for name in NUMBERS)
    assert all(str(frame[name].dtype) == "Int64" for name in ("neuron", "label"))
    assert pd.api.types.is_integer_dtype(frame["digits"]) and (frame["digits"] == 16).all()
    assert all(isinstance(value, str) and type(value) is str for name in TEXTS for value in frame[name])


@pytest.mark.parametrize("claims", [[], ["A1.interpolator"], ["L5.PL", "L2.align+"]])
def test_dtypes_do_not_depend_on_the_rows(frame, claims):
    part = check(problem(y=(2.0, 1.0)), claims)
    assert part["claim"].tolist() == claims
    assert all(part[name].dtype == np.float64 for name in NUMBERS)
    assert (part["neuron"].dtype, part["label"].dtype) == (frame["neuron"].dtype, frame["label"].dtype)


def test_rows_agree_with_themselves(frame):
    assert (frame["problem"] == small(300.0).key).all()
    assert set(frame["scale"]) <= {"nats", "relative"}
    assert (frame["seconds"] >= 0).all()
    nats = frame[(frame["scale"] == "nats") & np.isfinite(frame["quantity_log"])]
    np.testing.assert_allclose(nats["margin"], nats["bound_log"] - nats["quantity_log"], rtol=1e-12)
    relative = frame[(frame["scale"] == "relative") & np.isfinite(frame["bound_log"])]
    ratio = np.exp(relative["quantity_log"] - relative["bound_log"])
    np.testing.assert_allclose(relative["margin"], 1 - ratio, rtol=1e-9)


def test_verdicts_of_an_ordinary_problem():
    assert set(verdicts(check(small(1e4), CORE)).values()) == {"HOLDS"}


def test_the_answer_is_the_same_twice(frame):
    again = check(small(300.0), CORE)
    pd.testing.assert_frame_equal(frame.drop(columns="seconds"), again.drop(columns="seconds"), check_exact=True)


@pytest.mark.parametrize("seed", range(3))
def test_a_flipped_problem_has_the_margins_of_its_oriented_twin(seed):
    twin = draw_problem(np.random.default_rng(seed), n=3, m=6, kappa=30.0)
    data, start = twin.dataset, twin.initialisation
    flipped = Problem(Dataset(data.x, -data.y), start.flipped(), twin.epsilon)
    assert not flipped.dataset.is_oriented
    straight, turned = check(twin, CORE), check(flipped, CORE)
    same = [name for name in COLUMNS if name not in ("problem", "seconds", "reason")]
    rest = ~straight["claim"].isin(["A1.interpolator", "L5.PL"])
    pd.testing.assert_frame_equal(straight.loc[rest, same], turned.loc[rest, same], check_exact=True)
    assert (turned["problem"] == flipped.key).all() and flipped.key != twin.key
    assert turned["reason"].str.startswith("labels and signs flipped").all()
    assert not straight["reason"].str.contains("flipped").any()


def test_a_flipped_problem_draws_as_its_twin_does():
    """The random searches are seeded by the oriented problem, so even these margins agree."""
    start = small(300.0).initialisation
    flipped = Problem(Dataset.standard([-2, 1], d=3), start.flipped())
    names = ["claim", "verdict", "margin"]
    pd.testing.assert_frame_equal(check(small(300.0), CORE)[names], check(flipped, CORE)[names], check_exact=True)


def test_an_unknown_claim_names_a_near_one():
    with pytest.raises(UnknownClaim, match=r"'L2\.algn\+'.*did you mean 'L2\.align\+'"):
        check(small(), ["L2.algn+"])


@pytest.mark.parametrize("odd", [3, None, Margin])
def test_something_that_is_no_claim_is_refused_by_name(odd):
    with pytest.raises(UnknownClaim, match="claim"):
        select([odd])


def test_selection():
    assert select(None) == list(CLAIMS)
    mine = Claim("X.mine", "me", "D", "0 ≤ 1", lambda evidence: Vacuous("none"))
    assert select([mine, "L3.time"])[0] is mine
    assert select(iter(["L3.time"]))[0].id == "L3.time"
    assert select([]) == []


def test_digits_none_is_float64():
    assert check(small(), ["L3.time"], digits=None)["digits"].tolist() == [16]


def test_a_claim_of_ones_own():
    """The neurons of a decoupled problem end at the roots of the labels: |a_0| ≤ 2 with slack 1 − √2/2."""

    def size(evidence):
        t = float(evidence.trajectory.t_end)
        value = float(np.exp(evidence.timeline.state(t).log_norms[0]))
        return Margin(1 - value / 2, 1e-9, "relative", neuron=0, t=t, note="at rest")

    mine = Claim("X.size", "nowhere", "D", "|a_0| ≤ 2", size)
    row = check(decoupled(100.0), [mine]).iloc[0]
    assert (row["claim"], row["source"], row["tag"], row["verdict"]) == ("X.size", "nowhere", "D", "HOLDS")
    assert row["margin"] == pytest.approx(1 - math.sqrt(2) / 2, rel=1e-12)
    assert (row["neuron"], row["reason"]) == (0, "at rest")
    assert row["label"] is pd.NA


def test_hypotheses_come_before_the_measurement():
    def never(evidence):
        raise AssertionError("measured")

    first = Claim("X.a", "me", "D", "0 ≤ 1", never, (lambda e: None, lambda e: "it rains", lambda e: "too late"))
    assert measure(first, Evidence(small())) == Vacuous("it rains")
    row = check(small(), [first]).iloc[0]
    assert (row["verdict"], row["reason"], row["scale"]) == ("VACUOUS", "it rains", "")
    assert all(math.isnan(row[name]) for name in NUMBERS if name != "seconds")
    assert row["neuron"] is pd.NA


def test_a_nan_is_never_held():
    mine = Claim("X.nan", "me", "D", "0 ≤ 1", lambda evidence: Margin(math.nan, 0.0, "nats"))
    assert check(small(), [mine])["verdict"].tolist() == ["UNRESOLVED"]


@pytest.mark.parametrize("y", [(2.0, 1.0), (-2.0, -1.0)])
def test_labels_of_one_sign(y):
    found = verdicts(check(problem(y=y, g=[[3.0, 4.0], [-2.0, 1.0]], s=np.sign([y[0], -y[0]])), CORE))
    vacuous = {"L2.align+", "L2.align-", "L2.norm", "L5.PL"}
    assert {name for name, verdict in found.items() if verdict == "VACUOUS"} == vacuous
    assert {verdict for name, verdict in found.items() if name not in vacuous} == {"HOLDS"}


def test_a_single_label_and_a_single_neuron():
    """The fit is the only condition left that could end phase 2: the claim holds with an infinite margin."""
    found = verdicts(check(problem(y=(1.0,), g=[[1.0]], s=[1], minus_log_lambda=50.0), CORE))
    assert found["L3.time"] == found["L3.align"] == "HOLDS"
    assert found["L3.exit"] == "HOLDS"


@pytest.mark.parametrize("minus_log_lambda", [0.0, -1.0])
def test_lambda_of_one_and_above(minus_log_lambda):
    frame = check(small(minus_log_lambda), CORE)
    found = verdicts(frame)
    assert {name for name, verdict in found.items() if verdict != "VACUOUS"} == set(CORE[:3]) | {"A1.interpolator"}
    assert frame[frame["verdict"] == "VACUOUS"]["reason"].str.contains("not below 1").all()


def test_unbalanced():
    frame = check(problem(scale=[6.0, 1.0]), CORE)
    found = verdicts(frame)
    assert {name for name, verdict in found.items() if verdict == "HOLDS"} >= {"L1.conserved", "L1.sign"}
    assert (frame[frame["claim"].str.match("L[235]")]["reason"] == "the initialisation is not balanced").all()


def test_empty_key_sets():
    found = verdicts(check(problem(g=[[-3.0, 4.0], [2.0, -1.0]]), CORE))
    assert {name for name, verdict in found.items() if verdict == "VACUOUS"} == {
        "L2.align+", "L2.align-", "L3.time", "L3.exit", "L3.align", "L5.PL",
    }  # fmt: skip
    assert found["L2.norm"] == found["L1.conserved"] == "HOLDS"


@pytest.mark.parametrize("minus_log_lambda", [1.0, 10.0, 1e3, 1e6])
def test_no_number_is_nan_where_a_verdict_is_given(minus_log_lambda):
    frame = check(problem(minus_log_lambda=minus_log_lambda), CORE)
    decided = frame[frame["verdict"] != "VACUOUS"]
    assert decided["margin"].notna().all() and decided["uncertainty"].notna().all()
    # At Λ = 1000 the ball of Lemma 5 is still too large for its bound to be proved.
    assert set(frame.loc[frame["verdict"] == "UNRESOLVED", "claim"]) <= (
        {"L5.PL"} if minus_log_lambda == 1e3 else set()
    )


@pytest.mark.parametrize("order", ["import verify.check; from verify import check", "from verify import check"])
def test_the_function_is_found_whatever_was_imported_before(order):
    """verify.check is a module too, and must not hide the function of the public interface."""
    again = "from verify.check import select; from verify import check"
    code = f"{order}\nassert callable(check), check\n{again}\nassert callable(check), check"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)
