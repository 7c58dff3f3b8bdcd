"""What a reason text says: polarity, padding, paths, strings, hints, stacks, old versions."""

from __future__ import annotations

import pytest

from compilescope.logs.guards import KINDS, parse_reason

ZERO_ONE = (
    "(user code shown is first use of this value--the guard itself is not due user code but due to "
    "0/1 specialization in the framework; to avoid specialization try "
    "torch._dynamo.decorators.mark_unbacked(tensor, dim))"
)
DUCK = (
    "duck sizing added this equality because these variables had the same size 4 (to avoid this "
    "specialization, set torch.fx.experimental._config.use_duck_shape = False)"
)


@pytest.mark.parametrize(
    ("text", "kind", "required", "observed"),
    [
        ("n == 2", "const.int", "2", ""),
        ("tensor 'x' size mismatch at index 0. expected 3, actual 4", "tensor.size", "3", "4"),
        (
            "tensor 'x' requires_grad mismatch. expected requires_grad=0",
            "tensor.requires_grad",
            "requires_grad=False",
            "requires_grad=True",
        ),
        (
            "tensor 'x' requires_grad mismatch. expected requires_grad=1",
            "tensor.requires_grad",
            "requires_grad=True",
            "requires_grad=False",
        ),
        (
            "tensor 'x' dtype mismatch. expected Half, actual BFloat16",
            "tensor.dtype",
            "torch.float16",
            "torch.bfloat16",
        ),
        (
            "tensor 'x' Tensor device index mismatch. Expected device index to be 0, actual 1",
            "tensor.device",
            "0",
            "1",
        ),
        ("len(d) != 1", "container.len", "len 1", ""),
        ("not xs", "container.len", "len 0", ""),
        ("KeyError on d['a']", "key.missing", "present", "missing"),
        ("not ___dict_contains('k', d)", "container.contains", "'k' absent", "'k' present"),
        ("___dict_contains('k', d)", "container.contains", "'k' present", "'k' missing"),
        ("not hasattr(o, 'scale')", "attr.hasattr", "absent", "present"),
        ("mask is None", "const.none", "None", "not None"),
        ("not math.isnan(a)", "const.nan", "not nan", "nan"),
        ("GLOBAL_STATE changed: grad_mode ", "global_state.grad_mode", "", "grad_mode"),
        (
            "_dynamo_dynamic_indices not a subset: runtime {0, 1} is not a subset of compiled {0}",
            "marking",
            "dynamic_indices {0}",
            "dynamic_indices {0, 1}",
        ),
    ],
)
def test_both_sides_have_their_own_polarity(text, kind, required, observed):
    failure = parse_reason(text)
    assert (failure.kind, failure.required, failure.observed) == (kind, required, observed)


@pytest.mark.parametrize(
    "prefix",
    ["", "- ", "0/1: ", "- 0/1: ", "    - 0/1: ", "- 0/1_2: ", "- !0/1/0: ", "last reason: 0/1: "],
)
def test_the_entry_is_taken_off(prefix):
    failure = parse_reason(f"{prefix}{'n == 2':<60}  # return x * n  # a/b.py:4 in f")
    assert failure.kind == "const.int"
    assert failure.entry == prefix.replace("last reason: ", "").strip("- :")
    assert failure.raw.startswith("n == 2   ")


@pytest.mark.parametrize("padding", [" " * 54 + "  ", "  ", " "])
def test_padding_makes_no_difference(padding):
    failure = parse_reason(f"n == 2{padding}# return x * n  # a/b.py:4 in f")
    assert failure.required == "2"
    assert failure.frame is not None
    assert (failure.frame.path, failure.frame.line, failure.frame.function) == ("a/b.py", 4, "f")
    assert failure.frame.code == "return x * n"


