"""CS115: a progress bar in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class ProgressBar(CallRule):
    """A progress bar in compiled code."""

    code = "CS115"
    name = "progress-bar"
    summary = "a progress bar in compiled code"
    names = {
        "tqdm.tqdm": "",
        "tqdm.trange": "",
        "tqdm.auto.tqdm": "",
        "tqdm.auto.trange": "",
        "tqdm.std.tqdm": "",
        "tqdm.std.trange": "",
        "tqdm.notebook.tqdm": "",
        "rich.progress.track": "",
    }
    gb_ids = ("GB0007", "GB0008")
    severity = "eager"
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "iterate over the plain iterable in compiled code"
