"""What trials showed, put to the remedies that they were about."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from compilescope.diagnosis import Cause, Remedy
from compilescope.model import Proof


def prove(causes: Sequence[Cause], proofs: Sequence[Proof]) -> tuple[Cause, ...]:
    """`causes` with their remedies' proofs, verified remedies first."""
    if not proofs:
        return tuple(causes)
    known = {(proof.cause, proof.remedy): proof for proof in proofs}
    return tuple(replace(cause, remedies=_proved(cause, known)) for cause in causes)


def _proved(cause: Cause, known: dict[tuple[str, str], Proof]) -> tuple[Remedy, ...]:
    remedies = []
    for remedy in cause.remedies:
        proof = known.get((cause.id, remedy.id))
        remedies.append(
            replace(remedy, proof=proof.text, before=proof.before, after=proof.after)
            if proof
            else remedy
        )
    return tuple(sorted(remedies, key=lambda remedy: not remedy.proof.startswith("verified")))
