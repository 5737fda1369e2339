"""The examples in docstrings, compiled ones too, run and say what they print."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import clearance
import clearance._clearance as compiled


def _documented():
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in ["clearance", *(f"clearance.{m.name}" for m in pkgutil.iter_modules(clearance.__path__))]:
        if name != "clearance._clearance":
            module = importlib.import_module(name)
            yield from (test for test in finder.find(module) if test.examples)
    parser = doctest.DocTestParser()
    for name, value in vars(compiled).items():
        members = vars(value).items() if inspect.isclass(value) else ()
        for full, item in [(name, value), *((f"{name}.{member}", m) for member, m in members)]:
            text = getattr(item, "__doc__", None) or ""
            if ">>>" in text:
                yield parser.get_doctest(text, {}, f"clearance.{full}", None, 0)


TESTS = list(_documented())


def test_the_main_classes_have_examples():
    names = {test.name for test in TESTS}
    for name in ("Mesh", "Pair", "Scene", "Checker", "VoxelMap", "World", "Convex", "PointCloud"):
        assert f"clearance.{name}" in names


def test_every_public_name_is_documented():
    for name in clearance.__all__:
        assert getattr(clearance, name).__doc__, name


@pytest.mark.parametrize("test", TESTS, ids=[test.name for test in TESTS])
def test_docstring(test):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    out = []
    runner.run(test, out=out.append)
    assert runner.failures == 0, "".join(out)
