"""Remedies for sizes, ranks and layouts, and what other families share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.diagnose.explain_size import is_buffer, is_of_module, is_parameter, share_code
from compilescope.diagnose.explain_words import Words
from compilescope.diagnose.remedies.catalogue import offer, otherwise

if TYPE_CHECKING:
    from compilescope.diagnosis import Remedy


PADDING = "Turn off inductor's padding of matrix multiplications, before the first compile"
NO_PADDING = "torch._inductor.config.shape_padding = False"
ALIGNED = (
    "Make the size of the last layer (a language model's vocabulary) a multiple of 8: then "
    "nothing is padded"
)


def compiled(words: Words, arguments: str) -> str:
    """A torch.compile line for the user's function."""
    name = words.evidence.compiled or words.function
    if words.evidence.wrapped and words.evidence.no_module:
        name = "fn"
    elif name in ("", "forward") or name.startswith("__"):
        name = "model"
    elif not name.isidentifier():  # a lambda, alone or inside a partial, is no model
        name = "fn"
    elif words.is_method:
        name = f"model.{name}"
    return f"{name} = torch.compile({name}, {arguments})"


def dynamic_true(words: Words) -> list[Remedy]:
    """`dynamic=True`, where it is not given yet."""
    if words.asked_dynamic:
        return []
    return [
        offer(
            "dynamic_true",
            "Compile with `dynamic=True`, so sizes and numbers are variable from the start",
            compiled(words, "dynamic=True"),
        )
    ]


def dynamic_sources(words: Words) -> list[Remedy]:
    """The environment variable that needs no edit, for plain arguments."""
    plain = words.variable.isidentifier() and words.failure.kind.startswith(("tensor.", "const."))
    if not plain or "__" in words.failure.raw.split("#")[0]:
        return []
    return [
        offer(
            "dynamic_sources",
            f"Without touching the code: name `{words.variable}` in an environment variable",
            f"TORCH_COMPILE_DYNAMIC_SOURCES=\"L['{words.variable}']\"",
        )
    ]


def warm_up(text: str) -> Remedy:
    """Compile at start-up what will be needed."""
    return offer("warm_up", text)


def mark(words: Words, how: str) -> str:
    """A mark_dynamic or mark_unbacked line for the dimension that differed."""
    if not words.variable or words.failure.dimension is None:
        return ""
    path = (
        "torch._dynamo.mark_dynamic"
        if how == "dynamic"
        else "torch._dynamo.decorators.mark_unbacked"
    )
    return f"{path}({words.variable}, {words.failure.dimension})"


def size(words: Words) -> list[Remedy]:
    """Sizes."""
    if is_parameter(words):
        return _parameter(words) if words.evidence.constant is not False else _width(words)
    if is_buffer(words) and words.evidence.constant is not False:
        return _buffer(words)
    special = {words.required, words.observed} & {"0", "1"}
    if special:
        return zero_one(words, words.name)
    if words.evidence.by_inductor:
        return _fixed_by_inductor()
    found = []
    if words.evidence.options.get("dynamic", "").lower() == "false":
        found.append(
            offer(
                "drop_dynamic_false",
                "Remove `dynamic=False`: the dimension then becomes variable at its first change",
                compiled(words, "dynamic=None"),
            )
        )
    elif not words.crosses_break:
        where = words.failure.dimension
        dimension = "the dimension" if where is None else f"dimension {where}"
        text = f"Mark {dimension} of {words.name or 'the tensor'} dynamic before the first call"
        if words.asked_dynamic:
            text += ": PyTorch then raises an error that names the line which fixes the size"
        elif words.repeated and words.evidence.constant:
            # From the second size on the dimension would be dynamic, were it left open.
            text += ": if the code fixes the size, PyTorch then raises an error that names the line"
        found.append(offer("mark_dynamic", text, mark(words, "dynamic")))
    found += dynamic_true(words)
    found.append(offer("pad", "Pad to one size, or to a few, before the call"))
    return found + ([] if words.crosses_break else dynamic_sources(words))


def own_caches(words: Words) -> list[Remedy]:
    """Models of other layers or settings that run the same code."""
    return [
        warm_up("Call each model once at start-up: one graph for each is right"),
        offer(
            "isolate_recompiles",
            "Or give each its own cache, so that one does not use up the other's limit",
            compiled(words, "isolate_recompiles=True"),
        ),
    ]


def _fixed_by_inductor() -> list[Remedy]:
    """A tensor whose rows the compiler pads has a stride of its own, which it takes as a constant.

    Seen on CUDA with torch 2.11: the returned logits of a language model with 50,257 words.
    """
    return [
        offer("shape_padding", PADDING, NO_PADDING),
        offer("aligned_width", ALIGNED),
        offer("return_less", "Return only what is used, the loss without the logits say"),
        offer("pad", "Pad to one size, or to a few, before the call"),
    ]


def zero_one(words: Words, subject: str) -> list[Remedy]:
    """Sizes 0 and 1."""
    where = "" if words.failure.dimension is None else f"dimension {words.failure.dimension} of "
    return zero_one_by(words, f"{where}{subject or 'the tensor'}", mark(words, "unbacked"))


