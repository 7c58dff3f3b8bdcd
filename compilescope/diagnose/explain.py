"""A guard failure in one or two plain sentences, with the values that were seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.diagnose import (
    explain_identity,
    explain_module,
    explain_shape,
    explain_state,
    explain_structure,
    explain_tensor,
    explain_value,
)
from compilescope.diagnose.explain_words import Words, across_break

if TYPE_CHECKING:
    from collections.abc import Callable

    from compilescope.diagnose.evidence import Evidence

_SENTENCES: dict[str, Callable[[Words], str]] = {
    **explain_tensor.SENTENCES,
    **explain_shape.SENTENCES,
    **explain_value.SENTENCES,
    **explain_module.SENTENCES,
    **explain_identity.SENTENCES,
    **explain_state.SENTENCES,
    **explain_structure.SENTENCES,
}


def why(evidence: Evidence) -> str:
    """What differed between the compile and the call, and what PyTorch makes of it."""
    sentence = _sentence(evidence.failure.kind) or explain_structure.unclear
    words = Words(evidence)
    text = across_break(sentence(words).strip(), words.resumed_at)
    return text[0].upper() + text[1:]


def is_explained(kind: str) -> bool:
    """Whether guard failures of `kind` have an explanation of their own."""
    return _sentence(kind) is not None


def _sentence(kind: str) -> Callable[[Words], str] | None:
    return _SENTENCES.get(kind) or _SENTENCES.get(kind.partition(".")[0])
