"""The graph breaks that people meet most, in our own words: why, and what to write instead.

Of the entries whose ids or type match, the first counts whose `about` is found in the reason, the
context or the user's line; else the first without an `about`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fix:
    """A way out of a graph break."""

    id: str
    text: str
    snippet: str = ""  # {code} is the user's line
    since: str = ""
    until: str = ""
    price: str = ""
    limits: str = ""


@dataclass(frozen=True)
class Advice:
    """Why a kind of code cannot be captured, and the ways out."""

    ids: tuple[str, ...]
    type: str  # regular expression over PyTorch's name or, in old logs, text
    why: str
    fixes: tuple[Fix, ...] = ()
    about: str = ""  # regular expression over reason, context and line


GUARD = Fix(
    "is_compiling_guard",
    "Skip it while compiling",
    "if not torch.compiler.is_compiling():\n    {code}",
    since="2.1",
    limits="it then does not happen in compiled calls",
)
MOVE_OUT = Fix("move_out", "Move it out of the compiled function, before or after the call")
DISABLE = Fix(
    "disable",
    "Or keep the break and make it explicit: put the call in a function under "
    "`torch.compiler.disable`",
    "@torch.compiler.disable",
    since="2.1",
    price="the break stays, at a place that you choose",
)
CUSTOM_OP = Fix(
    "custom_op",
    "Wrap the function as a custom operator, which the graph calls without looking inside",
    '@torch.library.custom_op("mine::name", mutates_args=())',
    since="2.4",
    price="a fake implementation (`register_fake`) must be written too",
)
NONSTRICT = Fix(
    "nonstrict_trace",
    "Or let the compiler trace through it without checks",
    "@torch._dynamo.nonstrict_trace",
    since="2.7",
    limits="side effects and branches inside are not checked",
)
WHERE = Fix(
    "torch_where",
    "Compute both results and select: `torch.where(condition, a, b)`",
    price="both sides are computed",
)
COND = Fix(
    "torch_cond",
    "Or `torch.cond(condition, true_fn, false_fn, operands)`, which runs one side only",
    since="2.4",
    limits="both functions must return tensors of the same shape and dtype and change nothing",
)
KEEP_TENSOR = Fix("keep_tensor", "Keep it a tensor: 0-dimensional tensors work in arithmetic")
SCALARS = Fix(
    "capture_scalar_outputs",
    "Or capture the number as a symbolic value, before the first compile",
    "torch._dynamo.config.capture_scalar_outputs = True",
    since="2.0",
    limits="not where the number decides an `if`, a `range()` or goes into `math.*`",
)
DYNAMIC_SHAPES = Fix(
    "capture_dynamic_output_shape_ops",
    "Or let the graph hold sizes that depend on data, before the first compile",
    "torch._dynamo.config.capture_dynamic_output_shape_ops = True",
    since="2.1",
    limits="branches on such a size still break the graph",
)
MASK = Fix("mask", "Keep the full shape and mask: `torch.where(mask, x, 0)`, sums and counts")
INIT = Fix("build_in_init", "Create it once in `__init__`")

TABLE: tuple[Advice, ...] = (
    # explicit
    Advice(
        ("GB0025",), r"graph_break\(\)",
        "`Optimizer.step` ends the graph by design; the update itself is compiled after it.",
        (Fix("leave", "Nothing to do here: compile the optimizer step as a function of its own"),),
        about=r"optim[/\\.](optimizer|lr_scheduler)",
    ),
    Advice(
        ("GB0025",), r"graph_break\(\)",
        "`torch._dynamo.graph_break()` ends the graph here on purpose.",
        (Fix("remove", "Delete the call, if it was left over from debugging"),),
    ),
    Advice(
        ("GB0098",), r"compiler\.disable|disable\(\)`?d",
        "The called function is under `torch.compiler.disable`, so it runs eagerly.",
        (
            Fix("leave", "Leave it if it must stay eager"),
            Fix("move_out", "Or call it before the compiled function and pass in the result"),
        ),
    ),
    # data-dependent control flow
    Advice(
        ("GB0170",), r"[Dd]ata.dependent (branch|jump|control)|generic_jump",
        "This `assert` on a tensor builds its message at run time, so it is an ordinary branch.",
        (
            Fix("constant_message", "Give the assert a constant string: it is then checked inside the graph",
                limits="it raises RuntimeError, not AssertionError"),
            Fix("move_out", "Or check outside the compiled function"),
        ),
        about=r"(?m)^\s*assert\b",
    ),
    Advice(
        ("GB0170",), r"[Dd]ata.dependent (branch|jump|control)|generic_jump",
        "A check on a tensor's values raises an error, so the value must be known while tracing.",
        (Fix("assert", 'Write `assert condition, "text"` with a constant text: it stays in the graph',
             limits="it raises RuntimeError, not the exception of before"),
         Fix("move_out", "Or check outside the compiled function")),
        about=r"(?m)\braise\b",
    ),
    Advice(
        ("GB0170",), r"[Dd]ata.dependent (branch|jump|control)|generic_jump",
        "The loop ends when a tensor has a certain value, which is known only at run time.",
        (
            Fix("fixed_steps", "Run a fixed number of rounds and mask those that are done",
                price="rounds that were not needed"),
            Fix("compile_body", "Or compile the body of the loop and loop in eager code"),
        ),
        about=r"(?m)^\s*while\b",
    ),
    Advice(
        ("GB0170",), r"[Dd]ata.dependent (branch|jump|control)|generic_jump",
        "A Python branch depends on the value of a tensor, which is known only at run time.",
        (WHERE, COND, Fix("move_out", "Or decide outside the compiled function and pass a bool",
                          limits="a bool argument is compiled once for each value")),
    ),
    # numbers out of tensors
    Advice(
        ("GB0124",), r"Tensor\.item|\.item\(\)|_local_scalar_dense",
        "The number of rounds is read out of a tensor, so the loop cannot be unrolled.",
        (Fix("fixed_steps", "Loop over a size that is known, or use `arange` over it and a mask"),
         Fix("pass_in", "Or pass the number as a Python int from outside",
             limits="each value of a loop count is compiled")),
        about=r"(?m)^.*\brange\(.*$",
    ),
    Advice(
        ("GB0124",), r"Tensor\.item|\.item\(\)|_local_scalar_dense",
        "A tensor is indexed with a Python number that is read out of another tensor.",
        (Fix("index_select", "Select with the tensor: `x.index_select(0, i.reshape(1)).squeeze(0)`",
             limits="`x[i]` alone only moves the break into the backend"),
         SCALARS),
        about=r"(?m)\w\[[^\]:]*\.item\(\)[^\]:]*\]",
    ),
    Advice(
        ("GB0124",), r"Tensor\.item|\.item\(\)|_local_scalar_dense",
        "A Python number is read out of a tensor; what is done with it afterwards is unknown.",
        (KEEP_TENSOR, SCALARS, Fix("return_tensor", "For logging: return the detached tensor and read it outside")),
    ),
    Advice(
        ("GB0109",), r"tolist",
        "`tolist()` turns tensor values into Python numbers, and only integers can be captured.",
        (Fix("keep_tensor", "Work on the tensor, or take it apart with `unbind()`"),),
    ),
    Advice(
        ("GB0033",), r"[Dd]ata.dependent operator",
        "`torch.equal` and `allclose` return a Python bool, which depends on the data.",
        (Fix("keep_tensor", "Compare into a tensor: `(a == b).all()` or `torch.isclose(a, b).all()`",
             limits="an `if` on the result still breaks"),),
        about=r"aten\.(equal|allclose)",
    ),
    Advice(
        ("GB0033",), r"[Dd]ata.dependent operator",
        "`tolist()` turns tensor values into Python numbers, which depend on the data.",
        (Fix("keep_tensor", "Work on the tensor: `arange`, offsets and masks instead of lists"), SCALARS),
        about=r"tolist",
    ),
    Advice(
        ("GB0033",), r"[Dd]ata.dependent operator",
        "A `math` function needs a Python number, so the tensor's value must be read.",
        (Fix("torch_math", "Use the torch function of the same name on the tensor"),),
        about=r"\bmath\.\w+",
    ),
    Advice(
        ("GB0033",), r"[Dd]ata.dependent operator",
        "`not` on a tensor needs its truth value, which is known only at run time.",
        (Fix("logical_not", "Use `~mask` or `torch.logical_not(x)`"), WHERE),
        about=r"(?m)\bnot\b",
    ),
    Advice(
        ("GB0033",), r"[Dd]ata.dependent operator",
        "The operator returns a Python value that depends on the tensor's data.",
        (KEEP_TENSOR, SCALARS),
    ),
    # shapes that depend on data
    Advice(
        ("GB0036",), r"[Dd]ynamic shape operator|dynamic output shape",
        "The number of distinct values or bins depends on the data, so the result's size does too.",
        (Fix("fixed_bins", "Sum into a fixed size: `torch.zeros(n).scatter_add(0, index, ones)`"),
         MOVE_OUT, DYNAMIC_SHAPES),
        about=r"aten\.(_?unique|bincount|histc)",
    ),
    Advice(
        ("GB0036",), r"[Dd]ynamic shape operator|dynamic output shape",
        "`repeat_interleave` with a tensor of counts has a result size that depends on the data.",
        (Fix("output_size", "Pass `output_size=`, if you know the total"), DYNAMIC_SHAPES),
        about=r"repeat_interleave",
    ),
    Advice(
        ("GB0036",), r"[Dd]ynamic shape operator|dynamic output shape",
        "Selecting by a mask or by `nonzero` gives a result whose size depends on the data.",
        (MASK, Fix("nonzero_static", "Or `torch.nonzero_static(mask, size=n)` with a fixed size", since="2.2"),
         DYNAMIC_SHAPES),
    ),
    Advice(
        ("GB0246",), r"one_hot",
        "`one_hot` without `num_classes` looks at the data for the largest class.",
        (Fix("num_classes", "Pass the number of classes: `F.one_hot(x, num_classes)`"),),
    ),
    # output, logging, the outside world
    Advice(
        ("GB0059", "GB0207"), r"builtin|print",
        "`print` writes to the outside world, which a graph cannot do.",
        (GUARD, Fix("reorder", "Or let prints run after the graph, before the first compile",
                    "torch._dynamo.config.reorderable_logging_functions.add(print)", since="2.3",
                    limits="they come late and may show later values")),
        about=r"`print`|builtin print|\bp?print\(",
    ),
    Advice(
        ("GB0059",), r"builtin",
        "A debugger stop cannot be part of a graph.",
        (Fix("remove", "Delete it"),),
        about=r"breakpoint|pdb",
    ),
    Advice(
        ("GB0059",), r"builtin",
        "Files and the console are outside the graph.",
        (MOVE_OUT, DISABLE),
        about=r"`open`|\bopen\(|`input`|\binput\(",
    ),
    Advice(
        ("GB0059",), r"builtin",
        "`pow(t, n)` on a tensor is not traced.",
        (Fix("operator", "Write `t ** n`"),),
        about=r"`pow`|\bpow\(",
    ),
    Advice(
        ("GB0059",), r"builtin",
        "Text made from a tensor needs the tensor's values, which are known only at run time.",
        (Fix("remove", "Drop it, or build the text outside"), GUARD),
        about=r"`(str|repr|format)`|\b(str|repr)\(",
    ),
    Advice(
        ("GB0059",), r"[Ff]ailed to trace builtin",
        "This builtin function cannot be traced with these arguments.",
        (MOVE_OUT, DISABLE),
    ),
    Advice(
        ("GB0291", "GB4841", "GB6215"), r"[Ll]ogg(er|ing)",
        "Logging writes to the outside world, which a graph cannot do.",
        (
            GUARD,
            Fix("ignore_logging", "Or drop logging calls in compiled code, before the first compile",
                "torch._dynamo.config.ignore_logging_functions.add(logger.info)", since="2.11"),
            Fix("ignore_logging", "Or drop logging calls in compiled code, before the first compile",
                "torch._dynamo.config.ignore_logger_methods.add(logger.info)", since="2.6", until="2.10"),
        ),
        about=r"(?i)log",
    ),
    Advice(
        ("GB6215",), r"Unresolved GetAttrVariable",
        "An attribute is compared whose value the compiler could not find out.",
        (MOVE_OUT,),
    ),
    Advice(
        ("GB0007", "GB0008"), r"marked as skipped|skip(ped)? function|in skip_?files",
        "`warnings.warn` writes to the outside world, which a graph cannot do.",
        (GUARD, Fix("move_out", "Or warn once in `__init__`")),
        about=r"module: _?warnings|warnings\.warn|\bwarn\(",
    ),
    Advice(
        ("GB0007", "GB0008"), r"marked as skipped|skip(ped)? function|in skip_?files",
        "A progress bar prints and keeps time, so the loop around which it stands is not traced.",
        (Fix("plain_loop", "Loop over the plain iterable, or show progress outside"),),
        about=r"tqdm",
    ),
    Advice(
        ("GB0007", "GB0156", "GB0147"), r"marked as skipped|skip(ped)? function|Unsupported (method|function)",
        "The clock would be read once, at compile time, so the compiler leaves it to Python.",
        (MOVE_OUT, GUARD),
        about=r"module: (time|datetime)|\btime\.\w+\(|datetime",
    ),
    Advice(
        ("GB0007", "GB0208", "GB0055", "GB7650", "GB0363"), r"skipped|Generator|non-Tensor|opaque",
        "Seeding and generators change the state of the random number generator, which a graph cannot do.",
        (Fix("move_out", "Seed and create generators outside the compiled function"),),
        about=r"manual_seed|rng_state|fork_rng|Generator|\bseed\b",
    ),
    Advice(
        ("GB0007", "GB0033", "GB0156"), r"marked as skipped|[Dd]ata.dependent|Unsupported method",
        "This random function of Python or NumPy draws outside the graph.",
        (
            Fix("torch_random", "Draw with torch: `torch.rand`, `torch.randint`, `torch.randperm`",
                limits="another random stream; an `if` on the result still breaks"),
            Fix("random_uniform", "For `random.random()`: `random.uniform(0.0, 1.0)`, the same stream"),
        ),
        about=r"module: (_?random|numpy\.random)|\brandom\.\w+\(|np\.random|numpy\.random",
    ),
    Advice(
        ("GB0007",), r"marked as skipped",
        "The operating system, the import system or the call stack is asked, which a graph cannot do.",
        (Fix("move_out", "Read it once outside and pass in or store the result"),),
        about=r"module: (os|posix|nt|genericpath|sys|inspect|importlib|gc|subprocess|pathlib|platform|_imp)\b"
        r"|frozen \w*path|\bos\.\w+|sys\._getframe|inspect\.|gc\.collect",
    ),
    Advice(
        ("GB0007", "GB0156", "GB0134"), r"marked as skipped|Unsupported method|itertools",
        "Serialisation and pure-Python data handling run outside the graph.",
        (MOVE_OUT, DISABLE),
        about=r"module: (_?pickle|_?json|hashlib|_?heapq|_?bisect|statistics)|json\.|pickle\.|torch\.(save|load)",
    ),
    Advice(
        ("GB0008",), r"inline function marked as skipped",
        "The function loads data or steps an optimizer; that work stays in Python.",
        (Fix("compile_step", "Compile the model or the step only, not the loop around it"),),
        about=r"dataloader|DataLoader|optim",
    ),
    Advice(
        ("GB0007",), r"marked as skipped|call function .* in skip",
        "The function is C code, or one that PyTorch decided not to trace.",
        (MOVE_OUT, CUSTOM_OP, NONSTRICT, DISABLE),
    ),
    Advice(
        ("GB0008",), r"inline function marked as skipped|inline in skipfiles",
        "PyTorch decided not to trace this function.",
        (MOVE_OUT, NONSTRICT, DISABLE),
    ),
    # loops, context managers, exceptions, imports
    Advice(
        ("GB7000",), r"graph break in (a )?(for/while )?loop",
        "A break inside a loop cannot be resumed, so the whole function is given up.",
        (
            Fix("fix_inner", "Remove the break inside the loop, shown with it"),
            Fix("extract", "Or move the loop body into a function of its own and compile that"),
        ),
    ),
    Advice(
        ("GB0066",), r"under GenericContextWrapping",
        "A break inside this `with` block cannot be resumed, so the whole function is given up.",
        (
            Fix("fix_inner", "Remove the break inside the block, shown with it"),
            Fix("narrow", "Or move that statement out of the `with` block"),
        ),
    ),
    Advice(
        ("GB0142", "GB0262"), r"[Uu]nsupported context(lib)?",
        "A lock, a file or another object that touches the outside world is entered with `with`.",
        (Fix("move_out", "Enter it around the call of the compiled function"),
         Fix("move_out", "Or compute `cached_property` values in `__init__`")),
    ),
    Advice(
        ("GB0088",), r"[Oo]bserved exception",
        "Addresses exist only at run time, so the whole function runs eagerly.",
        (Fix("is", "To ask for the same object: `a is b`"), MOVE_OUT, CUSTOM_OP),
        about=r"data_ptr",
    ),
    Advice(
        ("GB0088",), r"[Oo]bserved exception",
        "Text is made from a tensor's values, which are known only at run time.",
        (Fix("remove", "Drop it, or build the text outside"), GUARD),
        about=r"(?m)\bf[\"'].*\{|\.format\(",
    ),
    Advice(
        ("GB0088",), r"[Oo]bserved exception",
        "An exception leaves the function while it is traced, so the function runs eagerly.",
        (
            Fix("check_outside", "Check the inputs before the compiled call"),
            Fix("assert", 'Or turn a check on data into `assert condition, "text"` with a constant text',
                limits="it raises RuntimeError"),
        ),
    ),
    Advice(
        ("GB0069",), r"[Ii]mport failure",
        "A module is imported inside the function and is missing, so the whole function is given up.",
        (Fix("hoist_import", "Try the import once, at module level, and keep the outcome in a constant",
             "try:\n    import package\n    HAS_PACKAGE = True\nexcept ImportError:\n    HAS_PACKAGE = False"),),
    ),
    # tensors that a graph cannot hold
    Advice(
        ("GB0090",), r"fake tensors?\b|FakeTensor",
        "The custom operator cannot tell the shape of its result without running.",
        (Fix("register_fake", "Write a fake implementation that returns an empty tensor of the right shape",
             '@torch.library.register_fake("mine::name")', since="2.4"),),
    ),
    Advice(
        ("GB4315",), r"making fake tensor call",
        "The operator fails for these shapes or dtypes already while it is traced.",
        (
            Fix("test_first", "Test the condition instead of catching the error: `x.is_contiguous()`, `x.dim()`"),
            Fix("reshape", "Where `view` fails: use `reshape`"),
        ),
    ),
    Advice(
        ("GB0219",), r"[Bb]ackend compiler (exception|failed)",
        "The backend rejects this graph; often a 0-dimensional tensor is used as a size or an index.",
        (Fix("static_size", "Use a Python int for sizes; for an index: `x.index_select(0, i.reshape(1))`"),),
    ),
    Advice(
        ("GB0016",), r"strided NestedTensor",
        "Strided nested tensors cannot be compiled.",
        (Fix("jagged", "Use `layout=torch.jagged`"),),
    ),
    Advice(
        ("GB0277", "GB0015"), r"sparse Tensor",
        "Sparse tensors cannot be held in a graph.",
        (Fix("dense", "Use a dense tensor inside"), MOVE_OUT),
    ),
    Advice(
        ("GB0014",), r"RNN, GRU,? or LSTM|nn\.(RNN|GRU|LSTM)",
        "`nn.RNN`, `nn.GRU` and `nn.LSTM` are left eager: their fused kernel gains nothing from compiling.",
        (
            Fix("compile_parts", "Compile the parts before and after it on their own"),
            Fix("allow_rnn", "Or trace it all the same, before the first compile",
                "torch._dynamo.config.allow_rnn = True", since="2.5", price="long compiles: every step is unrolled"),
        ),
    ),
    Advice(
        ("GB0148", "GB0126"), r"resize_|set_\(|Unsupported function call \(delayed\)",
        "The call changes the storage or shape of an existing tensor.",
        (Fix("out_of_place", "Make a new tensor, or write with `copy_`"),),
    ),
    Advice(
        ("GB0107",), r"random_ op",
        "`random_()` is not traced.",
        (Fix("randint_like", "Use `torch.randint_like(x, low, high)`"),),
    ),
    Advice(
        ("GB0055",), r"Failed to convert args|as_proxy",
        "An argument of the call, such as a Python function, cannot be put into a graph.",
        (Fix("tensor_ops", "Write it with tensor operations"), MOVE_OUT),
    ),
    Advice(
        ("GB0247", "GB0242"), r"out=",
        "The `out=` tensor has the wrong shape or is not contiguous.",
        (Fix("fitting_out", "Allocate `out=` contiguous and with the result's shape"),),
    ),
    Advice(
        ("GB5976", "GB9316"), r"[Dd]ata pointer|id or hash",
        "Addresses and `id()` exist only at run time.",
        (Fix("is", "To ask for the same object: `a is b`"), MOVE_OUT),
    ),
    # autograd
    Advice(
        ("GB0123",), r"\.backward\(\)|Tensor\.backward",
        "`backward()` belongs outside: the compiler makes the backward graph itself.",
        (Fix("forward_only", "Compile forward and loss, and call `backward()` on the result"),),
    ),
    Advice(
        ("GB9186",), r"autograd\.grad",
        "`torch.autograd.grad` is not traced by default.",
        (Fix("func_grad", "Use `torch.func.grad`"), MOVE_OUT),
    ),
    Advice(
        ("GB8985", "GB0206", "GB0125", "GB0225"), r"requires_grad",
        "A tensor is made to require gradients in the middle of the graph.",
        (Fix("before_call", "Set `requires_grad` before the compiled call"),),
    ),
    Advice(
        ("GB0108", "GB0104"), r"retain_grad|grad_fn",
        "`retain_grad` and `grad_fn` refer to the eager autograd graph, which a compiled one does not have.",
        (Fix("return_it", "Return the tensor and use it outside"),),
    ),
    Advice(
        ("GB0144",), r"custom jvp",
        "An `autograd.Function` with its own `jvp` is not traced.",
        (Fix("drop_jvp", "Remove `jvp`, if forward-mode is not used"), DISABLE),
    ),
    # objects made inside
    Advice(
        ("GB4198",), r"deepcopy",
        "A tensor is deep-copied; `dataclasses.asdict` does that too.",
        (Fix("clone", "Use `x.clone()`, and build dicts by hand"),),
    ),
    Advice(
        ("GB0264",), r"nn\.Parameter|Parameter\(\)",
        "A parameter or a layer is created inside the compiled function.",
        (INIT, Fix("copy", "To change its value: `param.copy_(value)` under `torch.no_grad()`")),
    ),
    Advice(
        ("GB8977",), r"__build_class__",
        "A class is defined inside the function.",
        (Fix("hoist", "Define it at module level"),),
    ),
    Advice(
        ("GB0467",), r"setattr\(\) on unsupported",
        "Registering hooks or loading a state dict changes the module while it is traced.",
        (Fix("before_call", "Do it before the compiled call"),),
    ),
    Advice(
        ("GB0208",), r"returned non-Tensor",
        "A torch function returns something that is not a tensor and changes state.",
        (MOVE_OUT, GUARD),
    ),
    Advice(
        ("GB7650", "GB0363"), r"Generator method|opaque object",
        "An object is created inside that a graph can only receive from outside.",
        (Fix("pass_in", "Create it outside and pass it in"),),
    ),
    Advice(
        ("GB0046",), r"is_inference_mode_enabled",
        "Whether inference mode is on is asked inside the function.",
        (Fix("pass_in", "Ask outside and pass a bool"),),
    ),
    Advice(
        ("GB0172",), r"async_op",
        "A collective with `async_op=True` returns a handle that a graph cannot hold.",
        (Fix("functional", "Use `torch.distributed._functional_collectives`, or `async_op=False`"),),
    ),
    Advice(
        ("GB4695",), r"jit\.(script|freeze|trace)",
        "A TorchScript module runs in its own interpreter.",
        (Fix("unscript", "Use the original Python module inside compiled code"),),
    ),
    Advice(
        ("GB0003",), r"trace generator|Generators cannot",
        "A generator function cannot be compiled as a whole.",
        (Fix("return_list", "Return a list or a tuple instead of yielding"),),
    ),
    Advice(
        ("GB0207", "GB8335"), r"sort with non-constant|Generator reconstruction",
        "Python's `sorted`, `any` or `all` over tensors needs their values.",
        (Fix("torch_sort", "Stack them and use `torch.sort`, `torch.any` or `torch.all`"),),
    ),
    Advice(
        ("GB0811",), r"tp_iter|iterate",
        "The compiler cannot loop over this object.",
        (Fix("list", "Make it a list or tuple outside the compiled function"),),
    ),
    Advice(
        ("GB0294",), r"numpy function",
        "This NumPy function has no counterpart in torch.",
        (Fix("torch_function", "Write it with torch functions"), MOVE_OUT),
    ),
    Advice(
        ("GB0156", "GB0147", "GB0117"), r"Unsupported (method|function) call|Unhandled args",
        "The method belongs to an object that the compiler does not know.",
        (MOVE_OUT, CUSTOM_OP, DISABLE),
    ),
    Advice(
        ("GB0039",), r"(recompile|cache) limit exceeded",
        "The function was compiled again too often.",
        (Fix("fix_recompiles", "Fix the recompilations of this function first"),),
    ),
)  # fmt: skip
