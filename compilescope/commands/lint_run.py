"""One `lint`: gather, check or correct, compare with the baseline and the run, print."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.commands import lint_output as output
from compilescope.errors import ExitCode, UsageError
from compilescope.lint import registry, run
from compilescope.lint.baseline import apply_baseline, write_baseline
from compilescope.lint.cache import Cache, folder_for
from compilescope.lint.check import merged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from compilescope.commands.lint_settings import Plan
    from compilescope.lint.check import Analysis, Engine
    from compilescope.lint.result import LintResult
    from compilescope.lint.run import Inputs
    from compilescope.lint.settings import Settings


def lint_once(plan: Plan) -> ExitCode:
    """Do what was asked for, once."""
    options = plan.options
    inputs = _inputs(plan)
    if not len(inputs):
        print("warning: no Python files found", file=sys.stderr)
    engine = _engine(plan)
    if options.fix or options.diff:
        return _correct(inputs, plan, engine)
    result = run.lint(inputs, plan.settings, engine)
    _warn_of_names(result, plan)
    if options.add_noqa or options.add_ignore:
        return _annotate(result, plan)
    if options.update_baseline:
        return _update_baseline(result, plan)
    result = _joined(_baselined(result, plan), plan)
    output.show(result, plan, sys.stdout)
    return output.exit_code(result, plan)


def _inputs(plan: Plan) -> Inputs:
    if plan.stdin is not None:
        return run.from_stdin(sys.stdin.buffer.read(), plan.stdin)
    return run.gather(plan.paths, plan.settings)


def _engine(plan: Plan) -> Engine:
    if plan.options.no_cache or plan.stdin is not None:
        return _without_cache
    folder = folder_for(plan.root, plan.keys.cache_dir)
    return Cache(folder, _analyse, registry.identity())


def _analyse(groups: Sequence[Mapping[str, str]], settings: Settings) -> list[Analysis]:
    from compilescope.lint import analysis  # not where the cache has the answer

    return analysis.analyse_groups(groups, settings)


def _without_cache(sources: Mapping[str, str], settings: Settings) -> Analysis:
    from compilescope.lint.components import components, crosses

    groups = components(sources, len(sources) or 1)
    parts = _analyse(groups, settings)
    if crosses(groups, [part.read for part in parts]):
        parts = _analyse([sources], settings)
    return merged(parts)


def _correct(inputs: Inputs, plan: Plan, engine: Engine) -> ExitCode:
    unsafe = plan.keys.unsafe_fixes
    result, corrected = run.lint_and_correct(inputs, plan.settings, engine, unsafe=unsafe)
    _warn_of_names(result, plan)
    for path, code in sorted(corrected.failed):
        output.narrate(f"warning: {path}: the fix of {code} did not help and was not made", plan)
    if plan.options.diff:
        return output.show_diff(corrected, inputs, plan)
    result = _joined(_baselined(result, plan), plan)
    if plan.stdin is not None:
        sources = corrected.sources.values()
        output.stdout_bytes(inputs.raw)  # an editor takes what comes out for the new text
        output.stdout_bytes(b"".join(one.content().encode(one.encoding) for one in sources))
        output.show(result, plan, sys.stderr)
        return output.exit_code(result, plan)
    failed = run.save(corrected)
    for text in failed:
        print(f"error: cannot write {text}", file=sys.stderr)
    output.show(result, plan, sys.stdout)
    return ExitCode.ERROR if failed else output.exit_code(result, plan)


def _warn_of_names(result: LintResult, plan: Plan) -> None:
    """Names of the configuration are of the whole project: other files may have them."""
    for name in plan.options.compiled:
        if name not in result.named:
            print(
                f"warning: the linted files have no function or class `{name}` to compile",
                file=sys.stderr,
            )


def _annotate(result: LintResult, plan: Plan) -> ExitCode:
    added, failed = run.annotate(result, "noqa" if plan.options.add_noqa else "ignore")
    output.narrate(f"Added {added} suppression{'' if added == 1 else 's'}.", plan)
    if added and plan.options.add_noqa:
        output.narrate(
            'note: ruff\'s RUF102 deletes them unless `lint.external = ["CS"]` is set for ruff;'
            " `compilescope init` sets it, and --add-ignore writes comments that ruff leaves alone",
            plan,
        )
    for text in failed:
        print(f"error: cannot write {text}", file=sys.stderr)
    return ExitCode.ERROR if failed else ExitCode.CLEAN


def _baselined(result: LintResult, plan: Plan) -> LintResult:
    if plan.baseline is None:
        return result
    new, hidden, gone = apply_baseline(result.findings, result.sources, plan.baseline)
    return replace(result, findings=tuple(new), hidden=hidden, gone=gone)


def _update_baseline(result: LintResult, plan: Plan) -> ExitCode:
    if plan.baseline is None:
        raise UsageError(
            "--update-baseline needs --baseline FILE", hint="or `baseline` in the config"
        )
    number = write_baseline(result.findings, result.sources, plan.baseline)
    noun = "finding" if number == 1 else "findings"
    output.narrate(f"Accepted {number} {noun} in {plan.baseline}.", plan)
    return ExitCode.CLEAN


def _joined(result: LintResult, plan: Plan) -> LintResult:
    if plan.options.session is None:
        return result
    from compilescope.commands.lint_join import met_in
    from compilescope.lint.joined import join

    findings, missed = join(result.findings, met_in(plan.options.session), result.sources)
    name = str(plan.options.session)
    return replace(result, findings=tuple(findings), missed=tuple(missed), joined=name)
