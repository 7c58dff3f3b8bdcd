"""Markdown, SARIF and GitHub annotations: golden files, and input that is markup to them."""

from __future__ import annotations

import json
import re

import msgspec
import pytest
from markdown_it import MarkdownIt

from compilescope.model import Finding, Frame
from compilescope.packs import report

markdown = pytest.importorskip("compilescope.reports.markdown")
EVIL = (
    "<img src=x onerror=alert(1)> `a`` b` **bold** [x](http://y) @team #12 |"
    " \n## Title\n- % ::error::x"
)


@pytest.mark.parametrize("form", ["markdown", "sarif", "github"])
def test_golden(form, kind, diagnoses, golden):
    suffix = {"markdown": "md", "sarif": "sarif", "github": "txt"}[form]
    golden(f"reports/{form}/{kind}.{suffix}", report(form)(diagnoses[kind]))


def hostile(diagnosis):
    cause = diagnosis.causes[0]
    changed = msgspec.structs.replace(
        cause, why=EVIL, frame=Frame("/a/`x`\n<b>.py", 3, "f|g"), also=(EVIL,)
    )
    return msgspec.structs.replace(diagnosis, verdict=EVIL, name=EVIL, causes=(changed,))


def test_markdown_keeps_markup_out(diagnoses):
    text = report("markdown")(hostile(diagnoses["shapes"]))
    tokens = MarkdownIt("commonmark").parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in (*tokens, *inline)}
    assert {token.content for token in inline if token.type == "html_inline"} == {
        "<br>",
        "<sub>",
        "</sub>",
    }
    assert not kinds & {"html_block", "link_open", "image"}
    assert [t.content for t in tokens if t.type == "inline" and "Title" in t.content]
    headings = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open"]
    assert headings == ["Causes of recompiles, by the time they cost"]
    assert "@team" not in text


@pytest.mark.parametrize("text", ["a", "`", "``", "a`b", "`a`", "a``b`c"])
def test_code_span_holds_any_text(text):
    span = markdown.code(text)
    fence = re.match("`+", span)[0]
    inside = span[len(fence) : -len(fence)]
    assert inside.strip() == text.strip()
    assert fence not in re.findall("`+", inside)


def test_markdown_shows_the_first_and_says_how_many_more(diagnoses):
    causes = tuple(
        msgspec.structs.replace(diagnoses["shapes"].causes[0], id=f"{index}") for index in range(25)
    )
    many = msgspec.structs.replace(diagnoses["shapes"], causes=causes)
    text = report("markdown")(many)
    assert "and 15 more" in text
    assert "more" not in report("markdown")(many, everything=True).split("Graph breaks")[0]


def test_a_long_text_is_clipped():
    assert len(markdown.prose("x" * 100_000)) < 1000


def test_github_is_one_command_a_line(diagnoses):
    text = report("github")(hostile(diagnoses["shapes"]))
    assert all(re.match(r"::(error|warning|notice) title=", line) for line in text.splitlines())
    assert len(text.splitlines()) == 2


def test_github_names_files_of_the_checkout(diagnoses, monkeypatch, tmp_path):
    cause = msgspec.structs.replace(
        diagnoses["ints"].causes[0], frame=Frame(str(tmp_path / "src" / "a,b.py"), 7, "f")
    )
    found = msgspec.structs.replace(diagnoses["ints"], causes=(cause,))
    assert "file=src/a%2Cb.py,line=7" in report("github")(found)


def results(diagnosis):
    return json.loads(report("sarif")(diagnosis))["runs"][0]["results"]


def test_sarif_points_at_the_expression(diagnoses):
    first = results(diagnoses["ints"])[0]
    region = first["locations"][0]["physicalLocation"]["region"]
    line = diagnoses["ints"].causes[0].frame.line
    path = diagnoses["ints"].causes[0].frame.path
    text = diagnoses["ints"].sources[path][line]
    assert text[region["startColumn"] - 1 : region["endColumn"] - 1] == "rate"


def test_sarif_fingerprint_does_not_depend_on_the_line(diagnoses):
    cause = diagnoses["ints"].causes[0]
    moved = msgspec.structs.replace(
        cause, frame=msgspec.structs.replace(cause.frame, line=cause.frame.line + 9)
    )
    one, other = (
        results(msgspec.structs.replace(diagnoses["ints"], causes=(item,)))[0]
        for item in (cause, moved)
    )
    assert one["partialFingerprints"] == other["partialFingerprints"]
    assert one["locations"] != other["locations"]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/srv/with space/m.py", "file:///srv/with%20space/m.py"),
        ("C:\\work\\m.py", "file:///C:/work/m.py"),
        ("src/m.py", "src/m.py"),
    ],
)
def test_sarif_uri(diagnoses, path, uri):
    cause = msgspec.structs.replace(diagnoses["ints"].causes[0], frame=Frame(path, 3, "f"))
    found = results(msgspec.structs.replace(diagnoses["ints"], causes=(cause,)))[0]
    assert found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_sarif_has_no_place_for_what_is_no_file(diagnoses):
    cause = msgspec.structs.replace(diagnoses["ints"].causes[0], frame=Frame("<stdin>", 3, "f"))
    assert (
        "locations" not in results(msgspec.structs.replace(diagnoses["ints"], causes=(cause,)))[0]
    )


def test_sarif_and_github_have_the_findings(diagnoses):
    finding = Finding(
        "a.py", 3, 5, 3, 12, "CS110", "print-call", "`print` in compiled code", times=2
    )
    found = msgspec.structs.replace(diagnoses["clean"], findings=(finding,))
    only = results(found)
    assert [item["ruleId"] for item in only] == ["CS110"]
    assert only[0]["level"] == "warning"
    assert "file=a.py,line=3,col=5,endColumn=12" in report("github")(found)
