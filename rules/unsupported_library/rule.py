"""CS130: a library function that is not traced."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from compilescope.lint.rule import CallRule, Fact, Report, Versions, holds
from compilescope.lint.torch_facts import SKIPPED_MODULES

OF_OTHER_RULES = ("numpy", "tqdm")
LIBRARIES = {
    name: versions
    for name, versions in SKIPPED_MODULES.items()
    if name not in sys.stdlib_module_names and name not in OF_OTHER_RULES
}


class UnsupportedLibrary(CallRule):
    """A library function that is not traced."""

    code = "CS130"
    name = "unsupported-library"
    summary = "a library function that is not traced"
    names = {
        "heapq.heappush": "",
        "heapq.heappop": "",
        "heapq.heapify": "",
        "heapq.heappushpop": "",
        "heapq.heapreplace": "",
        "heapq.nlargest": "",
        "heapq.nsmallest": "",
        "heapq.merge": "",
        "bisect.bisect": "",
        "bisect.bisect_left": "",
        "bisect.bisect_right": "",
        "bisect.insort": "",
        "bisect.insort_left": "",
        "bisect.insort_right": "",
        "statistics.mean": "",
        "statistics.median": "",
        "statistics.stdev": "",
        "statistics.variance": "",
        "statistics.mode": "",
        "statistics.pstdev": "",
        "statistics.fmean": "",
        "string.Template": "",
        "string.Formatter": "",
        "secrets.token_hex": "",
        "secrets.randbelow": "",
        "secrets.choice": "",
        "secrets.token_bytes": "",
        "queue.Queue": "",
        "queue.SimpleQueue": "",
        "queue.LifoQueue": "",
        "queue.PriorityQueue": "",
        "queue.Queue.put": "",
        "queue.Queue.get": "",
        "queue.Queue.put_nowait": "",
        "queue.Queue.get_nowait": "",
        "queue.SimpleQueue.put": "",
        "queue.SimpleQueue.get": "",
        "multiprocessing.Queue.put": "",
        "multiprocessing.Queue.get": "",
        "collections.ChainMap": "",
        "fractions.Fraction": "",
        "textwrap.dedent": "",
        "textwrap.wrap": "",
        "torch.quantile": "<2.12",
        "torch.nanquantile": "<2.12",
        "torch.Tensor.quantile": "<2.12",
        "torch.Tensor.nanquantile": "<2.12",
        "torch.quantize_per_tensor": "<2.12",
        "torch.jit.isinstance": "",
        "torch.distributions.constraints.is_dependent": "",
    }
    gb_ids = ("GB0007", "GB0134", "GB0059", "GB0142", "GB0033", "GB0087")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "do it outside the compiled function"

    def check(self, fact: Fact, target: Versions) -> Iterator[Report]:
        """Report listed functions, and every call into a library that is skipped as a whole."""
        if not fact.key.startswith("package:"):
            yield from super().check(fact, target)
        elif holds(LIBRARIES[fact.name], target):
            yield Report(f"`{fact.detail}` in compiled code", gb_ids=("GB0007",))


UnsupportedLibrary.facts = (*UnsupportedLibrary.facts, *(f"package:{name}" for name in LIBRARIES))