def zero_one_by(words: Words, subject: str, snippet: str) -> list[Remedy]:
    """Sizes 0 and 1 of `subject`, which `snippet` marks unbacked."""
    text = f"Mark {subject} unbacked before the first call: one graph then serves 0 and 1 too"
    avoid = offer("avoid_zero_one", "Never send 0 or 1: pad to 2, or drop the leftover batch")
    warm = warm_up("Call it once with size 0, once with 1 and once with a larger size at start-up")
    if not _empty_on_gpu(words):
        return [offer("mark_unbacked", text, snippet), avoid, warm]
    # The graph network's own run on an H200, torch 2.11: tests/data/h200/README.md.
    text += ". Try it first: on torch 2.11 inductor's GPU code raised ZeroDivisionError at size 0"
    return [warm, offer("mark_unbacked", text, snippet), avoid]


def _empty_on_gpu(words: Words) -> bool:
    inputs = (*words.evidence.before, *words.evidence.after)
    return (
        "0" in (words.required, words.observed)
        and words.evidence.options.get("backend", "inductor") == "inductor"
        and any(one.device.startswith("cuda") for one in inputs)
    )


def _width(words: Words) -> list[Remedy]:
    return [*dynamic_true(words), warm_up("Call it with two sizes at start-up: the second is kept")]


def _variable(what: str) -> Remedy:
    return offer(
        "force_parameter_static_shapes",
        f"Let {what} sizes be variable, before the first compile",
        "torch._dynamo.config.force_parameter_static_shapes = False",
    )


def _buffer(words: Words) -> list[Remedy]:
    """A buffer of other sizes. Measured with torch 2.13: `mark_dynamic` does nothing for one."""
    largest = f"Register {words.name or 'the buffer'} at its largest size and use a part of it"
    if words.source.rpartition(".")[0] != "self":
        return [offer("preallocate", largest)]
    return [_variable("parameter and buffer"), offer("preallocate", otherwise(largest))]


def _parameter(words: Words) -> list[Remedy]:
    warm = warm_up("Call each module once at start-up: one graph for each width is needed")
    # Measured with torch 2.13: it has no effect on the weights of torch's own layers.
    own = not is_of_module(words.failure) or words.failure.source.rpartition(".")[0] == "self"
    variable = [_variable("parameter")] if own else []
    if share_code(words):
        whole = "Compile the whole model instead of each module: one graph then holds all of them"
        # `.compile()` of an `nn.Sequential` leaves its layers one by one (torch 2.13).
        one = offer("compile_whole", whole, "model = torch.compile(model)")
        found = [] if words.evidence.eager_break else [one]
        return [*found, warm, *variable]
    if words.evidence.whole and not words.evidence.another:
        owner = words.source.rpartition(".")[0]
        first = f"Replace `{owner}` before the first call" if "." in owner else ""
        again = warm_up("Or call it once with each at start-up: one graph for each")
        return [*variable, offer("build_first", first), again] if first else [*variable, warm]
    isolated = offer(
        "isolate_recompiles",
        "Give each module its own cache, so that one does not use up the other's limit",
        compiled(words, "isolate_recompiles=True"),
    )
    return [*variable, warm, isolated]


def rank(words: Words) -> list[Remedy]:
    """Number of dimensions."""
    snippet, name = "", words.target
    if name and words.required.isdigit() and words.observed.isdigit():
        excess = int(words.observed) - int(words.required)
        if excess < 0:
            snippet = f"{name} = {name}" + ".unsqueeze(0)" * -excess
        else:
            snippet = f"{name} = {name}.flatten(0, {excess})"
    target = f"{words.required} dimensions" if words.required not in ("", "1") else "one rank"
    return [
        offer(
            "same_rank", f"Bring {words.name or 'the tensor'} to {target} before the call", snippet
        ),
        warm_up("Or call it once with each rank at start-up: one graph for each"),
    ]


def stride(words: Words) -> list[Remedy]:
    """Layout in memory."""
    name, subject = words.target, words.name or "the tensor"
    # After a graph break the name may hold what the function made of its argument.
    when = f"line {words.resumed_at}" if words.resumed_at else "the call"
    contiguous = offer(
        "contiguous",
        f"Make {subject} contiguous before {when}",
        f"{name} = {name}.contiguous()" if name else "",
    )
    clone = offer(
        "clone",
        f"Copy {subject} before {when}, which gives it the standard layout",
        f"{name} = {name}.clone(memory_format=torch.contiguous_format)" if name else "",
    )
    after = words.after()
    shape = after.shape if after and after.shape else ()
    unsure = {0, 1} & set(shape) or (not shape and "0" in (words.required, words.observed))
    found = [clone, contiguous] if unsure else [contiguous, clone]
    if len(shape) == 4:
        found.append(
            offer(
                "channels_last",
                f"Or keep {subject} in `channels_last` for every call",
                f"{name} = {name}.contiguous(memory_format=torch.channels_last)" if name else "",
            )
        )
    return found
