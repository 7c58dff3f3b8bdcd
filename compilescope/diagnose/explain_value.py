"""Why a plain Python value did not fit: arguments, attributes, closures, globals, defaults."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope import wording
from compilescope.diagnose.explain_shape import bounds
from compilescope.diagnose.explain_shape import condition as shape_condition
from compilescope.diagnose.explain_words import Words, an, code, expression, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_AGAIN = "The new graph holds it as a constant again, so each further value is compiled."
_FAILED = "PyTorch made it symbolic for the new graph, and that compile raised: see the error."
_OPPOSITE = {"True": "False", "False": "True"}
_EQUAL = re.compile(r"^(?:int|str|float)?\(?[^=]*? == (.+)$")


def from_global(words: Words) -> bool:
    """Whether the value hangs on a module's global variable."""
    return words.failure.kind.startswith("global") or bool(
        re.match(r"^\W*(?:not )?(?:\w+\()?G\[", words.failure.raw.strip())
    )


def needs_value(words: Words) -> bool:
    """Whether the traced code forced a symbolic value back into a constant."""
    # The first graph held it as a constant; the later ones say where the code asked for it.
    texts = [words.failure.raw, *(one.raw for one in words.evidence.failures)]
    if any("evaluate_expr" in text or "run_node" in text for text in texts):
        return True
    if words.asked_dynamic and words.failure.kind == "const.int" and not from_global(words):
        return True
    line = words.failure.frame.code if words.failure.frame else ""
    name = words.variable.rpartition(".")[2]
    return bool(name) and bool(re.search(rf"\b(?:range|math\.\w+)\([^)]*\b{name}\b", line))


def changed(words: Words, what: str = "") -> str:
    """`x` was 2 when this graph was compiled; call 3 passed 5."""
    subject = words.name or what or "A value"
    required = words.required or stated(words)
    if not required:
        return f"{subject} has another value than when this graph was compiled."
    fact = f"{subject} was {code(required)} when this graph was compiled"
    observed = words.observed or _OPPOSITE.get(required, "")
    if observed:
        return f"{fact}; {words.call} had {code(observed)}."
    return f"{fact}; {words.call} had another value."


def stated(words: Words) -> str:
    """The value that the guard's text demands."""
    found = _EQUAL.match(expression(words.failure))
    return found[1] if found else ""


def integer(words: Words) -> str:
    """An int that is an argument, an element or a captured variable."""
    if needs_value(words):
        return (
            f"{changed(words)} The code needs its value (a loop count, an index or a Python "
            "branch), so each value is compiled separately."
        )
    if from_global(words):
        return global_value(words)
    if words.evidence.failed:
        return f"{changed(words)} {_FAILED}"
    if words.repeated:
        return (
            f"{changed(words)} It stayed a constant, so each new value was compiled{seen(words)}."
        )
    if words.evidence.constant:
        return f"{changed(words)} {_AGAIN}"
    return f"{changed(words)} An int {wording.CONSTANT_FIRST}"


def seen(words: Words) -> str:
    """The values that were seen, as the end of a sentence."""
    return f": {listed(code(value) for value in words.evidence.values)}"


def floating(words: Words) -> str:
    """A float."""
    if "isnan" in words.failure.raw:
        return nan(words)
    if words.evidence.failed:
        return f"{changed(words)} {_FAILED}"
    if needs_value(words):
        return f"{changed(words)} {wording.NEEDS_NUMBER}"
    if words.repeated:
        return (
            f"{changed(words)} It stayed a constant, so each new value was compiled{seen(words)}."
        )
    if words.evidence.constant:
        return f"{changed(words)} {_AGAIN}"
    if words.evidence.torch and words.evidence.torch < (2, 6):
        return f"{changed(words)} This torch keeps floats constant, so each new value is compiled."
    return f"{changed(words)} A float {wording.CONSTANT_FIRST}"


def nan(words: Words) -> str:
    """Not a number, on either side."""
    subject = words.name or "A float"
    if expression(words.failure).startswith("not "):
        return (
            f"{subject} was NaN in {words.call}. A graph with a symbolic float cannot serve NaN, "
            "so that value is compiled by itself."
        )
    return (
        f"{subject} was NaN when this graph was compiled; {words.call} had a number. "
        "PyTorch compiles NaN by itself."
    )


def branch_on_number(words: Words) -> str:
    """A condition over a symbolic int or float."""
    text = expression(words.failure)
    if "isnan" in text:
        return nan(words)
    if re.search(r" == -?\d+(\.\d+)?$", text):
        return integer(words)
    if ".shape[" in text:
        return shape_condition(words)
    if re.match(r"^\d+ <= \w", text):
        return bounds(words)
    return shape_condition(words)


def zero_one_int(words: Words) -> str:
    """An int that is 0 or 1."""
    if words.observed in ("0", "1") or words.required in ("0", "1"):
        return (
            f"{changed(words)} Ints that are 0 or 1 can get a graph of their own, because much "
            "code "
            "treats these two specially."
        )
    return integer(words)


