"""Why the common causes are causes, in the words that every verb uses, and what to write instead.

`lint` says it before anything runs, the diagnosis after: the same cause is the same sentence.
"""

from __future__ import annotations

# Python needs a value
BRANCH = "A Python branch depends on the value of a tensor, which is known only at run time."
LOOP = "The loop ends when a tensor has a certain value, which is known only at run time."
CHECK = "A check on a tensor's values raises an error, so the value must be known while tracing."
MESSAGE = "This `assert` on a tensor builds its message at run time, so it is an ordinary branch."
NOT = "`not` on a tensor needs its truth value, which is known only at run time."
ITEM = "A Python number is read out of a tensor, and its value is known only at run time."
LIST = "`tolist()` turns tensor values into Python numbers, which depend on the data."
MATH = "A `math` function needs a Python number, so the tensor's value must be read."
EQUAL = "`torch.equal` and `allclose` return a Python bool, which depends on the data."

# sizes that depend on data
SELECTED = "Selecting by a mask or by `nonzero` gives a result whose size depends on the data."
COUNTED = (
    "The number of distinct values or bins depends on the data, so the result's size does too."
)
REPEATED = "`repeat_interleave` with a tensor of counts has a result size that depends on the data."

# the outside world
PRINT = "`print` writes to the outside world, which a graph cannot do."
LOG = "Logging writes to the outside world, which a graph cannot do."
WARN = "`warnings.warn` writes to the outside world, which a graph cannot do."

# numbers that change
MODULE_INT = "Ints on an `nn.Module` are constants to PyTorch, so each new value is compiled"
CONSTANT_FIRST = (
    "is a constant at first; from its first change on it is symbolic and serves other values."
)
NEEDS_NUMBER = (
    "It goes into Python arithmetic that needs the number, so each value is compiled separately."
)

# what to write instead
USE_WHERE = "Compute both results and select: `torch.where(condition, a, b)`"
USE_ASSERT = 'Write `assert condition, "text"` with a constant text: it stays in the graph'
USE_CONSTANT = "Give the assert a constant string: it is then checked inside the graph"
USE_LOGICAL_NOT = "Use `~mask` or `torch.logical_not(x)`"
USE_FIXED_STEPS = "Run a fixed number of rounds and mask those that are done"
USE_TENSOR = "Keep it a tensor: 0-dimensional tensors work in arithmetic"
USE_OFFSETS = "Work on the tensor: `arange`, offsets and masks instead of lists"
USE_TORCH = "Use the torch function of the same name on the tensor"
USE_COMPARED = "Compare into a tensor: `(a == b).all()` or `torch.isclose(a, b).all()`"
USE_MASK = "Keep the full shape and mask: `torch.where(mask, x, 0)`, sums and counts"
USE_FIXED_BINS = "Sum into a fixed size: `torch.zeros(n).scatter_add(0, index, ones)`"
USE_OUTPUT_SIZE = "Pass `output_size=`, if you know the total"
USE_GUARD = "Skip it while compiling"
USE_BUFFER = "Hold {} in a tensor buffer"
USE_IN_PLACE = " and update it in place"
USE_0D = "Hold {} in a 0-dimensional tensor"
