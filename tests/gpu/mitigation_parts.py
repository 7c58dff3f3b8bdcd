"""What tests/gpu/mitigations.py measures: each way out, on the graph network as a service."""

from __future__ import annotations

import os
import time

from stalls import Stalls


class Service:
    """The model and its requests, as they are served one after the other."""

    def __init__(self, arguments):
        import torch
        from graph_net import GraphNet, Requests

        torch._dynamo.config.recompile_limit = 64
        self.torch = torch
        self.device = arguments.device or ("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(0)
        self.model = GraphNet(arguments.layers, arguments.hidden).eval().to(self.device)
        requests = Requests(arguments.rows_min, arguments.rows_max, self.device, 0)
        self.order = [requests.inputs(number) for number in range(arguments.requests)]
        self.backend = arguments.backend
        with torch.no_grad():
            for inputs in self.order[:3]:
                self.model(*inputs).sum().item()

    def compile(self, **given):
        given = {"dynamic": True, "fullgraph": True, "backend": self.backend, **given}
        return self.torch.compile(self.model, **given)

    def call(self, served, inputs):
        began = time.perf_counter()
        result = served(*inputs)
        result.sum().item()
        return result, (time.perf_counter() - began) * 1e3

    def serve(self, served):
        """Milliseconds of each request, and what they differ from eager at most, relatively."""
        from torch._dynamo.utils import counters

        before = counters["stats"]["unique_graphs"]
        with self.torch.no_grad():
            times = [self.call(served, inputs)[1] for inputs in self.order]
        return {
            **summary(times),
            "compiles": counters["stats"]["unique_graphs"] - before,
            "times": times,
        }

    def difference(self, served):
        worst = 0.0
        with self.torch.no_grad():
            for inputs in self.order[:: max(len(self.order) // 20, 1)]:
                expected = self.model(*inputs)
                scale = expected.abs().max().clamp(min=1e-6)
                worst = max(worst, ((served(*inputs) - expected).abs().max() / scale).item())
        return worst


def summary(times):
    ordered = sorted(times)
    return {
        "calls": len(times),
        "mean": sum(times) / len(times),
        "median": ordered[len(ordered) // 2],
        "p99": ordered[int(len(ordered) * 0.99)],
        "worst": ordered[-1],
    }


def eager(arguments, out):
    service = Service(arguments)
    return service.serve(service.model)


def compiled(arguments, out):
    from compilescope.mitigations import save_cache

    service = Service(arguments)
    served = service.compile()
    found = service.serve(served)
    found["steady"] = service.serve(served)
    found["difference"] = service.difference(served)
    if service.backend == "inductor":
        save_cache(out / "cache.cscope", service.model)
    return found


def cache_preloaded(arguments, out):
    """A second process of the same program; it makes its own bundle where there is none."""
    from compilescope.mitigations import load_cache

    bundle = out / "cache.cscope"
    until = time.monotonic() + arguments.limit - 60
    while not bundle.exists() and arguments.jobs > 1 and time.monotonic() < until:
        time.sleep(1)
    service = Service(arguments)
    began = time.perf_counter()
    contents = load_cache(bundle, service.model)
    took = time.perf_counter() - began
    found = service.serve(service.compile())
    slow = [number for number in found["times"] if number > 10 * found["median"]]
    return {**found, "load_seconds": took, "artifacts": contents.artifacts, "slow": slow}


def warm_up(arguments, out):
    from compilescope.mitigations import freeze_after_warm_up
    from compilescope.mitigations import warm_up as warm

    service = Service(arguments)
    served = service.compile()
    with service.torch.no_grad():
        # Those topologies that the program is known to bring: its requests of the ten kinds.
        from graph_net import EMPTY

        kinds = [service.order[number] for number in (0, 1, *EMPTY) if number < len(service.order)]
        done = warm(served, kinds)
    with freeze_after_warm_up():
        found = service.serve(served)
    return {**found, "warm_seconds": sum(done.seconds), "stable": done.stable,
            "warm_compiles": sum(done.compiles)}  # fmt: skip


def limit(number):
    def part(arguments, out):
        service = Service(arguments)
        service.torch._dynamo.config.recompile_limit = number
        return service.serve(service.compile(fullgraph=False))

    return part


def marks(arguments, out):
    service = Service(arguments)
    torch = service.torch
    torch.fx.experimental._config.use_duck_shape = False
    served = service.compile(dynamic=None)
    for inputs in service.order:
        for place, dimension in ((0, 0), (1, 1), (2, 1), (3, 0), (4, 0), (5, 0)):
            torch._dynamo.decorators.mark_unbacked(inputs[place], dimension)
    return service.serve(served)


def background(worker):
    def part(arguments, out):
        from compilescope.mitigations import Yielding, background_compile

        service = Service(arguments)
        events = []
        given = {"dynamic": True, "on_event": events.append}
        if worker == "thread":
            given["backend"] = service.backend
        how = Yielding(nice=arguments.nice)
        began = time.perf_counter()
        served = background_compile(service.model, worker=worker, yielding=how, **given)
        found = {"construct_ms": (time.perf_counter() - began) * 1e3}
        with Stalls() as stalls:
            found.update(_beside_compiles(service, served, arguments, stalls))
        found["stalls"] = stalls.seen
        found["steady"] = service.serve(served)
        found["difference"] = service.difference(served)
        found["compiles"] = sum(event.what == "compiled" for event in events)
        found["events"] = [
            {"what": event.what, "at": event.at, "seconds": event.seconds, "detail": event.detail,
             "error": repr(event.error or "")}
            for event in events
        ]  # fmt: skip
        served.close(60)
        return found

    return part


def ahead(arguments, out):
    from compilescope.mitigations import aot_or_eager

    service = Service(arguments)
    dim = service.torch.export.Dim
    # One more than the largest request: a bound is no promise about the sizes that came.
    rows, local, cross, context = (
        dim(name, min=2, max=arguments.rows_max + 1) for name in ("rows", "local", "cross", "kept")
    )
    shapes = {"x": {0: rows}, "local_edge_index": {1: local}, "cross_edge_index": {1: cross},
              "local_edge_scale": {0: local}, "cross_edge_scale": {0: cross},
              "context": {0: context}}  # fmt: skip
    began = time.perf_counter()
    folder = os.environ["TORCHINDUCTOR_CACHE_DIR"]
    with service.torch.no_grad():
        served = aot_or_eager(service.model, service.order[1], shapes, cache_dir=folder)
        built = time.perf_counter() - began
        began = time.perf_counter()
        aot_or_eager(service.model, service.order[1], shapes, cache_dir=folder)
    loaded = time.perf_counter() - began
    found = service.serve(served)
    return {**found, "build_seconds": built, "load_seconds": loaded,
            "counts": dict(served.counts), "violations": sorted(set(served.violations)),
            "difference": service.difference(served)}  # fmt: skip


def _beside_compiles(service, served, arguments, stalls):
    """Requests in order; while a compile runs the same ones come again, 20 a second at most."""
    times, busy = [], []
    with service.torch.no_grad():
        idle = [service.call(service.model, inputs)[1] for inputs in service.order[:40]]
        until = time.monotonic() + arguments.limit - 80
        for inputs in service.order:
            times.append(service.call(served, inputs)[1])
            while served.pending and time.monotonic() < until:
                stalls.began = time.perf_counter()
                took = service.call(served, inputs)[1]
                stalls.began = 0.0
                if served.pending:
                    busy.append((took, time.time()))
                time.sleep(0.002)
    found = {**summary(times), "times": times, "idle_eager": summary(idle)}
    if busy:
        found["busy"] = {
            **summary([took for took, _ in busy]),
            "slowest": sorted(busy)[-20:],  # with the moment at which each ended
        }
    return found


PARTS = {
    "compiled": compiled,
    "background_process": background("process"),
    "background_thread": background("thread"),
    "warm_up": warm_up,
    "eager": eager,
    "limit_1": limit(1),
    "limit_2": limit(2),
    "marks": marks,
    "cache_preloaded": cache_preloaded,
    "ahead": ahead,
}
