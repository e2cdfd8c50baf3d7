"""What a user installs is what the project declares."""

from __future__ import annotations

import doctest
import importlib
import importlib.resources
import pkgutil
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import verify

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT: dict[str, Any] = PYPROJECT["project"]
DISTRIBUTION: str = PROJECT["name"]
DIST_INFO = f"{DISTRIBUTION.replace('-', '_')}-{PROJECT['version']}.dist-info"
MODULES = ["verify", *sorted(info.name for info in pkgutil.walk_packages(verify.__path__, "verify."))]
DOCTEST_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def make_targets() -> set[str]:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", text, flags=re.MULTILINE)
    assert phony is not None
    rules = set(re.findall(r"^([a-z]+):", text, flags=re.MULTILINE))
    return rules & set(phony[1].split())


def make_commands(document: str) -> set[str]:
    """Targets named as code: `make x`, or a line `make x` inside a fenced block."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return set(re.findall(r"(?:`|^\s*(?:\$ )?)make ([a-z]+)", text, flags=re.MULTILINE))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    [path] = target.glob("*.whl")
    return zipfile.ZipFile(path)


def test_version_is_one_and_the_same() -> None:
    assert PROJECT["version"] == metadata.version(DISTRIBUTION) == verify.__version__


def test_changelog_opens_with_the_unreleased_changes() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \[(.+?)\]", text, flags=re.MULTILINE)[0] == "Unreleased"


@pytest.mark.parametrize("name", MODULES)
def test_module_imports_and_says_what_it_is_for(name: str) -> None:
    assert importlib.import_module(name).__doc__


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=DOCTEST_OPTIONS)
    assert result.failed == 0


def test_public_names_exist_and_appear_once() -> None:
    assert len(set(verify.__all__)) == len(verify.__all__)
    assert [name for name in verify.__all__ if not hasattr(verify, name)] == []


def test_console_script_is_callable() -> None:
    [script] = metadata.entry_points(group="console_scripts", name="verify")
    assert script.value == PROJECT["scripts"]["verify"] == "verify.cli:main"
    assert callable(script.load())


def test_console_script_answers_help() -> None:
    script = Path(sys.executable).with_name("verify")
    answer = subprocess.run([str(script), "--help"], capture_output=True, text=True, check=True)
    assert "Usage" in answer.stdout


def test_pytest_plugin_is_registered(pytestconfig: pytest.Config) -> None:
    [plugin] = metadata.entry_points(group="pytest11", name="verify")
    assert plugin.value == "verify.pytest_plugin"
    assert pytestconfig.pluginmanager.get_plugin("verify") is importlib.import_module("verify.pytest_plugin")


def test_installed_extras_are_the_declared_ones() -> None:
    declared = set(PROJECT["optional-dependencies"])
    assert declared >= {"test", "dev"}
    assert set(metadata.metadata(DISTRIBUTION).get_all("Provides-Extra") or []) == declared


def test_every_requirement_has_a_lower_bound_and_no_upper_one() -> None:
    requirements = [*PROJECT["dependencies"]]
    for extra in PROJECT["optional-dependencies"].values():
        requirements += [entry for entry in extra if not entry.startswith(DISTRIBUTION)]
    loose = [
        entry for entry in requirements if not re.fullmatch(r"[a-z0-9-]+>=[\d.]+(; sys_platform == 'linux')?", entry)
    ]
    assert loose == []


def test_core_imports_need_no_extra() -> None:
    """Without the extras everything but the pytest plugin can be imported."""
    blocked = dict.fromkeys(["pytest", "_pytest", "pytest_benchmark", "hatchling", "flint"])
    names = [name for name in MODULES if name != "verify.pytest_plugin"]
    code = f"import sys, importlib; sys.modules.update({blocked}); [importlib.import_module(n) for n in {names}]"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_type_marker_is_beside_the_package() -> None:
    assert (importlib.resources.files("verify") / "py.typed").is_file()


def test_wheel_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "verify").rglob("*.py")}
    assert files | {"verify/py.typed"} <= names
    assert {name.split("/")[0] for name in names} == {"verify", DIST_INFO}


def test_wheel_carries_the_licence_and_the_entry_points(wheel: zipfile.ZipFile) -> None:
    assert "The verify authors" in wheel.read(f"{DIST_INFO}/licenses/LICENSE").decode()
    entry_points = wheel.read(f"{DIST_INFO}/entry_points.txt").decode()
    assert "verify = verify.cli:main" in entry_points
    assert "verify = verify.pytest_plugin" in entry_points


def test_makefile_has_the_promised_targets() -> None:
    assert {"report", "test", "bench", "lint", "clean"} <= make_targets()


def test_readme_names_the_first_commands() -> None:
    assert {"report", "test", "bench"} <= make_commands("README.md")


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_documented_make_commands_exist(document: str) -> None:
    named = make_commands(document)
    assert named
    assert named <= make_targets()


def test_import_rules_name_every_module() -> None:
    """A new top-level module must be given its layer in pyproject.toml."""
    contract = PYPROJECT["tool"]["importlinter"]["contracts"][0]
    layers = {name for line in contract["layers"] for name in re.findall(r"\w+", line)}
    top = {name.split(".")[1] for name in MODULES if name.count(".") == 1}
    assert top == layers
