"""CS188: a C function in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class ForeignFunction(CallRule):
    """A C function in compiled code."""

    code = "CS188"
    name = "foreign-function"
    summary = "a C function in compiled code"
    names = {
        "ctypes.CDLL": "",
        "ctypes.cdll": "",
        "ctypes.c_int": "",
        "ctypes.c_float": "",
        "ctypes.c_double": "",
        "ctypes.c_char_p": "",
        "ctypes.pythonapi": "",
        "ctypes.CDLL.*": "",
        "ctypes.PyDLL.*": "",
    }
    gb_ids = ("GB0156",)
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "wrap it into a `torch.library.custom_op`"
