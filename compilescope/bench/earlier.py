"""An earlier result beside this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from compilescope.benching import BENCHING_VERSION, Benching, Change, Earlier, Measured, Range
from compilescope.errors import InputError
from compilescope.file_kinds import FileKind

_RESULT = FileKind(
    "result of bench",
    BENCHING_VERSION,
    again="bench again",
    hint="`compilescope bench -o FILE` writes one",
)
_LEAST = 0.03  # changes of the ratio below it are not told even where they are certain


def load(path: Path) -> Benching:
    """The result in `path`.

    Raises:
        InputError: it is missing, unreadable, or no result of bench.
        VersionError: a newer compilescope wrote it.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read {path}",
            cause=error.strerror or str(error),
            hint="`compilescope bench -o FILE` writes a result",
        ) from error
    try:
        return msgspec.json.decode(data, type=Benching)
    except msgspec.DecodeError as error:
        raise _RESULT.refusal(data, str(path), error) from error


def compared(before: Benching, after: Benching) -> Earlier:
    """What changed from one result to the other, setting by setting."""
    known = {
        (trial.name, before.cases[one.case].name): one
        for trial in before.trials
        for one in trial.measured
    }
    changes = []
    for trial in after.trials:
        for one in trial.measured:
            key = (trial.name, after.cases[one.case].name)
            if key in known:
                changes.append(_change(*key, known[key], one))
    cautions = tuple(_cautions(before, after, found=bool(changes)))
    return Earlier(f"{before.name}, {before.created}", tuple(changes), cautions)


def with_earlier(before: Benching, after: Benching) -> Benching:
    """`after` with the comparison in it."""
    return msgspec.structs.replace(after, earlier=compared(before, after))


def _change(setting: str, case: str, before: Measured, after: Measured) -> Change:
    return Change(
        setting=setting,
        case=case,
        before=before.ratio,
        after=after.ratio,
        compiled=(before.compiled.median.value, after.compiled.median.value),
        eager=(before.eager.median.value, after.eager.median.value),
        verdict=_verdict(before.ratio, after.ratio),
    )


def _verdict(before: Range, after: Range) -> Literal["faster", "slower", "no clear change"]:
    """By the ratios to eager: what the machine did to both is not in them."""
    if before.low is None or before.high is None or after.low is None or after.high is None:
        return "no clear change"
    change = after.value / before.value - 1
    if after.low > before.high and change >= _LEAST:
        return "faster"
    if after.high < before.low and change <= -_LEAST:
        return "slower"
    return "no clear change"


def _cautions(before: Benching, after: Benching, *, found: bool) -> Iterator[str]:
    if not found:
        yield "no setting and inputs are in both results"
    pairs: Sequence[tuple[str, str, str]] = (
        ("what was measured", before.what, after.what),
        ("the device", before.device, after.device),
        ("torch", before.environment.torch, after.environment.torch),
        ("the dtype", before.dtype, after.dtype),
        ("autocast", before.autocast or "off", after.autocast or "off"),
    )
    for what, one, other in pairs:
        if one != other:
            yield f"{what} was {one}, now {other}"
    inputs = [case.inputs for case in before.cases], [case.inputs for case in after.cases]
    if found and inputs[0] != inputs[1]:
        yield "the inputs are not the same"


def slower(found: Earlier | None) -> bool:
    """Whether anything became slower than it was."""
    return found is not None and any(one.verdict == "slower" for one in found.changes)
