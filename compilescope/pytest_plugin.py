"""The pytest plugin: the fixture `compile_watch` and the marker `no_recompile`.

It imports pytest and nothing else until a test asks for a watch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from compilescope.live import Watch


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known to `--strict-markers`."""
    config.addinivalue_line(
        "markers",
        "no_recompile(after=0): fail where a compiled callable recompiles at its call number"
        " `after` (from 0) or later (compilescope)",
    )


@pytest.fixture
def compile_watch(request: pytest.FixtureRequest) -> Generator[Watch, None, None]:
    """A watch over the whole test, to make assertions on.

    Dynamo is reset before: a graph that an earlier test left in the cache of a function would
    serve this test, which then would see no compile, or one that it did not cause.
    """
    with _watch(request.node) as watch:
        yield watch


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Hold a marked test to its marker; a test that fails by itself keeps its own failure."""
    marker = item.get_closest_marker("no_recompile")
    if marker is None:
        return (yield)
    watch = getattr(item, "funcargs", {}).get("compile_watch")
    if watch is None:
        with _watch(item) as watch:
            result = yield
    else:
        result = yield
    __tracebackhide__ = True
    watch.assert_no_recompiles(after=_after(marker))
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep torch's trace, which pytest 9 captures line by line, out of the failure's text."""
    report = yield
    if item.get_closest_marker("no_recompile") or "compile_watch" in getattr(
        item, "fixturenames", ()
    ):
        sections = [(title, _without_trace(title, text)) for title, text in report.sections]
        report.sections = [section for section in sections if section[1].strip()]
    return report


def _without_trace(title: str, text: str) -> str:
    if not title.startswith("Captured log"):
        return text
    return "\n".join(line for line in text.split("\n") if " torch.__trace:" not in line)


def _watch(item: pytest.Item) -> Watch:
    import compilescope

    return compilescope.watch(name=item.nodeid)


def _after(marker: pytest.Mark) -> int:
    if marker.args or set(marker.kwargs) - {"after"}:
        pytest.fail("the marker no_recompile takes nothing but `after=N`", pytrace=False)
    after: int = marker.kwargs.get("after", 0)
    return after
