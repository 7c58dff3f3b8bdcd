"""The remedies there are: since when, at what price, and where they do not help."""

from __future__ import annotations

from dataclasses import dataclass

from compilescope.diagnosis import Remedy


@dataclass(frozen=True)
class Facts:
    """What is true of a remedy whatever it is applied to."""

    since: str = ""
    until: str = ""
    price: str = ""
    limits: str = ""
    unsafe: bool = False


_NONE = "none at run time"
_RESTRUCTURE = "a change to the code"

FACTS: dict[str, Facts] = {
    # dynamic shapes
    "mark_dynamic": Facts(
        "2.1",
        price="kernels for variable sizes can be a little slower than for fixed ones",
        limits="sizes 0 and 1 stay separate; raises if the code forces one size",
    ),
    "mark_unbacked": Facts(
        "2.5",
        price="the compiler has no example size to tune kernels for",
        limits="raises a data-dependent error where the code branches on the size",
    ),
    "dynamic_true": Facts(
        "2.0",
        price="every size becomes variable: more guards, kernels can be slower",
        limits="sizes 0 and 1 stay separate; branches on sizes still split",
    ),
    "drop_dynamic_false": Facts("2.0", price="one more compile at the first change of a size"),
    "dynamic_false": Facts("2.0", price="one compile for each size and number"),
    "dynamic_sources": Facts(
        "2.7",
        price="as mark_dynamic; set it before the first compile",
        limits="the name must match the argument's; sizes 0 and 1 stay separate",
    ),
    "use_duck_shape": Facts(
        "2.5",
        price="one symbol for each size, so more guards to check",
        limits="holds for the whole process; must be set before the first compile; 0 and 1 stay "
        "separate",
    ),
    "warm_up_unequal": Facts(
        price="none; the first call must have sizes that differ",
        limits="helps for `dynamic=True` or marked dimensions only",
    ),
    "widen_range": Facts("2.1", price="none", limits="the code must hold for the wider range"),
    "exclusion_guard": Facts("2.12", price="the dynamic graph may serve what an older graph could"),
    "force_parameter_static_shapes": Facts(
        "2.1",
        price="larger graphs with variable parameter sizes",
        limits="the first change of width still costs one compile",
    ),
    "shape_padding": Facts(
        "2.1",
        price="multiplications whose sizes are no multiples of 8 can be slower",
        limits="helps where it was the padding that fixed the size",
    ),
    "aligned_width": Facts(price="a few more weights; the added results are to be ignored"),
    "return_less": Facts(price="none", limits="helps where it is a returned tensor that is padded"),
    # inputs
    "pad": Facts(price="computes on padding", limits="the result must not depend on the padding"),
    "pad_always": Facts(price=_NONE, limits="only where the branch does nothing but pad"),
    "avoid_zero_one": Facts(price="computes on padding, or drops a leftover batch"),
    "contiguous": Facts(
        price="a copy, where the layout differs",
        limits="does nothing for tensors with a dimension of size 0 or 1: use `clone` there",
    ),
    "clone": Facts(price="a copy of the tensor"),
    "channels_last": Facts(price="a copy, where the layout differs"),
    "same_rank": Facts(
        price="none: a view", limits="the code must treat the added dimension right"
    ),
    "cast_dtype": Facts(price="a conversion, where the dtype differs"),
    "same_device": Facts(price="a transfer, where the device differs"),
    "resolve": Facts(price="a copy, where the flag is set"),
    "to_dense": Facts(price="memory for the dense tensor"),
    "plain_tensor": Facts(
        price="none: a view", limits="the subclass's own behaviour is lost inside"
    ),
    "detach": Facts(price="no gradient reaches the tensor"),
    "always_pass": Facts(
        price="work on the neutral value", limits="needs a value that changes nothing"
    ),
    "same_metadata": Facts(price=_RESTRUCTURE),
    "mark_first": Facts(price="none"),
    "keep_gradients": Facts(
        price="gradient memory stays allocated", limits="the first step still differs"
    ),
    "distinct_inputs": Facts(price="none", limits="the first call decides"),
    # values
    "pass_as_tensor": Facts(
        price="a tensor instead of a number",
        limits="not for sizes, slices, loop counts or Python branches: those need the number",
    ),
    "pass_as_argument": Facts(
        price="the first change still costs one compile",
        limits="a new str or bool still recompiles",
    ),
    "tensor_math": Facts(price="none; `math.f(x)` becomes `torch.f(x)`"),
    "specialize_float": Facts("2.4", price="the first change still costs one compile"),
    "one_type": Facts(price="none"),
    "buffer": Facts(
        price="a tensor instead of a number; it appears in `state_dict` unless persistent=False",
        limits="reading it in a Python `if`, loop or index breaks the graph",
    ),
    "allow_unspec_int": Facts(
        "2.7",
        price="the first change still costs one compile; more symbols",
        limits="0 and 1 can stay special; ints that steer control flow are still compiled one by "
        "one",
    ),
    "tensor_lr": Facts(price="none", limits="a scheduler that assigns a float turns it back"),
    "fixed_attribute": Facts(price="none"),
    # structure
    "stack": Facts(price="one stacked copy", limits="all elements need one shape"),
    "preallocate": Facts(price="memory for the largest case"),
    "fixed_signature": Facts(price=_RESTRUCTURE),
    "append_outside": Facts(price="none"),
    "count_outside": Facts(price="none"),
    "own_dict": Facts(price="none", limits="the caller reads the new values from the result"),
    "fixed_length": Facts(price="work on the padding"),
    "fixed_keys": Facts(price="none"),
    "plain_container": Facts(price="a shallow copy"),
    "pass_list": Facts(price="none"),
    "set_in_init": Facts(price="none", limits="`None` as a placeholder still recompiles once"),
    "build_first": Facts(price="none"),
    "create_once": Facts(price="none"),
    "define_once": Facts(price="none"),
    "keep_alive": Facts(price="the object's memory"),
    "one_class": Facts(price="none"),
    "compile_whole": Facts(
        price="one larger compile", limits="each layer's code is compiled into it"
    ),
    "pass_from_parent": Facts(price=_RESTRUCTURE),
    # control
    "split_functions": Facts(
        price="one compile for each side", limits="the choice is made in eager code"
    ),
    "compile_body": Facts(price="one call of compiled code for each round of the loop"),
    "remove_break": Facts(price=_RESTRUCTURE),
    "warm_up": Facts(
        price="all compiles happen at start-up", limits="the compiles are moved, not saved"
    ),
    "compile_once": Facts(price="none"),
    "isolate_recompiles": Facts(
        "2.13",
        price="every `torch.compile` call has its own cache: more compiles, more memory",
        limits="each wrapper still compiles once",
    ),
    "set_once": Facts(price="none"),
    "same_mode": Facts(price="none"),
    "no_grad": Facts(price="slightly more bookkeeping than `inference_mode`"),
    "autocast_inside": Facts(price="none", limits="an autocast around a call still counts"),
    "compile_outside": Facts(price="none"),
    "verbose_log": Facts("2.2", price="slower recompiles while it is on"),
    "report_upstream": Facts(price="none"),
    # last resorts
    "recompile_limit": Facts(
        "2.0",
        price="hides the cause: every further graph costs a compile and makes each call check "
        "more guards",
        unsafe=True,
    ),
}


def otherwise(text: str) -> str:
    """The text of a remedy as that of a further choice: "Call it" becomes "Or call it"."""
    return f"Or {text[:1].lower()}{text[1:]}"


def alone(text: str) -> str:
    """The opposite of `otherwise`; a text that stands alone already stays as it is."""
    text = text.removeprefix("Or, ").removeprefix("Or ")
    return text[:1].upper() + text[1:]


def offer(name: str, text: str, snippet: str = "", *, limits: str = "", price: str = "") -> Remedy:
    """The remedy called `name` with this case's words, code and, where given, limits and price."""
    facts = FACTS[name]
    return Remedy(
        id=name,
        text=text,
        snippet=snippet,
        since=facts.since,
        until=facts.until,
        price=price or facts.price,
        limits=limits or facts.limits,
        unsafe=facts.unsafe,
    )