@pytest.mark.parametrize(
    "value",
    [
        "a == b  # c; q",
        "x # y",
        "it's",
        'say "q"',
        "new\nline",
        "a; b",
        "L[x] # 1:2 in f",
        "(HINT: no)",
    ],
)
def test_a_string_may_contain_what_separates(value):
    failure = parse_reason(f"{f's == {value!r}':<60}  # return x + len(s)  # a.py:4 in f")
    assert (failure.kind, failure.source, failure.required) == ("const.str", "s", repr(value))
    assert failure.frame is not None
    assert failure.frame.line == 4


def test_a_comment_in_the_source_line_belongs_to_the_source_line():
    failure = parse_reason(
        "n == 2                   # y = x  # twice; n: 3 in all  # a/b.py:4 in f"
    )
    assert failure.required == "2"
    assert failure.frame is not None
    assert (failure.frame.path, failure.frame.line) == ("a/b.py", 4)


def test_a_cut_path_is_repaired_from_the_known_ones():
    text = "n == 2  # return x * n  # mp/t/a.py:4 in f"
    known = ("/tmp/t/a.py", "/tmp/t/b.py")
    failure = parse_reason(text, known_paths=known)
    assert failure.frame is not None
    assert failure.frame.path == "/tmp/t/a.py"


def test_a_path_that_fits_several_known_ones_is_left_alone():
    failure = parse_reason("n == 2  # c  # a.py:4 in f", known_paths=("/x/a.py", "/y/a.py"))
    assert failure.frame is not None
    assert failure.frame.path == "a.py"


def test_the_compilers_own_line_is_not_the_users():
    text = (
        "utils_device.CURRENT_DEVICE == None  # _dynamo/output_graph.py:1122 in init_ambient_guards"
    )
    assert parse_reason(text).frame is None


@pytest.mark.parametrize("dash", ["", "- "])
def test_the_innermost_frame_of_the_user_is_taken_from_the_stack(dash):
    dropout = "/env/lib/python3.11/site-packages/torch/nn/modules/dropout.py"
    text = "\n".join(
        [
            "- 0/0: fn._modules['1'].p == 0.5  # return drop(x)  # nn/dropout.py:73 in forward",
            f"{dash}User stack trace:",
            f'{dash}  File "/work/my project/run.py", line 9, in main',
            f"{dash}    y = fn(x)",
            f'{dash}  File "{dropout}", line 73, in forward',
            f"{dash}    return F.dropout(input)",
        ]
    )
    failure = parse_reason(text)
    assert failure.kind == "module.float_attr"
    assert [frame.line for frame in failure.stack] == [9, 73]
    assert failure.frame == failure.stack[0]
    assert failure.frame.path == "/work/my project/run.py"
    assert failure.frame.code == "y = fn(x)"
    assert "User stack" not in failure.raw


def test_hints_are_kept_apart():
    assert parse_reason('g.__closure__[0].cell_contents == 2 (HINT: guard on "k")').source == "k"
    assert parse_reason(f"2 <= x.size()[0]  # c  # a.py:4 in f {ZERO_ONE}").hint == ZERO_ONE[1:-1]
    duck = parse_reason(f"y.size()[0] == x.size()[0]  # {DUCK}")
    assert duck.hint == DUCK[DUCK.index("(") + 1 : -1]
    parameter = parse_reason(
        "tensor 'p' size mismatch at index 1. expected 3, actual 4. Guard failed on a parameter, "
        "consider using torch._dynamo.config.force_parameter_static_shapes = False"
    )
    assert (parameter.kind, parameter.dimension) == ("module.param_shape", 1)
    assert (parameter.required, parameter.observed) == ("size 3", "size 4")
    assert parameter.hint.startswith("Guard failed on a parameter")


