"""Graph breaks where the code reaches outside the graph: output, system, skipped functions."""

from __future__ import annotations

from compilescope import wording
from compilescope.diagnose.break_advice_types import (
    CUSTOM_OP,
    DISABLE,
    GUARD,
    MOVE_OUT,
    NONSTRICT,
    Advice,
    Fix,
)

ADVICE: tuple[Advice, ...] = (
    # output, logging, the outside world
    Advice(
        ("GB0059", "GB0207"),
        r"builtin|print",
        wording.PRINT,
        (
            GUARD,
            Fix(
                "reorder",
                "Or let prints run after the graph, before the first compile",
                "torch._dynamo.config.reorderable_logging_functions.add(print)",
                since="2.3",
                limits="they come late and may show later values",
            ),
        ),
        about=r"`print`|builtin print|\bp?print\(",
    ),
    Advice(
        ("GB0059",),
        r"builtin",
        "A debugger stop cannot be part of a graph.",
        (Fix("remove", "Delete it"),),
        about=r"breakpoint|pdb",
    ),
    Advice(
        ("GB0059",),
        r"builtin",
        "Files and the console are outside the graph.",
        (MOVE_OUT, DISABLE),
        about=r"`open`|\bopen\(|`input`|\binput\(",
    ),
    Advice(
        ("GB0059",),
        r"builtin",
        "`pow(t, n)` on a tensor is not traced.",
        (Fix("operator", "Write `t ** n`"),),
        about=r"`pow`|\bpow\(",
    ),
    Advice(
        ("GB0059",),
        r"builtin",
        "Text made from a tensor needs the tensor's values, which are known only at run time.",
        (Fix("remove", "Drop it, or build the text outside"), GUARD),
        about=r"`(str|repr|format)`|\b(str|repr)\(",
    ),
    Advice(
        ("GB0059",),
        r"[Ff]ailed to trace builtin",
        "This builtin function cannot be traced with these arguments.",
        (MOVE_OUT, DISABLE),
    ),
    Advice(
        ("GB0291", "GB4841", "GB6215"),
        r"[Ll]ogg(er|ing)",
        wording.LOG,
        (
            GUARD,
            Fix(
                "ignore_logging",
                "Or drop logging calls in compiled code, before the first compile",
                "torch._dynamo.config.ignore_logging_functions.add(logger.info)",
                since="2.11",
            ),
            Fix(
                "ignore_logging",
                "Or drop logging calls in compiled code, before the first compile",
                "torch._dynamo.config.ignore_logger_methods.add(logger.info)",
                since="2.6",
                until="2.10",
            ),
        ),
        about=r"(?i)log",
    ),
    Advice(
        ("GB6215",),
        r"Unresolved GetAttrVariable",
        "An attribute is compared whose value the compiler could not find out.",
        (MOVE_OUT,),
    ),
    Advice(
        ("GB0007", "GB0008"),
        r"marked as skipped|skip(ped)? function|in skip_?files",
        wording.WARN,
        (GUARD, Fix("move_out", "Or warn once in `__init__`")),
        about=r"module: _?warnings|warnings\.warn|\bwarn\(",
    ),
    Advice(
        ("GB0007", "GB0008"),
        r"marked as skipped|skip(ped)? function|in skip_?files",
        "A progress bar prints and keeps time, so the loop around which it stands is not traced.",
        (Fix("plain_loop", "Loop over the plain iterable, or show progress outside"),),
        about=r"tqdm",
    ),
    Advice(
        ("GB0007", "GB0156", "GB0147"),
        r"marked as skipped|skip(ped)? function"
        r"|Unsupported (method|function)",
        "The clock would be read once, at compile time, so the compiler leaves it to Python.",
        (MOVE_OUT, GUARD),
        about=r"module: (time|datetime)|\btime\.\w+\(|datetime",
    ),
    Advice(
        ("GB0007", "GB0208", "GB0055", "GB7650", "GB0363"),
        r"skipped|Generator|non-Tensor|opaque",
        "Seeding and generators change the state of the random number generator, which a graph "
        "cannot do.",
        (Fix("move_out", "Seed and create generators outside the compiled function"),),
        about=r"manual_seed|rng_state|fork_rng|Generator|\bseed\b",
    ),
    Advice(
        ("GB0007", "GB0033", "GB0156"),
        r"marked as skipped|[Dd]ata.dependent|Unsupported method",
        "A random number of Python or NumPy decides a branch, and it is drawn outside the graph.",
        (
            Fix("torch_gate", "Draw with `torch.rand` and select with `torch.where`"),
            Fix("pass_in", "Or draw outside the compiled function and pass a bool"),
        ),
        about=r"(?m)\b(if|while)\b.*\brandom\b",
    ),
    Advice(
        ("GB0007", "GB0033", "GB0156"),
        r"marked as skipped|[Dd]ata.dependent|Unsupported method",
        "This random function of Python or NumPy draws outside the graph.",
        (
            Fix(
                "torch_random",
                "Draw with torch: `torch.rand`, `torch.randint`, `torch.randperm`",
                limits="another random stream; an `if` on the result still breaks",
            ),
            Fix(
                "random_uniform",
                "For `random.random()`: `random.uniform(0.0, 1.0)`, the same stream",
            ),
        ),
        about=r"module: (_?random|numpy\.random)|\brandom\.\w+\(|np\.random|numpy\.random",
    ),
    Advice(
        ("GB0213",),
        r"unimplemented builtin op on tensor arguments",
        "The graph cannot compute with this number: one that Python's `random` draws inside the "
        "compiled function, or a NumPy scalar.",
        (
            Fix(
                "pass_in",
                "Draw it outside the compiled function and pass it in, as an `int` or `float`",
            ),
            Fix(
                "torch_random",
                "Or draw it with torch: `torch.rand`, `torch.randint`, `torch.randperm`",
                limits="another random stream; an `if` or a slice by the result still breaks",
            ),
        ),
        about=r"UnspecializedPythonVariable",
    ),
    Advice(
        ("GB0007",),
        r"marked as skipped",
        "The operating system, the import system or the call stack is asked, which a graph "
        "cannot do.",
        (Fix("move_out", "Read it once outside and pass in or store the result"),),
        about=r"module: (os|posix|nt|genericpath|sys|inspect|importlib|gc|subprocess|pathlib"
        r"|platform|_imp)\b"
        r"|frozen \w*path|\bos\.\w+|sys\._getframe|inspect\.|gc\.collect",
    ),
    Advice(
        ("GB0007", "GB0156", "GB0134"),
        r"marked as skipped|Unsupported method|itertools",
        "Serialisation and pure-Python data handling run outside the graph.",
        (MOVE_OUT, DISABLE),
        about=r"module: (_?pickle|_?json|hashlib|_?heapq|_?bisect|statistics)|json\.|pickle\."
        r"|torch\.(save|load)",
    ),
    Advice(
        ("GB0008",),
        r"inline function marked as skipped",
        "The function loads data or steps an optimizer; that work stays in Python.",
        (Fix("compile_step", "Compile the model or the step only, not the loop around it"),),
        about=r"dataloader|DataLoader|optim",
    ),
    Advice(
        ("GB0007",),
        r"marked as skipped|call function .* in skip",
        "The function is C code, or one that PyTorch decided not to trace.",
        (MOVE_OUT, CUSTOM_OP, NONSTRICT, DISABLE),
    ),
    Advice(
        ("GB0008",),
        r"inline function marked as skipped|inline in skipfiles",
        "PyTorch decided not to trace this function.",
        (MOVE_OUT, NONSTRICT, DISABLE),
    ),
    # loops, context managers, exceptions, imports
    Advice(
        ("GB7000",),
        r"graph break in (a )?(for/while )?loop",
        "A break inside a loop cannot be resumed, so the whole function is given up.",
        (
            Fix("fix_inner", "Remove the break inside the loop, shown with it"),
            Fix("extract", "Or move the loop body into a function of its own and compile that"),
        ),
    ),
    Advice(
        ("GB0066",),
        r"under GenericContextWrapping",
        "A break inside this `with` block cannot be resumed, so the whole function is given up.",
        (
            Fix("fix_inner", "Remove the break inside the block, shown with it"),
            Fix("narrow", "Or move that statement out of the `with` block"),
        ),
    ),
    Advice(
        ("GB0142", "GB0262"),
        r"[Uu]nsupported context(lib)?",
        "A lock, a file or another object that touches the outside world is entered with `with`.",
        (
            Fix("move_out", "Enter it around the call of the compiled function"),
            Fix("move_out", "Or compute `cached_property` values in `__init__`"),
        ),
    ),
    Advice(
        ("GB0088",),
        r"[Oo]bserved exception",
        "Addresses exist only at run time, so the whole function runs eagerly.",
        (Fix("is", "To ask for the same object: `a is b`"), MOVE_OUT, CUSTOM_OP),
        about=r"data_ptr",
    ),
    Advice(
        ("GB0088",),
        r"[Oo]bserved exception",
        "Text is made from a tensor's values, which are known only at run time.",
        (Fix("remove", "Drop it, or build the text outside"), GUARD),
        about=r"(?m)\bf[\"'].*\{|\.format\(",
    ),
    Advice(
        ("GB0088",),
        r"[Oo]bserved exception",
        "An exception leaves the function while it is traced, so the function runs eagerly.",
        (
            Fix("check_outside", "Check the inputs before the compiled call"),
            Fix(
                "assert",
                'Or turn a check on data into `assert condition, "text"` with a constant text',
                limits="it raises RuntimeError",
            ),
        ),
    ),
    Advice(
        ("GB0069",),
        r"[Ii]mport failure",
        "A module is imported inside the function and is missing, so the whole function is given "
        "up.",
        (
            Fix(
                "hoist_import",
                "Try the import once, at module level, and keep the outcome in a constant",
                "try:\n    {code}\n    AVAILABLE = True\nexcept ImportError:\n    AVAILABLE = "
                "False",
            ),
        ),
    ),
)
