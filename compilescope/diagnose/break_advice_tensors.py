"""Graph breaks at tensors, gradients and objects that a graph cannot hold."""

from __future__ import annotations

from compilescope.diagnose.break_advice_types import (
    CUSTOM_OP,
    DISABLE,
    GUARD,
    INIT,
    MOVE_OUT,
    Advice,
    Fix,
)

ADVICE: tuple[Advice, ...] = (
    # tensors that a graph cannot hold
    Advice(
        ("GB0090",),
        r"fake tensors?\b|FakeTensor",
        "The custom operator cannot tell the shape of its result without running.",
        (
            Fix(
                "register_fake",
                "Write a fake implementation that returns an empty tensor of the right shape",
                '@torch.library.register_fake("mine::name")',
                since="2.4",
            ),
        ),
    ),
    Advice(
        ("GB4315",),
        r"making fake tensor call",
        "The operator fails for these shapes or dtypes already while it is traced.",
        (
            Fix(
                "test_first",
                "Test the condition instead of catching the error: `x.is_contiguous()`, `x.dim()`",
            ),
            Fix("reshape", "Where `view` fails: use `reshape`"),
        ),
    ),
    Advice(
        ("GB0219",),
        r"[Bb]ackend compiler (exception|failed)",
        "The backend rejects this graph; often a 0-dimensional tensor is used as a size or an "
        "index.",
        (
            Fix(
                "static_size",
                "Use a Python int for sizes; for an index: `x.index_select(0, i.reshape(1))`",
            ),
        ),
    ),
    Advice(
        ("GB0016",),
        r"strided NestedTensor",
        "Strided nested tensors cannot be compiled.",
        (Fix("jagged", "Use `layout=torch.jagged`"),),
    ),
    Advice(
        ("GB0277", "GB0015"),
        r"sparse Tensor",
        "Sparse tensors cannot be held in a graph.",
        (Fix("dense", "Use a dense tensor inside"), MOVE_OUT),
    ),
    Advice(
        ("GB0014",),
        r"RNN, GRU,? or LSTM|nn\.(RNN|GRU|LSTM)",
        "`nn.RNN`, `nn.GRU` and `nn.LSTM` are left eager: their fused kernel gains nothing from "
        "compiling.",
        (
            Fix("compile_parts", "Compile the parts before and after it on their own"),
            Fix(
                "allow_rnn",
                "Or trace it all the same, before the first compile",
                "torch._dynamo.config.allow_rnn = True",
                since="2.5",
                price="long compiles: every step is unrolled",
            ),
        ),
    ),
    Advice(
        ("GB0148", "GB0126"),
        r"resize_|set_\(|Unsupported function call \(delayed\)",
        "The call changes the storage or shape of an existing tensor.",
        (Fix("out_of_place", "Make a new tensor, or write with `copy_`"),),
    ),
    Advice(
        ("GB0107",),
        r"random_ op",
        "`random_()` is not traced.",
        (Fix("randint_like", "Use `torch.randint_like(x, low, high)`"),),
    ),
    Advice(
        ("GB0055",),
        r"Failed to convert args|as_proxy",
        "An argument of the call, such as a Python function, cannot be put into a graph.",
        (Fix("tensor_ops", "Write it with tensor operations"), MOVE_OUT),
    ),
    Advice(
        ("GB0247", "GB0242"),
        r"out=",
        "The `out=` tensor has the wrong shape or is not contiguous.",
        (Fix("fitting_out", "Allocate `out=` contiguous and with the result's shape"),),
    ),
    Advice(
        ("GB5976", "GB9316"),
        r"[Dd]ata pointer|id or hash",
        "Addresses and `id()` exist only at run time.",
        (Fix("is", "To ask for the same object: `a is b`"), MOVE_OUT),
    ),
    # autograd
    Advice(
        ("GB0123",),
        r"\.backward\(\)|Tensor\.backward",
        "`backward()` belongs outside: the compiler makes the backward graph itself.",
        (Fix("forward_only", "Compile forward and loss, and call `backward()` on the result"),),
    ),
    Advice(
        ("GB9186",),
        r"autograd\.grad",
        "`torch.autograd.grad` is not traced by default.",
        (Fix("func_grad", "Use `torch.func.grad`"), MOVE_OUT),
    ),
    Advice(
        ("GB8985", "GB0206", "GB0125", "GB0225"),
        r"requires_grad",
        "A tensor is made to require gradients in the middle of the graph.",
        (Fix("before_call", "Set `requires_grad` before the compiled call"),),
    ),
    Advice(
        ("GB0108", "GB0104"),
        r"retain_grad|grad_fn",
        "`retain_grad` and `grad_fn` refer to the eager autograd graph, which a compiled one "
        "does not have.",
        (Fix("return_it", "Return the tensor and use it outside"),),
    ),
    Advice(
        ("GB0144",),
        r"custom jvp",
        "An `autograd.Function` with its own `jvp` is not traced.",
        (Fix("drop_jvp", "Remove `jvp`, if forward-mode is not used"), DISABLE),
    ),
    # objects made inside
    Advice(
        ("GB4198",),
        r"deepcopy",
        "A tensor is deep-copied; `dataclasses.asdict` does that too.",
        (Fix("clone", "Use `x.clone()`, and build dicts by hand"),),
    ),
    Advice(
        ("GB0264",),
        r"nn\.Parameter|Parameter\(\)",
        "A parameter or a layer is created inside the compiled function.",
        (INIT, Fix("copy", "To change its value: `param.copy_(value)` under `torch.no_grad()`")),
    ),
    Advice(
        ("GB8977",),
        r"__build_class__",
        "A class is defined inside the function.",
        (Fix("hoist", "Define it at module level"),),
    ),
    Advice(
        ("GB0467",),
        r"setattr\(\) on unsupported",
        "Registering hooks or loading a state dict changes the module while it is traced.",
        (Fix("before_call", "Do it before the compiled call"),),
    ),
    Advice(
        ("GB0208",),
        r"returned non-Tensor",
        "A torch function returns something that is not a tensor and changes state.",
        (MOVE_OUT, GUARD),
    ),
    Advice(
        ("GB7650", "GB0363"),
        r"Generator method|opaque object",
        "An object is created inside that a graph can only receive from outside.",
        (Fix("pass_in", "Create it outside and pass it in"),),
    ),
    Advice(
        ("GB0046",),
        r"is_inference_mode_enabled",
        "Whether inference mode is on is asked inside the function.",
        (Fix("pass_in", "Ask outside and pass a bool"),),
    ),
    Advice(
        ("GB0172",),
        r"async_op",
        "A collective with `async_op=True` returns a handle that a graph cannot hold.",
        (
            Fix(
                "functional", "Use `torch.distributed._functional_collectives`, or `async_op=False`"
            ),
        ),
    ),
    Advice(
        ("GB4695",),
        r"jit\.(script|freeze|trace)",
        "A TorchScript module runs in its own interpreter.",
        (Fix("unscript", "Use the original Python module inside compiled code"),),
    ),
    Advice(
        ("GB0003",),
        r"trace generator|Generators cannot",
        "A generator function cannot be compiled as a whole.",
        (Fix("return_list", "Return a list or a tuple instead of yielding"),),
    ),
    Advice(
        ("GB0207", "GB8335"),
        r"sort with non-constant|Generator reconstruction",
        "Python's `sorted`, `any` or `all` over tensors needs their values.",
        (Fix("torch_sort", "Stack them and use `torch.sort`, `torch.any` or `torch.all`"),),
    ),
    Advice(
        ("GB4841",),
        r"python_type\(\)",
        "The compiler does not know what kind of object this is.",
        (Fix("list", "Make it a list, a tuple or a tensor outside the compiled function"),),
    ),
    Advice(
        ("GB0811",),
        r"tp_iter|iterate",
        "The compiler cannot loop over this object.",
        (Fix("list", "Make it a list or tuple outside the compiled function"),),
    ),
    Advice(
        ("GB0294",),
        r"numpy function",
        "This NumPy function has no counterpart in torch.",
        (Fix("torch_function", "Write it with torch functions"), MOVE_OUT),
    ),
    Advice(
        ("GB0156", "GB0147", "GB0117"),
        r"Unsupported (method|function) call|Unhandled args",
        "The method belongs to an object that the compiler does not know.",
        (MOVE_OUT, CUSTOM_OP, DISABLE),
    ),
    Advice(
        ("GB0039",),
        r"(recompile|cache) limit exceeded",
        "The function was compiled again too often.",
        (Fix("fix_recompiles", "Fix the recompilations of this function first"),),
    ),
)
