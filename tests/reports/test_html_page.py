from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from compilescope.reports.comparison_page import render as render_comparison
from compilescope.reports.html import SCRIPTS, render

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.diagnose.compare import compare
from compilescope.diagnosis import CallSeries, Diagnosis
from compilescope.model import (
    Called,
    Compiled,
    Finding,
    Frame,
    Gap,
    GraphBroke,
    GuardFailure,
    Recompiled,
    Session,
    Warned,
)

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"
VOID = {"meta", "link", "input", "br", "path"}


class Tree(HTMLParser):
    """Checks nesting and collects what the tests ask about."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.loads: list[str] = []
        self.headings: list[int] = []
        self.text = ""
        self.tags: set[str] = set()
        self.handlers: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        values = dict(attrs)
        if tag not in VOID:
            self._open.append(tag)
        if "id" in values:
            self.ids.append(values["id"])
        if values.get("href", "").startswith("#"):
            self.targets.append(values["href"][1:])
        self.loads += [
            value
            for name, value in attrs
            if name in {"src", "href", "srcset", "data", "action", "poster"}
            and not value.startswith(("#", "data:"))
        ]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] not in {"script", "style"}:
            self.text += data


def page(diagnosis: Diagnosis, **options) -> Tree:
    return Tree(render(diagnosis, **options))


def recorded(name: str) -> Session:
    return store.load(SESSIONS / f"{name}.cscope.json.gz")


def test_every_kind_is_sound_html_with_unique_ids_and_links_that_lead_somewhere(diagnoses, kind):
    tree = page(diagnoses[kind], session_json=b"{}")
    assert len(tree.ids) == len(set(tree.ids))
    assert set(tree.targets) - set(tree.ids) <= {"fallbacks", "breaks", "causes", "compiles"}
    assert tree.loads == []
    assert tree.handlers == []
    assert tree.headings[0] == 1
    assert tree.headings.count(1) == 1
    steps = zip(tree.headings, tree.headings[1:], strict=False)
    assert all(after - before <= 1 for before, after in steps)


def test_every_kind_says_its_verdict_first_and_all_its_causes(diagnoses, kind):
    found = diagnoses[kind]
    text = " ".join(page(found).text.split())
    assert found.verdict.replace("`", "") in text
    assert found.recovery.replace("`", "") in text
    for cause in found.causes:
        assert cause.why.replace("`", "") in text
        assert all(remedy.text.replace("`", "") in text for remedy in cause.remedies)
    for item in found.graph_breaks:
        assert item.why.replace("`", "") in text
    for gap in found.incomplete:
        assert gap.what in text


@pytest.mark.parametrize("name", ["shapes", "ints", "breaks", "limit", "nothing", "failed"])
def test_session_in_the_page_is_the_session(name, tmp_path):
    session = recorded(name)
    path = tmp_path / "page.html"
    text = render(diagnose(session), session_json=store.encode(session))
    path.write_text(text, encoding="utf-8")
    assert store.load(path) == session


def test_page_without_data_is_small(diagnoses):
    assert len(render(diagnoses["nothing"]).encode()) < 60_000


def test_policy_lets_nothing_in(diagnoses):
    text = render(diagnoses["shapes"])
    policy = html.unescape(re.search(r'Security-Policy" content="([^"]*)"', text)[1])
    assert "default-src 'none'" in policy
    assert "'unsafe-inline'" not in policy.partition("script-src")[2]
    assert policy.count("sha256-") == len(SCRIPTS) == text.count("<script>")


def test_counts_stand_on_the_page_as_they_are_in_the_diagnosis(diagnoses):
    text = page(diagnoses["limit"]).text
    assert re.search(r"\b3\s+recompiles", text)
    assert re.search(r"\b1\s+function at its limit", text)


NASTY = (
    '</script><script id="session" type="application/json">{"version":1}</script>'
    "<b onclick=alert(1)>\u202e\u0007\x1b[31m\x00\u2028 `x` ]]>--><!-- " + "y" * 5000
)


def hostile() -> Session:
    path = f"/tmp/<b>{NASTY[:80]}.py"
    frame = Frame(path, 3, f"<i>{NASTY[:60]}", f"x = '{NASTY}'")
    guard = GuardFailure("tensor.size", NASTY, source=f"x<{NASTY[:40]}>", entry="0/0", frame=frame)
    return Session(
        name=NASTY,
        command=(NASTY,),
        how="failed",
        code=1,
        events=(
            Compiled(0, "0/0", frame, seconds=1.0, phases={NASTY: 1.0}, outcome="compiled"),
            Called(0, 0, 0, 1.0, 1.0, compiles=("0/0",)),
            Recompiled(0, "0/1", frame, reasons=(guard,)),
            Compiled(0, "0/1", frame, seconds=1.0, outcome="compiled", recompile=True),
            Called(0, 0, 1, 3.0, 1.0, compiles=("0/1",)),
            GraphBroke(0, "0/1", NASTY, frame, gb_id=NASTY[:20], reason=NASTY, hints=(NASTY,)),
            Warned(0, "perf_hint", NASTY),
        ),
        findings=(Finding(path, 3, 1, 3, 9, "CS101", "a", NASTY),),
        sources={path: {2: "# " + NASTY, 3: frame.code, 4: "\t</pre>"}},
        gaps=(Gap(NASTY, detail=NASTY),),
    )


def test_hostile_input_stays_text(tmp_path):
    session = hostile()
    text = render(diagnose(session), session_json=store.encode(session))
    tree = Tree(text)
    assert tree.handlers == []
    assert "i" in tree.tags  # of the drawing
    assert "<b onclick" not in text
    assert text.count("</script>") == len(SCRIPTS) + 1
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", tree.text)
    assert "\u241b[31m" in tree.text
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    assert store.load(path) == session


def test_calls_that_are_many_are_thinned_and_every_compile_is_kept(diagnoses):
    compiled = tuple(range(0, 100_000, 97))
    seconds = tuple(0.5 if call % 97 == 0 else 0.002 for call in range(100_000))
    series = CallSeries("step", 0, seconds, compiled, (), 0.002, 99_910)
    found = msgspec.structs.replace(diagnoses["clean"], calls=(series,))
    text = render(found)
    assert "a column stands for 50 calls" in text
    assert text.count('<tr id="call-') == len(compiled)
    strokes = re.findall(r'class="stroke first" d="([^"]*)"', text)
    assert sum(path.count("M") for path in strokes) == len(compiled)


@pytest.mark.parametrize("name", ["shapes", "ints", "breaks", "limit", "failed"])
def test_without_source_nothing_of_the_users_files_is_left(name):
    session = recorded(name)
    text = render(diagnose(session), session_json=store.encode(session), source=False)
    lines = [line.strip() for file in session.sources.values() for line in file.values()]
    for line in lines:
        # A line may happen to be a remedy's text too; calls of torch are PyTorch's words.
        if len(line) > 12 and "torch." not in line:
            assert line not in text, line
    assert "/home/" not in text
    assert f"{name}.py" not in text
    redacted = msgspec.json.decode(
        re.search(r'id="session">(.*?)</script>', text, re.DOTALL)[1], type=Session
    )
    assert redacted.sources == {}
    assert diagnose(redacted).counts == diagnose(session).counts
    causes = [cause.id for cause in diagnose(session).causes]
    assert len(diagnose(redacted).causes) == len(causes)


def test_comparison_page_has_every_change_and_every_caution(diagnoses):
    found = compare(diagnoses["breaks"], diagnoses["shapes"])
    tree = Tree(render_comparison(found))
    text = " ".join(tree.text.split())
    assert len(tree.ids) == len(set(tree.ids))
    assert tree.loads == []
    for said in (found.verdict, *found.caveats, *(item.why for item in found.items)):
        assert said.replace("`", "") in text
    assert text.count("gone") == sum(item.change == "gone" for item in found.items)


def test_comparison_of_hostile_sessions_stays_text():
    one = diagnose(hostile())
    text = render_comparison(compare(one, msgspec.structs.replace(one, causes=())))
    assert "<b onclick" not in text
    assert Tree(text).handlers == []
