"""stdin, exit codes, baseline, cache, watch: what is around the findings."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from compilescope.lint.watch import changes

BAD = "def forward(x):\n    if x:\n        print(x)\n"


class TestExitCodes:
    """0 clean, 1 findings, 2 mistakes."""

    def test_findings(self, project, lint):
        project.write("m.py", BAD)
        assert lint().code == 1
        assert lint("--exit-zero").code == 0
        assert lint("--select", "CS2").code == 0

    @pytest.mark.parametrize(("severity", "code"), [("raises", 0), ("eager", 1), ("note", 1)])
    def test_fail_on(self, project, lint, severity, code):
        project.write("m.py", "def forward(x):\n    if x:\n        pass\n")
        outcome = lint("--fail-on", severity)
        assert outcome.code == code
        assert "CS101" in outcome.out

    def test_a_syntax_error_always_fails(self, project, lint):
        project.write("m.py", "x = (\n")
        assert lint("--fail-on", "raises").code == 1

    def test_quiet(self, project, lint):
        project.write("m.py", BAD)
        assert "Found" not in lint("-q").out
        assert "CS101" in lint("-q").out


class TestStdin:
    """`-` and --stdin-filename."""

    def test_named(self, project, lint):
        outcome = lint(
            "--stdin-filename", "pkg/m.py", "-", "--format", "concise", stdin=BAD.encode()
        )
        assert outcome.code == 1
        assert outcome.lines()[0].startswith("pkg/m.py:2:8: CS101")

    def test_unnamed(self, project, lint):
        outcome = lint("-", "--format", "concise", stdin=BAD.encode())
        assert outcome.lines()[0].startswith("-:2:8: CS101")

    def test_the_name_alone_reads_stdin_too(self, project, lint):
        assert lint("--stdin-filename", "m.py", stdin=BAD.encode()).code == 1

    def test_the_configuration_is_that_of_the_name(self, project, lint):
        project.write("pkg/compilescope.toml", "ignore = ['CS1']\n")
        assert lint("--stdin-filename", "pkg/m.py", "-", stdin=BAD.encode()).code == 0
        assert lint("--stdin-filename", "m.py", "-", stdin=BAD.encode()).code == 1

    def test_notebook(self, project, lint):
        cell = {"cell_type": "code", "source": ["print(x)"]}
        data = json.dumps({"cells": [cell], "nbformat": 4}).encode()
        outcome = lint("--stdin-filename", "n.ipynb", "-", "--format", "concise", stdin=data)
        assert outcome.lines()[0].startswith("n.ipynb:cell 1:1:1: CS110")

    @pytest.mark.parametrize("data", [b"", b"x = (\n", b"'\xff'\n"])
    def test_odd_programs(self, project, lint, data):
        assert lint("-", stdin=data).code == (1 if data else 0)

    def test_diff(self, project, lint):
        outcome = lint("--diff", "--stdin-filename", "m.py", "-", stdin=BAD.encode())
        assert outcome.out.startswith("--- m.py\n+++ m.py\n")


class TestBaseline:
    """Accepted findings."""

    @pytest.fixture
    def accepted(self, project, lint):
        project.write("m.py", BAD)
        project.write("pkg/n.py", BAD)
        outcome = lint("--baseline", "base.json", "--update-baseline")
        assert (outcome.code, outcome.err) == (0, "Accepted 4 findings in base.json.\n")
        return project

    def test_accepted_findings_are_not_shown(self, accepted, lint):
        outcome = lint("--baseline", "base.json")
        assert outcome.code == 0
        assert "4 findings of the baseline not shown." in outcome.out

    def test_new_lines_above_change_nothing(self, accepted, lint):
        accepted.write("m.py", f"import math\n\n\n{BAD}")
        assert lint("--baseline", "base.json").code == 0

    def test_one_more_of_the_same_is_new(self, accepted, lint):
        accepted.write("m.py", f"{BAD}        print(x)\n")
        outcome = lint("--baseline", "base.json", "--format", "concise")
        assert outcome.code == 1
        assert outcome.lines()[0].startswith("m.py:4:9: CS110")

    def test_entries_that_match_nothing_are_counted(self, accepted, lint):
        accepted.write("m.py", "x = 1\n")
        out = lint("--baseline", "base.json").out
        assert "2 entries of the baseline matched nothing: `--update-baseline`." in out
        assert "matched nothing" not in lint("--baseline", "base.json", "pkg").out

    def test_an_update_of_a_part_keeps_the_rest(self, accepted, lint):
        accepted.write("m.py", "x = 1\n")
        lint("--baseline", "base.json", "--update-baseline", "m.py")
        listed = json.loads((accepted.path / "base.json").read_text())["findings"]
        assert {entry["path"] for entry in listed} == {"pkg/n.py"}

    def test_it_may_stand_in_the_configuration(self, accepted, lint):
        accepted.write("compilescope.toml", "baseline = 'base.json'\n")
        assert lint("pkg/n.py").code == 0

    def test_broken_files_are_never_accepted(self, project, lint):
        project.write("m.py", "x = (\n")
        lint("--baseline", "base.json", "--update-baseline")
        assert lint("--baseline", "base.json").code == 1

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (None, "does not exist"),
            ("{", "is not a baseline"),
            ('{"version": 1, "findings": [{"path": 3}]}', "is not a baseline"),
            ('{"version": 9, "findings": []}', "it has version 9"),
        ],
    )
    def test_mistakes(self, project, lint, data, said):
        project.write("m.py", BAD)
        if data is not None:
            project.write("base.json", data)
        outcome = lint("--baseline", "base.json")
        assert outcome.code == 2
        assert said in outcome.err


class TestCache:
    """The engine runs once for one input."""

    def test_unchanged_sources_are_not_analysed_again(self, project, lint, engine):
        project.write("m.py", BAD)
        first = lint()
        assert lint() == first
        assert engine.calls == 1
        assert lint("--select", "CS110").code == 1
        assert engine.calls == 1

    def test_syntax_errors_come_from_the_cache_too(self, project, lint, engine):
        project.write("m.py", "x = (\n")
        assert lint() == lint()
        assert engine.calls == 1

    @pytest.mark.parametrize(
        "change",
        [
            ["--target-torch", "2.11"],
            ["--compiled", "m:forward"],
            ["--pedantic"],
            ["--no-cache"],
            ["--cache-dir", "elsewhere"],
        ],
    )
    def test_other_settings_are_another_key(self, project, lint, engine, change):
        project.write("m.py", BAD)
        lint()
        lint(*change)
        assert engine.calls == 2

    def test_a_change_is_seen_even_when_time_and_size_stay(self, project, lint, engine):
        path = project.write("m.py", BAD)
        before = path.stat()
        lint()
        path.write_text(BAD.replace("print", "prinz"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert "CS110" not in lint().out

    def test_new_rules_are_another_key(self, project, lint, engine, monkeypatch):
        from compilescope.lint import registry

        project.write("m.py", BAD)
        lint()
        monkeypatch.setattr(registry, "identity", lambda: "other rules")
        lint()
        assert engine.calls == 2

    @pytest.mark.parametrize("data", [b"", b"\x93", b"\x00" * 100, b'{"a": 1}'])
    def test_damage_is_a_miss(self, project, lint, engine, data):
        project.write("m.py", BAD)
        first = lint()
        (entry,) = (project.path / ".compilescope" / "lint-cache").glob("*.msgpack")
        entry.write_bytes(data)
        assert lint() == first
        assert lint() == first
        assert engine.calls == 2

    def test_files_that_were_read_besides_are_part_of_it(self, project, lint, engine, monkeypatch):
        project.write("m.py", BAD)
        other = project.write("other.txt", "1")
        call = type(engine).__call__
        monkeypatch.setattr(
            type(engine), "__call__", lambda *a: call(*a)._replace(read={str(other)})
        )
        lint()
        lint()
        assert engine.calls == 1
        other.write_text("2")
        lint()
        other.unlink()
        lint()
        assert engine.calls == 3

    def test_it_is_kept_out_of_version_control(self, project, lint):
        project.write("m.py", BAD)
        lint()
        assert (project.path / ".compilescope" / "lint-cache" / ".gitignore").read_text() == "*\n"

    def test_a_folder_that_cannot_be_made_is_no_obstacle(self, project, lint):
        project.write("m.py", BAD)
        project.write("file", "")
        assert lint("--cache-dir", "file/cache").code == 1

    def test_a_file_in_the_way_is_no_obstacle(self, project, lint):
        project.write("m.py", BAD)
        project.write(".compilescope", "")
        assert lint().code == 1

    def test_old_entries_go(self, project, lint, monkeypatch):
        from compilescope.lint import cache

        monkeypatch.setattr(cache, "KEPT", 3)
        for number in range(6):
            project.write("m.py", f"x = {number}\n")
            lint()
        assert len(list((project.path / ".compilescope" / "lint-cache").glob("*.msgpack"))) == 3

    def test_stdin_is_not_cached(self, project, lint):
        lint("-", stdin=BAD.encode())
        assert not (project.path / ".compilescope").exists()


class TestWatch:
    """Waiting for changes."""

    def test_changes_are_told(self, tmp_path):
        first, second = tmp_path / "a.py", tmp_path / "b.py"
        first.write_text("1")
        steps = iter(
            [
                lambda: None,
                lambda: first.write_text("12"),
                lambda: second.write_text("1"),
                second.unlink,
            ]
        )
        watched = changes(lambda: list(tmp_path.glob("*.py")), lambda _: next(steps)())
        assert [next(watched) for _ in range(3)] == [[first], [second], [second]]

    def test_the_command_lints_again_and_ends_with_an_interrupt(self, project, lint, monkeypatch):
        from compilescope.lint import watch

        path = project.write("m.py", BAD)

        def stop(files):
            path.write_text("x = 1\n")
            yield list(files())
            raise KeyboardInterrupt

        monkeypatch.setattr(watch, "changes", stop)
        outcome = lint("--watch", "--format", "concise")
        assert outcome.code == 0
        assert outcome.out.startswith("m.py:2:8: CS101")
        assert outcome.out.endswith("All checks passed!\n")


class TestPaths:
    """Which paths are shown."""

    def test_below_here_relative_elsewhere_absolute(self, project, lint, monkeypatch):
        project.write("a/m.py", BAD)
        project.write("b/n.py", BAD)
        monkeypatch.chdir(project.path / "a")
        outcome = lint("--format", "concise", ".", str(project.path / "b"))
        shown = [line.partition(":")[0] for line in outcome.lines() if ".py:" in line]
        assert set(shown) == {"m.py", str(Path(project.path) / "b" / "n.py")}
