"""`verify claims`: the list."""

from __future__ import annotations

import json

from tests.cli.running import run
from verify.claims import CLAIMS


def test_claims_are_listed_in_order() -> None:
    listed = json.loads(run("claims", "--json").stdout)
    assert [claim["id"] for claim in listed if claim["command"] == "check"] == [claim.id for claim in CLAIMS]
    assert set(listed[0]) == {"id", "source", "tag", "reading", "command", "statement"}
    assert all(claim["id"] in run("claims").output for claim in listed)
    beyond = {claim["id"]: claim["command"] for claim in listed[len(CLAIMS) :]}
    assert beyond["X.norms"] == "reproduce norms" and {"X.threshold", "X.high-dimension"} < set(beyond)
