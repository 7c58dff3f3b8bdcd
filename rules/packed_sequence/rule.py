"""CS181: packed sequences in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class PackedSequence(CallRule):
    """Packed sequences in compiled code."""

    code = "CS181"
    name = "packed-sequence"
    summary = "packed sequences in compiled code"
    names = {
        "torch.nn.utils.rnn.pack_padded_sequence": "",
        "torch.nn.utils.rnn.pad_packed_sequence": "",
        "torch.nn.utils.rnn.pack_sequence": "",
        "torch.nn.utils.rnn.unpack_sequence": "",
        "torch.nn.utils.rnn.unpad_sequence": "",
    }
    gb_ids = ("GB0007",)
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "work on the padded tensor with a mask"
