"""Why Triton compiled a kernel again: every difference that its launches can have.

The types and values are those that Triton 3.2 to 3.9 gives its compiler for such launches.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compilescope.diagnose import diagnose
from compilescope.diagnose.notices_cudagraphs import NOTHING
from compilescope.model import Frame, KernelArgument, KernelCompiled, KernelTuned, Session
from compilescope.packs import report

FRAME = Frame("/home/u/kernels.py", 3, "scale")


def argument(type_, value="", *, divisible=False, name="x"):
    return KernelArgument(name, type_, value, divisible)


def compiled(*arguments, seconds=0.1, cache="miss", **options):
    return KernelCompiled(
        0,
        "scale",
        "program",
        FRAME,
        seconds=seconds,
        cache=cache,
        arguments=arguments,
        options={"num_warps": "4", **options},
    )


def kernel(*events):
    (found,) = diagnose(Session(events=tuple(events))).kernels
    return found


@pytest.mark.parametrize(
    ("old", "new", "kind", "word", "remedies"),
    [
        (argument("i32"), argument("int", "1"), "one", "was 1", ["do_not_specialize"]),
        (
            argument("i32", divisible=True),
            argument("i32"),
            "divisible",
            "multiple of 16",
            ["do_not_specialize", "pad_to_16"],
        ),
        (argument("i1"), argument("i1", divisible=True), "bool", "True in some", []),
        (argument("i32"), argument("i64"), "width", "width of an integer", []),
        (argument("fp32"), argument("i32"), "number", "a float in some", ["one_number"]),
        (argument("fp32"), argument("int", "1"), "number", "a float in some", ["one_number"]),
        (argument("none", "None"), argument("*fp32"), "none", "a tensor in others", []),
        (argument("i32"), argument("none", "None"), "none", "a value in others", []),
        (argument("*fp32"), argument("*fp16"), "dtype", "*fp32 and then *fp16", ["one_dtype"]),
        (argument("*kfp32"), argument("*kfp16"), "dtype", "*fp32 and then *fp16", ["one_dtype"]),
        (argument("fp32"), argument("fp64"), "dtype", "fp32 and then fp64", ["one_dtype"]),
        (
            argument("*fp32", divisible=True),
            argument("*fp32"),
            "alignment",
            "16 bytes",
            ["aligned", "do_not_specialize_on_alignment"],
        ),
        (
            argument("tensordesc<fp32[32, 32]>"),
            argument("tensordesc<fp32[64, 64]>"),
            "block",
            "[32, 32] and then [64, 64]",
            ["one_block"],
        ),
        (
            argument("tensordesc<fp32[32, 32]>"),
            argument("tensordesc<fp16[32, 32]>"),
            "dtype",
            "Triton compiles a kernel for each dtype",
            ["one_dtype"],
        ),
        (
            argument("constexpr", "128"),
            argument("constexpr", "256"),
            "constexpr",
            "It was 128, 256.",
            ["runtime_argument"],
        ),
        (
            argument("constexpr", "100"),
            argument("constexpr", "101"),
            "constexpr",
            "It was 100, 101.",
            ["runtime_argument", "next_power_of_2"],
        ),
        (
            argument("constexpr", "0.5"),
            argument("constexpr", "0.25"),
            "constexpr",
            "It was 0.5, 0.25.",
            ["runtime_argument"],
        ),
        (
            argument("constexpr", "'none'"),
            argument("constexpr", "'relu'"),
            "constexpr",
            "'relu'",
            [],
        ),
        (argument("constexpr", "True"), argument("constexpr", "False"), "constexpr", "True", []),
        (argument("constexpr", "fp16"), argument("constexpr", "bf16"), "constexpr", "bf16", []),
        (argument("constexpr", "gelu"), argument("constexpr", "relu"), "constexpr", "relu", []),
    ],
)
def test_each_difference_is_told_by_its_kind(old, new, kind, word, remedies):
    (cause,) = kernel(compiled(old), compiled(new)).causes
    assert (cause.argument, cause.kind, cause.times) == ("x", kind, 1)
    assert word in cause.why
    assert [one.id for one in cause.remedies] == remedies
    assert remedies or cause.why.endswith(NOTHING)


@pytest.mark.parametrize(
    ("name", "before", "after", "word"),
    [
        ("num_warps", "4", "8", "autotuning"),
        ("launch_pdl", "False", "True", "one `launch_pdl`"),
    ],
)
def test_an_option_is_a_kernel_of_its_own(name, before, after, word):
    first, second = compiled(**{name: before}), compiled(**{name: after})
    x = argument("*fp32")
    (cause,) = kernel(replace(first, arguments=(x,)), replace(second, arguments=(x,))).causes
    assert (cause.argument, cause.kind) == (name, "option")
    assert word in cause.remedies[0].text
    assert ("autotuning" in cause.remedies[0].text) is (name == "num_warps")


def test_the_cluster_follows_from_the_number_of_blocks_in_it():
    x = argument("*fp32")
    one = compiled(x, num_ctas="1", cluster_dims="(1, 1, 1)")
    two = compiled(x, num_ctas="2", cluster_dims="(2, 1, 1)")
    assert [cause.argument for cause in kernel(one, two).causes] == ["num_ctas"]


def test_a_launch_is_held_against_the_one_that_is_most_alike():
    bias = [
        argument("none", "None", name="bias"),
        argument("*fp32", divisible=True, name="bias"),
        argument("*fp32", name="bias"),
    ]
    causes = kernel(*map(compiled, bias)).causes
    assert {(cause.kind, cause.times) for cause in causes} == {("none", 1), ("alignment", 1)}


def test_a_wide_integer_is_not_held_against_the_number_one():
    kinds = (argument("int", "1"), argument("i32", divisible=True), argument("i64", divisible=True))
    causes = kernel(*map(compiled, kinds)).causes
    assert {cause.kind: cause.values for cause in causes} == {
        "one": ("1", "a multiple of 16"),
        "width": ("i32", "i64"),
    }


def test_the_elements_of_a_tuple_are_told_one_by_one():
    def shape(*elements):
        return compiled(*(replace(one, name=f"shape[{n}]") for n, one in enumerate(elements)))

    sixteen, other = argument("i32", divisible=True), argument("i32")
    found = kernel(
        shape(sixteen, sixteen), shape(sixteen, other), shape(sixteen, other, other)
    ).causes
    causes = {cause.argument: cause for cause in found}
    assert (causes["shape[1]"].kind, causes["shape"].kind) == ("divisible", "length")
    assert [one.id for one in causes["shape[1]"].remedies] == ["own_argument", "pad_to_16"]
    assert "2 elements and then 3" in causes["shape"].why


def test_a_compile_that_nothing_explains_is_told_as_such():
    x = argument("*fp32")
    found = kernel(compiled(x), compiled(x), compiled(x, cache="hit"))
    (cause,) = found.causes
    assert (cause.kind, cause.times) == ("unknown", 1)
    assert "Nothing that compilescope records had changed" in cause.why
    assert found.compiles == 2


def test_no_remedy_hides_another_one_of_its_kind():
    x = argument("i32", divisible=True)
    found = diagnose(
        Session(
            events=(
                compiled(x),
                compiled(x, num_warps="8"),
                compiled(x, num_stages="5"),
                compiled(argument("i32")),
                compiled(argument("int", "1")),
            )
        )
    )
    text = report("markdown")(found, everything=True)
    assert "one `num_warps`" in text
    assert "one `num_stages`" in text
    assert text.count("do_not_specialize=") == 1
    assert "become narrower; loses what Triton makes of" in " ".join(text.split())


@pytest.mark.parametrize(
    ("registers", "remedies"), [(255, ["smaller_block"]), (64, ["smaller_block", "maxnreg"])]
)
def test_a_thread_that_has_all_registers_is_not_told_to_limit_them(registers, remedies):
    event = replace(compiled(argument("*fp32")), registers=registers, spills=618)
    found = kernel(event)
    assert found.why.startswith("618 registers")
    assert [one.id for one in found.remedies] == remedies


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("triton_red_fused_sum_0", "coordinate_descent"), ("scale", "smaller_block")],
)
def test_a_kernel_of_the_program_in_a_compiled_function_is_not_inductors_to_tune(name, remedy):
    event = KernelCompiled(0, name, "inductor", registers=255, spills=64)
    assert [one.id for one in kernel(event).remedies] == [remedy]


def test_tuning_more_often_than_for_its_keys_says_what_else_counts():
    runs = [
        KernelTuned(0, "scale", "program", FRAME, seconds=0.4, key=key, trials=2)
        for key in ("n=1", "n=2", "n=1", "n=3", "n=4")
    ]
    found = kernel(*runs)
    assert "5 times, once for each value of its key and each dtype" in found.why
    assert found.why.endswith("The key was n=1; n=2; n=3 and others.")


def test_every_compile_after_the_first_is_accounted_for():
    kinds = [argument("i32", divisible=True), argument("i32"), argument("int", "1")]
    events = [compiled(one) for one in (*kinds, argument("i64"), argument("i64"))]
    found = kernel(*events)
    assert sum(cause.times for cause in found.causes) == len(events) - 1
    assert sum(cause.seconds for cause in found.causes) == pytest.approx(0.4)
