"""Guards of torch 2.6 on `None`, `True` and `False` have the constants' ids."""

from __future__ import annotations

from compilescope.logs.guards import parse_reason
from compilescope.model import Compiled, Frame, Recompiled
from compilescope.probe.singletons import named

F = Frame("/x.py", 3, "f")
IDS = {"140116077342496": "False", "94543": "None"}


def test_ids_of_constants_become_the_constants():
    guards = (
        "ID_MATCH: ___check_obj_id(L['config'].greedy, 140116077342496)",
        "ID_MATCH: ___check_obj_id(L['caches'][0], 94543)",
        "ID_MATCH: ___check_obj_id(L['model'], 111)",
    )
    found = named(Compiled(0, "0/0", F, guards=guards), IDS)
    assert isinstance(found, Compiled)
    assert found.guards == (
        "ID_MATCH: L['config'].greedy == False",
        "ID_MATCH: L['caches'][0] is None",
        guards[2],
    )


def test_reasons_are_read_again():
    reasons = tuple(
        parse_reason(f"0/{entry}: ___check_obj_id(L['{name}'], {number})")
        for entry, (name, number) in enumerate(
            [("greedy", 140116077342496), ("cache", 94543), ("model", 111)]
        )
    )
    found = named(Recompiled(0, "0/3", F, reasons=reasons), IDS)
    assert isinstance(found, Recompiled)
    told = [(one.entry, one.kind, one.source) for one in found.reasons]
    assert told[:2] == [("0/0", "const.bool", "greedy"), ("0/1", "const.none", "cache")]
    assert found.reasons[2] is reasons[2]
    assert named(found, {}) is found
