# ruff: noqa: E501 - a table is read by its rows
"""The rule table: which text is which kind of guard failure, first match wins.

A rule is data: the kind, the pattern of the guard text, the first and last torch that print it, and
the reader that takes the fields from the match. A reader may refine the kind by the source that the
guard looks at, or refuse (`None`), and then the next rule is tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.logs import guard_object_readers as take
from compilescope.logs import guard_readers as read

if TYPE_CHECKING:
    from compilescope.logs.guard_readers import Fields
    from compilescope.logs.guard_text import Parts

Reader = Callable[[str, re.Match[str], "Parts"], "Fields | None"]
Version = tuple[int, int]


@dataclass(frozen=True)
class Rule:
    """One form of guard text."""

    kind: str
    pattern: re.Pattern[str]
    reader: Reader
    since: Version = (2, 0)
    until: Version | None = None


def _rule(
    kind: str,
    pattern: str,
    reader: Reader,
    since: Version = (2, 0),
    until: Version | None = None,
) -> Rule:
    return Rule(kind, re.compile(pattern, re.DOTALL), reader, since, until)


_S = r"(?P<s>.+?)"
_ID = r", (?:type=)?(?P<id>\d+)\)(?:, type=(?P<type><class '.*'>|.+))?"

RULES: tuple[Rule, ...] = (
    # tensors: written by C++ without comment
    _rule("tensor.size", rf"tensor '{_S}' size mismatch at index (?P<d>\d+)\. expected (?P<a>.+?), actual (?P<b>.+)", read.tensor),
    _rule("tensor.stride", rf"tensor '{_S}' strides? mismatch at index (?P<d>\d+)\. expected (?P<a>.+?), actual (?P<b>.+)", read.tensor),
    _rule("tensor.rank", rf"tensor '{_S}' rank mismatch\. expected (?P<a>\d+), actual (?P<b>\d+)", read.tensor),
    _rule("tensor.dtype", rf"tensor '{_S}' dtype mismatch\. expected (?P<a>\S+), actual (?P<b>\S+)", read.tensor),
    _rule("tensor.requires_grad", rf"tensor '{_S}' requires_grad mismatch\. expected requires_grad=(?P<a>\w+)", read.tensor),
    _rule("tensor.device", rf"tensor '{_S}' Tensor device index mismatch\. Expected device index to be (?P<a>-?\d+), actual (?P<b>-?\d+)", read.tensor),
    _rule("tensor.dispatch_key", rf"tensor '{_S}' dispatch key set mismatch\. expected DispatchKeySet\((?P<a>.*?)\), actual DispatchKeySet\((?P<b>.*?)\)", read.tensor),
    _rule("tensor.size", rf"tensor '{_S}' (?P<w>size|strides?|rank|dtype|requires_grad|dispatch key set|Tensor device index) mismatch\b.*", read.tensor_cut),
    _rule("tensor.type", rf"expected type of '{_S}' to be (?P<a>.+?),? ?'? but found (?P<b>.+)", read.tensor_type),
    _rule("alias.duplicate", r"Duplicate tensors? found: (?P<groups>.*)", read.duplicates),
    _rule("alias.duplicate", rf"Duplicate tensor found where not expected! {_S} should not alias to anything.*", read.duplicate),
    # global state
    _rule("global_state", r"GLOBAL_STATE changed:(?P<tokens>.*)", read.global_state),
    _rule("global_state", r"___check_global_state\(\).*", read.bare, until=(2, 4)),
    _rule("global_state.grad_mode", r"(?:not )?___is_grad_enabled\(\)", read.bare, until=(2, 2)),
    _rule("global_state.deterministic", r"(?:not )?___are_deterministic_algorithms_enabled\(\)", read.bare, until=(2, 2)),
    _rule("global_state.torch_function", r"(?:not )?___is_torch_function_enabled\(\)", read.bare, until=(2, 2)),
    _rule("global_state.config", r"___compile_config_hash\(\) == .*", read.bare, since=(2, 2), until=(2, 3)),
    _rule("global_state.torch_function_mode", r"___check_torch_function_mode_stack\(\)", read.bare, since=(2, 5)),
    _rule("global_state.default_device", r"utils_device\.CURRENT_DEVICE == (?P<a>.*)", read.state_value),
    _rule("global_state.dual_level", r"torch\.autograd\.forward_ad\._current_level == (?P<a>.*)", read.state_value),
    _rule("global_state.functorch", r"torch\._functorch\.pyfunctorch\.compare_functorch_state\((?P<a>.*)\)", read.state_value),
    _rule("global_state.saved_tensors_hooks", r"torch\._functorch\.aot_autograd\.utils\.top_saved_tensors_hooks ids == (?P<a>.*)", read.state_value),
    # backend, lifetime, nothing
    _rule("backend", r"BACKEND_MATCH failure: .*?Cached backend: (?P<a>.*?)\. New backend: (?P<b>.*?)\. (?P<hint>If this is unexpected.*?)(?: More details: .*)?", read.backend, since=(2, 10)),
    _rule("backend", r"BACKEND_MATCH failure.*", read.bare),
    _rule("backend", r"(?:___skip_backend_check\(\) or )?___current_backend\(\) == .*|___check_current_backend\(.*", read.bare, until=(2, 5)),
    _rule("unexpected", r"Unexpected recompilation: .*", read.bare),
    _rule("unexpected", r"", read.bare),
    _rule("unexpected", r"name '\w+' is not defined", read.bare, until=(2, 6)),
    _rule("lifetime.dealloc", rf"Cache line invalidated because {_S} got deallocated.*", read.lifetime),
    _rule("lifetime.dealloc", r"___guarded_code\.valid", read.bare, until=(2, 4)),
    # marking
    _rule("marking", r"_has_dynamo_dim_marking is present on runtime tensor.*", read.marking_new, since=(2, 12)),
    _rule("marking", r"(?P<n>_dynamo_\w+) not a subset: runtime (?P<b>.*?) is not a subset of compiled (?P<a>.*)", read.marking, since=(2, 12)),
    _rule("marking", r"(?P<n>_dynamo_\w+) mismatch: expected (?P<a>.*?)(?P<gone> but attribute is absent on runtime tensor)?", read.marking, since=(2, 12)),
    _rule("marking", r"(?P<n>_dynamo_\w+) should be absent but is present on runtime tensor.*", read.marking_new, since=(2, 12)),
    _rule("marking", rf"hasattr\({_S}, '_dynamo_\w+'\) == (?:False|True)", read.marking_old),
    _rule("marking", rf"\({{0,3}}getattr\({_S}, '_dynamo_\w+'.*", read.marking_old),
    _rule("marking", rf"\({{0,3}}{_S}\._dynamo_\w+\.issubset\(.*", read.marking_old),
    # missing things: observations
    _rule("key.missing", rf"KeyError on {_S}", read.missing),
    _rule("index.missing", rf"IndexError on {_S}", read.missing),
    _rule("attr.missing", rf"getattr failed on source {_S}", read.missing),
    # identities and types
    _rule("id.object", rf"___check_obj_id\({_S}{_ID}", take.identity),
    _rule("type.object", rf"___check_type_id\({_S}{_ID}", take.type_of),
    _rule("script.object", rf"___check_fake_script_type\({_S}{_ID}", take.type_of),
    _rule("tensor.subclass_metadata", r"___check_metadata_\d+.*", read.bare),
    _rule("tensor.dtensor_spec", r"__dtensor_spec_\d+.*", read.bare, since=(2, 10)),
    _rule("tensor.opaque", r"___check_opaque_guard_fn_\d+.*", read.bare),
    _rule("pytree.registration", rf"___dict_version\({_S}\) == .*", read.source_only),
    _rule("tensor.dispatch_key", rf"{_S}\.raw_repr\(\) == DispatchKeySet\((?P<a>.*?)\)\.raw_repr\(\)", read.source_required),
    _rule("alias.storage_overlap", r"check_overlapping\(overlapping=\[(?P<a>.*?)\], non_overlapping=\[(?P<b>.*?)\]\)", read.overlap),
    # membership
    _rule("container.contains", rf"(?P<not>not )?___dict_contains\((?P<k>.+), {_S}\)", take.dict_contains),
    _rule("container.contains", r"(?P<not>not )?___dict_contains\(.*", read.bare),
    _rule("container.set", rf"(?P<not>not )?(?:set|frozenset)\.__contains__\({_S}, (?P<k>.*)\)", take.set_contains),
    _rule("attr.hasattr", rf"(?P<not>not )?hasattr\({_S}, (?P<k>'[^']*'|\"[^\"]*\")\)", take.has_attribute),
    # keys
    _rule("container.key", rf"list\(dict\.keys\({_S}\)\)\[(?P<i>\d+)\] == (?P<a>.*)", take.key_at),
    _rule("container.key", rf"list\({_S}\.keys\(\)\)\[(?P<i>\d+)\] == (?P<a>.*)", take.key_at),
    _rule("container.key", rf"list\(dict\.keys\({_S}\)\) == (?P<a>.*)", take.keys),
    _rule("container.key", rf"(?:list|set)\({_S}\.keys\(\)\) == (?P<a>.*)", take.keys),
    _rule("container.key", rf"(?:___key_to_id|___dict_keys|dict_keys|___odict_keys)\({_S}\) == (?P<a>.*)", take.keys, until=(2, 4)),
    _rule("container.set", rf"list\({_S}\)\[(?P<i>\d+)\] == (?P<a>.*)", take.element_at),
    # iterators
    _rule("iter.range", rf"___normalize_range_iter\({_S}\) == (?P<a>.*)", read.source_required),
    _rule("iter.tuple", rf"___tuple_iterator_len\({_S}\) == (?P<a>.*)", read.source_required),
    _rule("iter.count", rf"___normalize_count_iter\({_S}\) == (?P<a>.*)", read.source_required),
    # NaN
    _rule("const.nan", rf"\(?type\({_S}\) is float and (?:__math_isnan|math\.isnan)\(.*", take.nan_required),
    _rule("const.complex_nan", rf"\(?type\({_S}\) is complex and __numpy_isnan\(.*", take.nan_required),
    _rule("const.nan", rf"not (?:math\.isnan|__math_isnan)\({_S}\)", take.nan_forbidden),
    # structure seen by an accessor
    _rule("type.structure", rf"(?:.*: )?TYPE_MISMATCH\({_S}\)", read.source_only),
    _rule("type.structure", r"not a tensor.*|tensor has too few dimensions|symbolic values found.*|Non (?:tuple|integer|integer index|float) found!|Index out of bounds!|Weakref_GetRef failed.*", read.bare),
    _rule("type.callable", rf"(?:.*: )?(?:Not a function on|Not a callable obj) {_S}", read.function_expected),
    _rule("type.structure", rf"(?:.*: )?(?:Not a weakref obj|Not a weakref|null type dict on) {_S}", read.source_only),
    # lengths
    _rule("container.len", rf"len\({_S}\) == (?P<a>\d+)", take.length),
    _rule("container.len", rf"len\({_S}\) != (?P<a>\d+)", take.length),
    _rule("container.len", r"not (?P<s>[\w.]+(?:\[.*\])?[\w.\[\]'\"]*)", take.empty),
    # tensors as old versions and export guard them
    _rule("tensor.dtype", rf"(?:str\()?{_S}\.dtype\)? == (?P<a>'?torch\.\w+'?)", take.old_property, until=(2, 2)),
    _rule("tensor.device", rf"(?:str\()?{_S}\.device\)? == (?P<a>'[^']*'|device\(.*\))", take.old_property, until=(2, 2)),
    _rule("tensor.rank", rf"{_S}\.ndimension\(\) == (?P<a>\d+)", take.old_property),
    # relations of sizes and numbers, then values of anything
    _rule("shape.eq", r".*[<>=%].*|not .*", read.shape),
    _rule("const.none", rf"{_S} is None", take.none),
    _rule("lifetime.weakref", rf"{_S} is not None", take.not_none),
    _rule("alias.expected", r"(?P<s>[^\n]+?) is (?!not )(?P<a>[^\n]+)", take.same_object),
    _rule("const.subclass", rf"(?P<t>int|str|float|bool|complex|bytes|tuple|list)\({_S}\) == (?P<a>.*)", take.constant_subclass),
    _rule("const.object", r"(?P<all>.+ == .+)", take.value),
)  # fmt: skip
