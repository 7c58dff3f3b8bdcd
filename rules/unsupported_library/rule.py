"""CS130: a library function that is not traced."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


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
    }
    gb_ids = ("GB0007", "GB0134", "GB0059", "GB0142")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "do it outside the compiled function"
