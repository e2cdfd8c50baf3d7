"""JSON files: exact numbers in, whole files out, and errors that say where."""

import json
from decimal import Decimal

import pytest

from verify import jsonfile
from verify.errors import InvalidProblem


def test_numbers_keep_their_decimals(tmp_path):
    path = tmp_path / "p.json"
    path.write_text('{"a": 0.10000000000000000001, "b": [1, 1e-3]}', encoding="utf-8")
    assert jsonfile.load(path) == {"a": Decimal("0.10000000000000000001"), "b": [1, Decimal("0.001")]}


def test_saving_leaves_one_whole_file(tmp_path):
    path = tmp_path / "p.json"
    path.write_text("old", encoding="utf-8")
    jsonfile.save(path, {"a": [1, 2], "b": None})
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": [1, 2], "b": None}
    assert [p.name for p in tmp_path.iterdir()] == ["p.json"]


def test_a_failed_save_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "p.json"
    path.write_text("old", encoding="utf-8")

    def broken(source, target):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", broken)
    with pytest.raises(OSError, match="disk full"):
        jsonfile.save(path, {"a": 1})
    assert path.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["p.json"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"y": [1, 2}', r"p\.json: line 1 column 12: not valid JSON: Expecting ',' delimiter"),
        ('{\n "y": \n}', r"p\.json: line 3 column 1: not valid JSON: Expecting value"),
        ("", r"p\.json: line 1 column 1: not valid JSON"),
        ('{"y": NaN}', r"p\.json: NaN is not a JSON number; every number must be finite"),
        ('{"y": -Infinity}', r"p\.json: -Infinity is not a JSON number"),
        ('{"y": 1, "y": 2}', r"p\.json: key 'y' occurs twice; keep one"),
        ("[1, 2]", r"p\.json: holds a JSON list; a problem is an object"),
    ],
)
def test_broken_files_are_refused_with_name_and_position(tmp_path, text, message):
    path = tmp_path / "p.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidProblem, match=message):
        jsonfile.load(path)


def test_unreadable_files_are_refused(tmp_path):
    with pytest.raises(InvalidProblem, match=r"absent\.json: cannot be read: No such file"):
        jsonfile.load(tmp_path / "absent.json")
    (tmp_path / "binary.json").write_bytes(b'{"y": "\xff"}')
    with pytest.raises(InvalidProblem, match=r"binary\.json: is not UTF-8 text: byte 7 is invalid"):
        jsonfile.load(tmp_path / "binary.json")
