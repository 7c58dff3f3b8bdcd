"""The magic and the cell, in a real IPython shell."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from compilescope import store
from compilescope.diagnose import diagnose
from compilescope.diagnosis import Cause
from compilescope.packs import report

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"
VOID = {"br", "hr", "img"}


class Balanced(HTMLParser):
    """Fails where a tag is closed that is not open."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.open += [tag] if tag not in VOID else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def parsed(html):
    parser = Balanced()
    parser.feed(html)
    parser.close()
    assert not parser.open
    return parser


@pytest.mark.parametrize("name", ["shapes", "breaks", "limit", "clean", "nothing", "failed"])
def test_a_cell_is_whole_and_says_what_the_terminal_says(name):
    diagnosis = diagnose(store.load(SESSIONS / f"{name}.cscope.json.gz"))
    cell = parsed(report("cell")(diagnosis))
    text = "".join(cell.text)
    assert diagnosis.verdict.replace("`", "") in text
    for cause in diagnosis.causes:
        assert cause.why.replace("`", "") in text
        assert not cause.remedies or cause.remedies[0].snippet in text
    for item in diagnosis.graph_breaks:
        assert item.why.replace("`", "") in text
    # Notebooks drop both from outputs that they do not trust.
    assert not cell.seen & {"script", "style"}


def test_markup_in_names_stays_text():
    diagnosis = diagnose(store.load(SESSIONS / "shapes.cscope.json.gz"))

    def hostile(cause: Cause) -> Cause:
        return msgspec.structs.replace(cause, why="<img src=x onerror=alert(1)> `<b>`")

    found = msgspec.structs.replace(
        diagnosis, causes=tuple(map(hostile, diagnosis.causes)), verdict="<script>1</script>"
    )
    assert not parsed(report("cell")(found)).seen & {"img", "script"}


@pytest.fixture
def shell():
    pytest.importorskip("torch")
    testing = pytest.importorskip("IPython.testing.globalipapp")
    found = testing.start_ipython() or testing.get_ipython()
    found.display_formatter.active_types = ["text/plain", "text/html"]  # as a kernel has it
    found.run_line_magic("load_ext", "compilescope")
    found.run_cell("import torch\nstep = torch.compile(lambda x: x * 2, backend='eager')")
    return found


def run(shell, cell):
    from IPython.utils.capture import capture_output

    with capture_output() as captured:
        shell.run_cell(cell).raise_error()
    return captured


@pytest.mark.torch
def test_the_magic_shows_the_cell_and_keeps_the_watch(shell, tmp_path):
    saved = tmp_path / "cell.cscope.json.gz"
    code = "for n in (3, 4, 5): y = step(torch.ones(n))\nprint(y.shape)"
    captured = run(shell, f"%%compilescope --reset -o {saved} w\n{code}")
    assert captured.stdout == "torch.Size([5])\n"
    (output,) = captured.outputs
    assert "1 recompile" in output.data["text/html"]
    assert "mark_dynamic(x, 0)" in output.data["text/html"]
    assert "1 recompile" in output.data["text/plain"]
    assert len(shell.user_ns["y"]) == 5
    assert shell.user_ns["w"].diagnosis.counts.recompiles == 1
    assert store.load(saved).name == "cell"


@pytest.mark.torch
def test_without_a_reset_what_is_compiled_stays(shell):
    run(shell, "torch._dynamo.reset(); y = [step(torch.ones(n)) for n in (3, 4)]")
    run(shell, "%%compilescope w\ny = step(torch.ones(6))")
    assert shell.user_ns["w"].diagnosis.counts.compiles == 0
    shell.user_ns["w"].assert_no_recompiles()


@pytest.mark.torch
def test_the_lines_of_a_cell_are_shown(shell):
    code = "def twice(x):\n    return x + x\nf = torch.compile(twice, backend='eager')"
    run(shell, f"{code}\n")
    run(shell, "%%compilescope w\nfor n in (3, 4): f(torch.ones(n))")
    html = shell.user_ns["w"]._repr_html_()
    assert "return x + x" in html


@pytest.mark.torch
@pytest.mark.parametrize("line", ["--rest", "a b", "-o", "'", "3"])
def test_a_wrong_line_is_an_error_in_words(shell, line):
    captured = run(shell, f"%%compilescope {line}\nran = 1")
    assert captured.stderr.startswith("error: ")
    assert "Traceback" not in captured.stderr
    assert "ran" not in shell.user_ns
