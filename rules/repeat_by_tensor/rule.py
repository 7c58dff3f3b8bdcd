"""CS143: repeat_interleave by a tensor."""

from __future__ import annotations

from compilescope import wording
from compilescope.lint.rule import CallRule, Fact
from compilescope.lint.values import is_tensor


class RepeatByTensor(CallRule):
    """Repeat_interleave by a tensor."""

    code = "CS143"
    name = "repeat-by-tensor"
    summary = "repeat_interleave by a tensor"
    names = {
        "torch.repeat_interleave": "",
        "torch.Tensor.repeat_interleave": "",
    }
    message = "`repeat_interleave` by a tensor: the size of the result depends on the data"
    captured = True
    gb_ids = ("GB0036",)
    reason = wording.REPEATED
    help = wording.USE_OUTPUT_SIZE

    def applies(self, fact: Fact) -> bool:
        """A number of repeats, or a stated size, is fine."""
        position = 0 if fact.name.startswith("torch.Tensor.") else 1
        repeats = fact.argument(position, "repeats")
        return repeats is not None and is_tensor(repeats) and "output_size" not in fact.keywords