@pytest.mark.parametrize(
    ("code", "comment", "kind", "required"),
    [
        ("2 <= x.size()[0]", f"c  # a.py:4 in f {ZERO_ONE}", "shape.zero_one", "2 <= x.size(0)"),
        ("2 <= x.size()[0]", "", "shape.zero_one", "2 <= x.size(0)"),
        (
            "2 <= x.size()[0] <= 2147483647",
            f"c  # a.py:4 in f {ZERO_ONE} and (_inductor/codegen/simd.py:9 in can_use_32bit)",
            "shape.zero_one",
            "2 <= x.size(0) <= 2147483647",
        ),
        (
            "2 <= x.size()[0] <= 99",
            f"c  # a.py:3 in f {ZERO_ONE} and if s < 9:  # a.py:4 in f (_dynamo/v.py:9 in e)",
            "shape.range",
            "2 <= x.size(0) <= 99",
        ),
        ("y.size()[0] == x.size()[0]", DUCK, "shape.duck", "y.size(0) == x.size(0)"),
        ("y.size()[0] == 2*x.size()[0]", "", "shape.derived", "y.size(0) == 2*x.size(0)"),
        ("(x.size()[0] % 8) == 0", "", "shape.mod", "x.size(0) % 8 == 0"),
        ("Mod(x.size()[0], 8) == 0", "", "shape.mod", "Mod(x.size(0), 8) == 0"),
        ("n >= 0 and n <= x.size()[0]", "", "const.int_range", "n >= 0 and n <= x.size(0)"),
        (
            "x.size()[0] != 3",
            "exclusion guard for automatic dynamic",
            "shape.exclusion",
            "x.size(0) != 3",
        ),
    ],
)
def test_relations_of_sizes(code, comment, kind, required):
    failure = parse_reason(f"{code}  # {comment}" if comment else code)
    assert (failure.kind, failure.required) == (kind, required)


def test_the_users_branch_is_shown_before_the_default_bound():
    text = (
        f"2 <= x.size()[0] <= 99  # y = x + 1  # a.py:3 in f {ZERO_ONE} and "
        "if x.shape[0] < 100:  # a.py:4 in f (_dynamo/variables/tensor.py:2606 in evaluate_expr)"
    )
    frame = parse_reason(text).frame
    assert frame is not None
    assert (frame.line, frame.code) == (4, "if x.shape[0] < 100:")


@pytest.mark.parametrize(
    ("text", "kind", "source"),
    [
        ("['___check_obj_id(self, 140428219191360)']", "id.object", "self"),
        ("tensor 'e' strides mismatch at index 0. expected 16, actual 1", "tensor.stride", "e"),
        (
            "L['end'] == 10    # for i in r:  # <ipython-input-6-47>:9 in accumulate",
            "const.int",
            "end",
        ),
        ("___check_global_state()", "global_state", ""),
        ("not ___is_grad_enabled()", "global_state.grad_mode", ""),
        ("___guarded_code.valid", "lifetime.dealloc", ""),
        ("___check_type_id(L['self']._modules['m'], 157671424)", "type.module", "self.m"),
        ("hasattr(L['x'], '_dynamo_dynamic_indices') == False", "marking", "x"),
        ("___skip_backend_check() or ___current_backend() == ___lookup_backend(1)", "backend", ""),
        ("str(L['x'].dtype) == 'torch.float32'", "tensor.dtype", "x"),
        ("", "unexpected", ""),
        ("tensor 'key' requires_grad mismatch", "tensor.requires_grad", "key"),
        ("expected type of 'm' to be Tensor, but found <class 'int'>", "tensor.type", "m"),
        ("something nobody has seen", "unknown", ""),
    ],
)
def test_texts_of_other_versions(text, kind, source):
    failure = parse_reason(text)
    assert (failure.kind, failure.source) == (kind, source)


@pytest.mark.parametrize("torch", [None, (2, 0), (2, 6), (2, 13), (2, 20)])
def test_a_version_never_hides_what_a_text_says(torch):
    text = "_has_dynamo_dim_marking is present on runtime tensor but was absent at compile time"
    assert parse_reason(text, torch=torch).kind == "marking"


def test_every_kind_has_one_line_of_meaning():
    assert all(meaning.endswith(".") and "\n" not in meaning for meaning in KINDS.values())


@pytest.mark.parametrize(
    "code", ["xs[1or 2] == 3", "d['\\(x'] == 3", "2if x.size()[0] else 1 == 3"]
)
def test_a_garbled_text_warns_nobody(code, recwarn):
    parse_reason(code)
    assert not recwarn.list
