"""What each kind of page says to its reader, by blocks; `#` stands before what can be linked."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from compilescope import store
from compilescope.diagnose.compare import compare
from compilescope.packs import comparison, report, tuning

TUNED = Path(__file__).parents[1] / "data" / "tuned"
BLOCKS = {"article", "div", "details", "dd", "dt", "figure", "figcaption", "h1", "h2", "h3", "li"}
BLOCKS |= {"p", "pre", "section", "summary", "td", "th", "tr", "dialog", "header", "main", "svg"}
SILENT = {"script", "style", "title"}


class Reader(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.lines = [""]
        self.silent = 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        self.silent += tag in SILENT
        if tag in BLOCKS:
            self.lines.append("")
        if "id" in names and tag not in SILENT:
            self.lines[-1] += f"#{names['id']} "
        if tag == "details":
            self.lines[-1] += "[open] " if "open" in names else "[folded] "

    def handle_endtag(self, tag):
        self.silent -= tag in SILENT
        if tag in BLOCKS:
            self.lines.append("")

    def handle_data(self, data):
        if not self.silent:
            self.lines[-1] += data


def read(page):
    body = page[page.index("<main>") : page.index("</main>")]
    lines = (re.sub(r"\s+", " ", line).strip() for line in Reader(body).lines)
    return "\n".join(line for line in lines if line) + "\n"


def test_golden(kind, diagnoses, golden):
    golden(f"reports/html/{kind}.txt", read(report("html")(diagnoses[kind])))


def test_golden_of_what_tune_found(golden):
    found = store.load_tuning(TUNED / "serve-tuned.json")
    golden("reports/html/tuned.txt", read(tuning("html")(found)))


def test_golden_of_a_comparison(diagnoses, golden):
    found = compare(diagnoses["breaks"], diagnoses["shapes"])
    golden("reports/html/comparison.txt", read(comparison("html")(found)))
