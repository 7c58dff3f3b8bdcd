"""The reports of bench on a recorded result, and on made ones for what it does not hold."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from compilescope.reports.benching_plots import payback
from compilescope.reports.benching_words import rows
from msgspec.structs import replace

from compilescope import store, tuning
from compilescope.bench.earlier import compared, load, slower, with_earlier
from compilescope.bench.run import save
from compilescope.bench.verdict import best, verdict
from compilescope.benching import Benching, Difference, Numerics, Range, Setting, Trial
from compilescope.commands.report import command as report
from compilescope.commands.show import command as show
from compilescope.errors import InputError, UsageError, VersionError
from compilescope.model import Environment, Session
from compilescope.packs import benching

RECORDED = Path(__file__).parent.parent / "data" / "benched" / "block-bench.json"


@pytest.fixture
def found():
    return load(RECORDED)


def changed(found, **fields):
    return replace(found, trials=(replace(found.trials[0], **fields),))


def test_json_is_read_back(found):
    text = benching("json")(found)
    assert msgspec.json.decode(text, type=Benching) == found


def test_the_terminal_fits_its_width(found):
    for width in (60, 80, 120):
        text = benching("terminal")(found, width=width)
        assert max(len(line) for line in text.splitlines()) <= width
        assert "1.80 [1.57, 2.02]" in text
        assert "within" in text


def test_what_was_not_measured_has_no_table_of_blanks(found):
    failed = Trial(Setting("default"), "stopped", "interrupted")
    text = benching("terminal")(replace(found, trials=(failed,), best=None, device=""), width=80)
    assert "stopped: interrupted" in text
    assert "median" not in text
    assert "inference" not in text
    both = benching("terminal")(replace(found, trials=(*found.trials, failed)), width=60)
    assert both.count("cached") == 1
    assert "stopped" in both


def test_the_eager_row_and_the_plot_are_of_the_setting_that_the_verdict_is_on(found):
    one = replace(found.trials[0], ratio=Range(0.5, 0.4, 0.6), break_even=None)
    near = replace(
        one,
        setting=Setting("default", "marked"),
        ratio=Range(0.9, 0.8, 1.1),
        measured=tuple(
            replace(part, eager=replace(part.eager, median=Range(1e-3))) for part in one.measured
        ),
    )
    shown = replace(found, trials=(one, near), best=None)
    assert next(rows(shown))[:2] == ("eager", "1.00 ms")
    assert payback(shown).text == "marked: whether the lines meet is not clear"
    assert payback(replace(found, trials=(one,), best=None)).text.endswith("never meet")


def test_eager_calls_of_other_speeds_are_told(found):
    one = found.trials[0]
    slower = tuple(
        replace(part, eager=replace(part.eager, median=Range(3 * part.eager.median.value)))
        for part in one.measured
    )
    said = "each ratio is to the eager calls that were made in turns with it"
    assert said not in benching("markdown")(found)
    text = benching("markdown")(replace(found, trials=(one, replace(one, measured=slower))))
    assert f"{said}; their median was from 5.87 ms to 17.6 ms" in text


def test_colour_only_where_it_is_wanted(found):
    assert "\x1b[" not in benching("terminal")(found)
    assert "\x1b[" in benching("terminal")(found, color=True)


def test_markdown_has_a_row_for_each_setting_and_inputs(found):
    text = benching("markdown")(found)
    assert text.startswith("**Compiled")
    assert len(re.findall(r"^\| (?:eager|default) \|", text, re.MULTILINE)) == 2
    assert len(re.findall(r"^\| rows=\d+ \|", text, re.MULTILINE)) == 2


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "br", "path", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "path":
            assert self.open.pop() == tag


def test_the_page_is_whole_and_asks_for_nothing(found):
    text = benching("html")(found)
    page = Tags()
    page.feed(text)
    assert page.open == []
    names = [attrs["id"] for tag, attrs in page.seen if tag == "section" and "id" in attrs]
    assert names == ["verdict", "settings", "ratios", "cases", "payback", "calls", "results",
                     "remarks"]  # fmt: skip
    assert not re.search(r'(?:src|href)="(?!#|data:)', text)
    assert text.count('class="dots was"') == 2  # a drawing for each of the inputs


def test_every_outlier_is_drawn(found):
    page = benching("html")(found)
    far = re.findall(r'<path class="dots far" d="(M[^"]+)"', page)  # one path a series that has any
    assert "".join(far).count("M") == sum(
        len(calls.outliers)
        for one in found.trials[0].measured
        for calls in (one.eager, one.compiled)
    )


def test_text_of_the_user_is_shown_and_not_obeyed(found):
    hostile = replace(found, name="<script>alert(1)</script>\x1b[31m")
    assert "<script>alert" not in benching("html")(hostile)
    assert "\x1b[31m" not in benching("terminal")(hostile)


def test_the_verdict_of_the_record_is_still_what_is_concluded(found):
    told = verdict(found.trials, best(found.trials), "see what --dynamic marked saves")
    assert told == found.verdict
    assert told.endswith("see what --dynamic marked saves.")
    assert verdict(found.trials, 0).endswith("run tune first.")
    tuned = changed(found, setting=Setting("default", tuned=True))
    assert verdict(tuned.trials, 0).endswith("1 recompile cost 2.1 s.")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"ratio": Range(1.01, 0.97, 1.05)}, "not clearly faster or slower than eager: 1.01"),
        ({"ratio": Range(0.5, 0.4, 0.6), "break_even": None}, "of compiling never pay back"),
        ({"recompiles": 0}, "pays back after 8,300 calls (1,300 with a warm cache)."),
        ({"graphs": 0}, "Nothing was compiled, so that there is nothing to gain; compiled ("),
        ({"graphs": 0, "ratio": Range(0.6, 0.5, 0.7)}, "times as fast as eager [0.50, 0.70]; 1"),
        ({"fallback": "forward reached recompile_limit"}, "the recompile limit was reached"),
        ({"numerics": Numerics("differs", first="output: error 1")}, "but its results differ"),
    ],
)
def test_verdicts(found, fields, text):
    trials = changed(found, **fields).trials
    assert text in verdict(trials, best(trials))


def test_nothing_measured():
    trial = Trial(Setting("default"), "failed", "the compiled call failed: RuntimeError: no")
    assert verdict([trial], None).startswith("Nothing was measured: the compiled call failed")
    assert verdict([], None) == "Nothing was measured."
    ended = replace(trial, why="no backend is called nope.")
    assert verdict([ended], None) == "Nothing was measured: no backend is called nope."


def test_the_best_is_certain_right_and_compiled(found):
    one = found.trials[0]
    fast = replace(one, ratio=Range(3.0, 2.9, 3.1))
    unsure = replace(one, ratio=Range(4.0, 0.5, 9.0))
    wrong = replace(fast, numerics=Numerics("differs"))
    fallen = replace(fast, fallback="limit")
    assert best([one, fast, unsure, wrong, fallen]) == 1
    assert best([unsure, wrong, fallen]) is None


def test_worst_gradient_and_random_results_are_told(found):
    rows = (Difference("gradient of w", "float32", 1e-7, 2e-7, "within rounding"),)
    near = changed(found, numerics=Numerics("within rounding", "eager in float64", rows=rows))
    rows = (Difference("labels", "int64", 0.01, 0.02, "within rounding"),)
    whole = changed(found, numerics=Numerics("within rounding", "eager in float64", rows=rows))
    assert "2.0% of the whole numbers in labels are others" in benching("markdown")(whole)
    assert "gradient of w has a relative error of 2.0e-07" in benching("markdown")(near)
    drawn = changed(found, numerics=Numerics("random"))
    assert "two eager calls differ" in benching("markdown")(drawn)


def test_against_itself_nothing_changed(found):
    told = compared(found, found)
    assert {one.verdict for one in told.changes} == {"no clear change"}
    assert told.cautions == ()
    assert not slower(told)


def test_a_ratio_that_fell_for_certain_is_slower(found):
    def with_ratio(value):
        one = found.trials[0].measured[1]
        ratio = Range(value, value - 0.1, value + 0.1)
        return changed(found, measured=(replace(one, ratio=ratio),))

    told = compared(with_ratio(2.0), with_ratio(1.5))
    assert [(one.case, one.verdict) for one in told.changes] == [("rows=1024", "slower")]
    assert slower(told)
    both = with_earlier(with_ratio(1.5), with_ratio(2.0))
    assert both.earlier.changes[0].verdict == "faster"
    assert "faster" in benching("terminal")(both)
    assert "Against" in benching("html")(both)


def test_what_makes_two_results_hard_to_compare_is_said(found):
    other = replace(found, device="NVIDIA H200", dtype="bfloat16", trials=())
    assert compared(found, other).cautions == (
        "no setting and inputs are in both results",
        "the device was cpu, now NVIDIA H200",
        "the dtype was float32, now bfloat16",
    )


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        (None, InputError, "cannot read"),
        ("{", InputError, "is not a result of bench"),
        ("[]", InputError, "is not a result of bench"),
        ('{"version": 99}', VersionError, "reads 1"),
    ],
)
def test_a_file_that_is_no_result(tmp_path, text, kind, said):
    path = tmp_path / "x.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(kind, match=said):
        load(path)


def test_the_record_is_of_this_version():
    assert json.loads(RECORDED.read_text())["version"] == 1


def test_the_record_fits_the_published_schema(found):
    jsonschema = pytest.importorskip("jsonschema")
    from compilescope.reports import schemas

    content = json.loads(benching("json")(found))
    jsonschema.validate(content, json.loads(schemas.schema("benching-v1.json")))


SESSION = Session(name="serve.py", environment=Environment(torch="2.13.0+cpu"))


def beside(found, folder, **fields):
    """A session, and a result of bench beside it."""
    path = folder / "run.cscope.json.gz"
    store.save(SESSION, path)
    save(replace(found, **{"name": "serve.py", **fields}), folder / "serve-bench.json")
    return path


def test_the_page_of_a_session_has_what_bench_left_beside_it(found, tmp_path):
    path = beside(found, tmp_path)
    out = tmp_path / "page.html"
    assert CliRunner().invoke(report, [str(path), "-o", str(out)]).exit_code == 0
    page = Tags()
    page.feed(out.read_text())
    assert page.open == []
    assert ("a", {"href": "#bench"}) in page.seen
    text = out.read_text().partition('<section id="bench"')[2].partition("</section>")[0]
    assert found.verdict in text
    assert 'class="whisker"' in text  # the plot of ratios
    assert 'class="line-cold"' in text  # and of the time that all calls took
    assert text.count("<h2") == 1
    assert "recompiled at block.py:18" in text
    assert CliRunner().invoke(show, [str(path), "--format", "html"]).output.count(text) == 1
    assert store.load(out).name == "serve.py"


def test_what_bench_measured_of_something_else_is_left_out(found, tmp_path):
    other = replace(found.environment, torch="2.11.0")
    for fields in ({"name": "other.py"}, {"environment": other}):
        path = beside(found, tmp_path, **fields)
        assert 'id="bench"' not in CliRunner().invoke(report, [str(path), "-o", "-"]).output
    (tmp_path / "serve-bench.json").write_text('{"of": "another tool"}')
    assert 'id="bench"' not in CliRunner().invoke(report, [str(path), "-o", "-"]).output
    named = tmp_path / "named.json"
    save(replace(found, verdict="See /home/me/secret.py."), named)
    given = [str(path), "--bench", str(named), "-o", "-"]
    assert "secret.py" in CliRunner().invoke(report, given).output
    assert "secret.py" not in CliRunner().invoke(report, [*given, "--no-source"]).output


def test_the_page_of_tune_has_no_section_for_bench(found, tmp_path):
    tuned = tmp_path / "x-tuned.json"
    base = tuning.Trial(0, (), tuning.Measures(), "baseline")
    tuned.write_bytes(msgspec.json.encode(tuning.Tuning("x", (), Environment(), base)))
    given = [str(tuned), "--bench", str(RECORDED), "-o", "-"]
    with pytest.raises(UsageError, match="goes with a session"):
        CliRunner().invoke(report, given, catch_exceptions=False)


def test_the_plots_of_bench_are_not_for_zooming_into_calls(found, tmp_path):
    out = CliRunner().invoke(report, [str(beside(found, tmp_path)), "-o", "-"]).output
    assert out.count('class="field still"') == 1
    assert 'querySelectorAll(".field:not(.still)")' in out


def test_the_verdict_is_not_on_what_is_wrong_where_something_is_right(found):
    right = replace(found.trials[0], ratio=Range(0.9, 0.5, 1.5))
    wrong = replace(right, ratio=Range(2.0, 1.9, 2.1), numerics=Numerics("differs"))
    assert "0.90 times" in verdict([wrong, right], best([wrong, right]))