_ENUMERABLE = "Each value that occurs gets one graph; once all have occurred there are no more."


def enumerable(words: Words) -> str:
    """A bool, str, enum, dtype or device."""
    return f"{changed(words)} {_ENUMERABLE}"


def enum_member(words: Words) -> str:
    """A member of an enum."""
    return (
        f"{words.name or 'An enum'} is another enum member than when this graph was compiled. "
        f"{_ENUMERABLE}"
    )


def text_value(words: Words) -> str:
    """A string."""
    if len(words.evidence.values) > 4:
        return f"{changed(words)} A string is always a constant, so each new one is compiled."
    return enumerable(words)


def none(words: Words) -> str:
    """None in one call and something else in the other."""
    subject = words.name or "An argument"
    observed = "" if words.observed == "not None" else words.observed
    passed = observed or "a value"
    if observed and observed != "a tensor":
        passed = an(observed) if observed.isidentifier() else code(observed)
    return (
        f"{subject} was `None` when this graph was compiled; {words.call} passed {passed}. "
        "With and without it are two graphs."
    )


def scalar_type(words: Words) -> str:
    """An equal number of another type."""
    return (
        f"{changed(words)} Numbers of different types do not share a graph: `2` and `2.0` are "
        "compiled separately."
    )


def subclass(words: Words) -> str:
    """A subclass of int, str or the like."""
    return (
        f"{changed(words)} It is an instance of a subclass of a Python number or string, and such "
        "values are always constants."
    )


def complex_number(words: Words) -> str:
    """A Python complex number."""
    if "isnan" in words.failure.raw:
        return nan(words)
    return f"{changed(words)} A complex number is always a constant, so each value is compiled."


def object_attribute(words: Words) -> str:
    """An attribute of a plain object."""
    if from_global(words):
        return global_value(words)
    return _by_type(words)


def _by_type(words: Words) -> str:
    required = words.required or stated(words)
    if required in ("True", "False") or required[:1] in ("'", '"'):
        return enumerable(words)
    if re.match(r"^-?\d+$", required):
        return integer(words)
    if re.match(r"^-?[\d.]+(e[+-]?\d+)?$|^-?inf$", required):
        return floating(words)
    if words.repeated:
        return f"{changed(words)} It is a constant to the compiler: each new value is compiled."
    return f"{changed(words)} It is a constant to the compiler: a new value means a new graph."


def global_value(words: Words) -> str:
    """A global variable."""
    required = words.required or stated(words)
    if "___check_obj_id" in words.failure.raw:
        return (
            f"The global {words.name or 'object'} was replaced after this graph was compiled. "
            "A graph is tied to the very object it was compiled with."
        )
    if re.match(r"^-?[\d.]*\.[\d.]*(e[+-]?\d+)?$", required):
        return floating(words)
    if re.match(r"^-?\d+$", required):
        return (
            f"{changed(words)} It is read from a global variable, where an int stays a constant: "
            "each new value is compiled."
        )
    return f"{changed(words)} A global that the code reads is a constant of the graph."


def environment(words: Words) -> str:
    """An environment variable."""
    named = re.search(r"b?'(\w+)'\]", words.failure.source + words.failure.raw)
    subject = f"The environment variable `{named[1]}`" if named else "An environment variable"
    return (
        f"{subject} has another value than when this graph was compiled. "
        "What `os.environ` holds is part of the graph once the code reads it."
    )


def closure(words: Words) -> str:
    """A captured variable."""
    return _by_type(words)


def default_argument(words: Words) -> str:
    """The default of a parameter."""
    subject = re.match(r"^(\w[\w.]*)\.__(?:kw)?defaults__", words.source)
    who = f"A default argument of `{subject[1]}`" if subject else "A default argument"
    required = words.required or stated(words)
    was = f" was {code(required)} when this graph was compiled and" if required else ""
    return f"{who}{was} differs in {words.call}. Defaults are constants: each value is compiled."


def partial(words: Words) -> str:
    """An argument bound by functools.partial."""
    return _by_type(words)


SENTENCES: Mapping[str, Callable[[Words], str]] = {
    "const.int": integer,
    "const.int_in_container": integer,
    "const.size": integer,
    "const.slice": integer,
    "const.int_range": branch_on_number,
    "const.int_zero_one": zero_one_int,
    "const.float": floating,
    "const.float_range": branch_on_number,
    "const.float_nan": nan,
    "const.nan": nan,
    "const.complex": complex_number,
    "const.complex_nan": nan,
    "const.bool": enumerable,
    "const.str": text_value,
    "const.enum": enum_member,
    "const.dtype": enumerable,
    "const.device": enumerable,
    "const.none": none,
    "const.subclass": subclass,
    "const": _by_type,
    "type.scalar": scalar_type,
    "attr.object": object_attribute,
    "attr.class": object_attribute,
    "attr.namedtuple": object_attribute,
    "attr.environ": environment,
    "attr.defaults": default_argument,
    "attr.partial": partial,
    "closure": closure,
    "global": global_value,
}
