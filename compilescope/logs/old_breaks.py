"""The messages of graph breaks before 2.7, which had no names yet, to the names of today."""

from __future__ import annotations

import re

# Message of 2.0 to 2.6 to the name that the same break has since 2.7; first match wins.
_NAMES = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"^generic_jump ", "Data-dependent branching"),
        (
            r"^(?:call_method TensorVariable\(\) item\b|Tensor\.item\b)",
            "Unsupported Tensor.item() call with capture_scalar_outputs=False",
        ),
        (
            r"^(?:dynamic shape operator|dynamic shapes: (?:nonzero|unique))",
            "Dynamic shape operator",
        ),
        (r"^data dependent operator", "Data dependent operator"),
        (r"^call_function BuiltinVariable\(", "Failed to trace builtin operator"),
        (
            r"^Logger not supported for non-export cases",
            "logging.Logger method not supported for non-export cases",
        ),
        (
            r"^call torch\._dynamo\.disable\(\) wrapped function",
            "Skip calling `torch.compiler.disable()`d function",
        ),
        (
            r"^call_method TensorVariable\(\) backward\b|^Tensor\.backward\b",
            "Unsupported Tensor.backward() call",
        ),
        (
            r"^'inline in skipfiles|^inline in skipfiles",
            "Attempted to inline function marked as skipped",
        ),
        (
            r"^'?call_function (?:in skip_files|function in skip_files)|^'?skip function ",
            "Attempted to call function marked as skipped",
        ),
        (r"^call_method \w+Variable\(", "Unsupported method call"),
        (r"^(?:'immutable|call_function) UserDefinedObjectVariable\(", "Unsupported function call"),
    )
)


def modern_type(message: str) -> str:
    """The name of the kind of break that `message` tells of, or `message` where it has none."""
    for pattern, name in _NAMES:
        if pattern.search(message):
            return name
    return message
