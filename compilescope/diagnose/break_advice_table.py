"""The graph breaks that people meet most, in our own words: why, and what to write instead."""

from __future__ import annotations

from compilescope.diagnose import break_advice_control, break_advice_outside, break_advice_tensors
from compilescope.diagnose.break_advice_types import Advice

TABLE: tuple[Advice, ...] = (
    *break_advice_control.ADVICE,
    *break_advice_outside.ADVICE,
    *break_advice_tensors.ADVICE,
)
