"""The page of what tune found: what it shows, hides and refuses."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from compilescope.reports.tuning import headline, orders, prices_of
from compilescope.reports.tuning_page import GLYPHS
from msgspec.structs import replace

from compilescope import store
from compilescope.cli import cli
from compilescope.errors import InputError, UsageError, VersionError
from compilescope.packs import tuning
from compilescope.tuning import Applied, Measures, Outcome, Patch, Tuning

TUNED = Path(__file__).parents[1] / "data" / "tuned"


@pytest.fixture
def found() -> Tuning:
    return store.load_tuning(TUNED / "serve-tuned.json")


@pytest.fixture
def result(tmp_path):
    for name in ("serve-tuned.json", "serve-tuned.cscope.json.gz"):
        shutil.copy(TUNED / name, tmp_path)
    return tmp_path / "serve-tuned.json"


def rows(text):
    return re.findall(r'<tr id="(trial-[^"]*)" class="([^"]*)"', text)


def test_rows_are_the_trials_in_their_order_and_the_run_as_it_is(found):
    shown = rows(tuning("html")(found))
    assert [kind.partition(" ")[0] for _, kind in shown] == [
        *(one.outcome.replace(" ", "-") for one in found.trials),
        "baseline",
    ]
    assert [" best" in kind for _, kind in shown].index(True) == next(
        place for place, one in enumerate(found.trials) if one.number == found.best
    )
    assert len({name for name, _ in shown}) == len(shown)


def test_mark_stands_at_each_call_that_recompiled(found):
    text = tuning("html")(found)
    drawn = re.findall(r'class="ticks".*?<path d="([^"]*)"', text)
    assert [path.count("M") for path in drawn] == [
        len(one.measures.recompiled_at) for one in (*found.trials, found.baseline)
    ]


def test_breaks_that_a_remedy_adds_are_said_in_the_headline(found):
    best = next(one for one in found.trials if one.number == found.best)
    measures = replace(best.measures, breaks=found.baseline.measures.breaks + 2)
    trials = tuple(replace(best, measures=measures) if one is best else one for one in found.trials)
    assert "; 2 more graph breaks)" in headline(replace(found, trials=trials))
    assert "graph break" not in headline(found)
    assert "eagerly" not in headline(found)


def test_calls_that_a_remedy_leaves_eager_are_said_in_the_headline(found):
    best = next(one for one in found.trials if one.number == found.best)
    measures = replace(best.measures, eager_calls=9)
    trials = tuple(replace(one, measures=measures) if one is best else one for one in found.trials)
    assert "; 9 calls ran eagerly)" in headline(replace(found, trials=trials))


def test_a_patch_that_leaves_more_than_the_trial_is_said_in_the_headline(found):
    best = next(one for one in found.trials if one.number == found.best)
    after = best.measures.recompiles
    for left, said in ((after + 1, True), (after, False)):
        patch = Patch("diff", verified=True, measures=Measures(recompiles=left))
        text = headline(replace(found, patch=patch))
        assert ("(verified; the patch alone leaves 1)" in text) is said
    unproved = Patch("diff", measures=Measures(recompiles=after + 1))
    assert "patch" not in headline(replace(found, patch=unproved))


def test_orders_count_one_recompile_as_one(found):
    assert next(orders(replace(found, orders=(1, 1)))).endswith("the best has 1 recompile")
    assert next(orders(replace(found, orders=(0, 1)))).endswith("the best has 0 to 1 recompile")
    assert next(orders(replace(found, orders=(0, 2)))).endswith("the best has 0 to 2 recompiles")


def test_no_price_is_not_said_beside_a_price(found):
    free, dear = Applied("a", "a", "none; symbolic"), Applied("b", "b", "memory")
    trial = replace(found.trials[0], remedies=(free, dear))
    assert prices_of(trial) == ["memory"]
    assert prices_of(replace(trial, remedies=(free,))) == ["none; symbolic"]


def test_failed_trial_claims_no_recompiles(found):
    failed = msgspec.structs.replace(found.trials[0], outcome="failed", why="it raised")
    text = tuning("html")(msgspec.structs.replace(found, trials=(failed,), best=None))
    assert re.search(r'data-name="Recompiles" data-v="">\u2013', text)


def test_hostile_text_stays_text(found):
    evil = '</script><b onclick=alert(1)>\x1b[31m"'
    trial = msgspec.structs.replace(found.trials[0], why=evil, label=evil, refused=(evil,))
    patch = msgspec.structs.replace(found.patch, diff="+" + evil, paste=(evil,), why=evil)
    text = tuning("html")(
        msgspec.structs.replace(found, name=evil, trials=(trial,), patch=patch, notes=(evil,))
    )
    assert "<b onclick" not in text
    assert "\x1b" not in text


def test_without_source_no_line_of_it_is_left(found):
    session = (TUNED / "serve-tuned.cscope.json.gz").read_bytes()
    assert session
    data = store.encode(store.load(TUNED / "serve-tuned.cscope.json.gz"))
    text = tuning("html")(found, source=False, session_json=data)
    for secret in ("serve.py", "/home/user", "register_buffer(&#34;count", "self.linear(x)"):
        assert secret not in text


def test_report_writes_it_and_the_run_comes_back_out(result, capsys):
    cli.main(["report", str(result), "-o", "page.html"], standalone_mode=False)
    assert capsys.readouterr().out == "page.html\n"
    beside = result.with_name("serve-tuned.cscope.json.gz")
    assert store.load(Path("page.html")) == store.load(beside)


def test_report_does_without_the_run_beside_it(result):
    result.with_name("serve-tuned.cscope.json.gz").unlink()
    cli.main(["report", str(result), "-o", "page.html"], standalone_mode=False)
    assert 'id="session"' not in Path("page.html").read_text(encoding="utf-8")


def test_compare_shows_the_trials(result, capsys):
    cli.main(["compare", str(result), "--format", "markdown"], standalone_mode=False)
    assert "| as it is |" in capsys.readouterr().out
    session = result.with_name("serve-tuned.cscope.json.gz")
    with pytest.raises(UsageError, match="compared with nothing"):
        cli.main(["compare", str(session)], standalone_mode=False)


def test_newer_and_damaged_results_are_told(result):
    text = result.read_text(encoding="utf-8")
    result.write_text(text.replace('"version": 1', '"version": 99'), encoding="utf-8")
    with pytest.raises(VersionError, match="cannot read"):
        store.load_tuning(result)
    result.write_text(text.replace('"trials": [', '"trials": [7, '), encoding="utf-8")
    with pytest.raises(InputError, match="not a result of tune"):
        store.load_tuning(result)


def test_show_says_what_shows_it(result):
    with pytest.raises(InputError, match="is a result of tune, not a session") as error:
        cli.main(["show", str(result)], standalone_mode=False)
    assert f"compilescope report {result}" in error.value.hint


def test_every_outcome_has_a_glyph():
    assert set(GLYPHS) == set(get_args(Outcome))


def test_unfinished_result_says_so_and_what_its_timings_are_worth(found):
    text = tuning("html")(msgspec.structs.replace(found, finished=False, jobs=4))
    assert "not finished: these are the trials so far" in text
    assert "4 runs went on side by side" in text
