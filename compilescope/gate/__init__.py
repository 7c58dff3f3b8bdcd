"""The gate: a diagnosis against limits. Pure: no input, no output, no torch."""

from __future__ import annotations

from compilescope.gate.judge import judge
from compilescope.gate.judgement import Crossing, Judgement
from compilescope.gate.limits import Limits

__all__ = ["Crossing", "Judgement", "Limits", "judge"]
