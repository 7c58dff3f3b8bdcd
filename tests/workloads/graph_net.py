"""A graph network that serves requests of changing sizes: the program that proves the probe.

Two edge relations and a context table, each of any size, also empty. Compiled once with
`dynamic=True`, it recompiles at requests 1, 4, 12, 24, 40, 60, 84, 112, 144 and 180, and no other.
"""

from __future__ import annotations

import argparse
import sys
import time

import torch

config = torch._dynamo.config
# Before 2.7 the limit has its old name.
setattr(config, "recompile_limit" if hasattr(config, "recompile_limit") else "cache_size_limit", 64)

NODE_WIDTH = 16
# Which of nodes, local edges, cross edges and context rows are there at all; others are as drawn.
EMPTY = {
    4: ("local",),
    12: ("cross",),
    24: ("local", "cross"),
    40: ("context",),
    60: ("local", "context"),
    84: ("cross", "context"),
    112: ("local", "cross", "context"),
    144: ("nodes", "local", "cross"),
    180: ("nodes", "local", "cross", "context"),
}


class GraphLayer(torch.nn.Module):
    """One round of messages over both relations, and the update of every node."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.message = torch.nn.Linear(hidden, hidden)
        self.update = torch.nn.Linear(hidden, hidden)

    def forward(
        self,
        nodes: torch.Tensor,
        relations: list[tuple[torch.Tensor, torch.Tensor]],
    ) -> torch.Tensor:
        messages = self.message(nodes)
        received = torch.zeros_like(nodes)
        for edge_index, edge_scale in relations:
            source, destination = edge_index[0], edge_index[1]
            received = received.index_add(0, destination, messages[source] * edge_scale)
        return torch.relu(self.update(nodes) + received)


class GraphNet(torch.nn.Module):
    """Four values from a graph of nodes with two kinds of edges, and a table of context rows."""

    def __init__(self, layers: int, hidden: int) -> None:
        super().__init__()
        self.project = torch.nn.Linear(NODE_WIDTH, hidden)
        self.layers = torch.nn.ModuleList(GraphLayer(hidden) for _ in range(layers))
        self.context = torch.nn.Linear(NODE_WIDTH, hidden)
        self.output = torch.nn.Linear(hidden, 4)

    def forward(
        self,
        x: torch.Tensor,
        local_edge_index: torch.Tensor,
        cross_edge_index: torch.Tensor,
        local_edge_scale: torch.Tensor,
        cross_edge_scale: torch.Tensor,
        context: torch.Tensor,
    ) -> torch.Tensor:
        nodes = torch.relu(self.project(x))
        relations = [(local_edge_index, local_edge_scale), (cross_edge_index, cross_edge_scale)]
        for layer in self.layers:
            nodes = layer(nodes, relations)
        return self.output(nodes.sum(0) + self.context(context).sum(0))


class Requests:
    """The inputs of each request: four row counts, drawn anew, some of them zero."""

    def __init__(self, rows_min: int, rows_max: int, device: str, seed: int) -> None:
        self._rows = (rows_min, rows_max + 1)
        self._device = device
        self._random = torch.Generator().manual_seed(seed)

    def inputs(self, request: int) -> tuple[torch.Tensor, ...]:
        """What request number `request` brings."""
        nodes, local, cross, context = self._counts(request)
        return (
            self._values(nodes, NODE_WIDTH),
            self._edges(local, nodes),
            self._edges(cross, nodes),
            self._values(local, 1),
            self._values(cross, 1),
            self._values(context, NODE_WIDTH),
        )

    def _counts(self, request: int) -> list[int]:
        # Without replacement: two equal counts would share a symbol by chance.
        low, high = self._rows
        drawn = torch.randperm(high - low, generator=self._random)[:4] + low
        counts = dict(zip(("nodes", "local", "cross", "context"), drawn.tolist(), strict=True))
        if request == 0:
            counts["cross"] = counts["local"]
        for name in EMPTY.get(request, ()):
            counts[name] = 0
        return list(counts.values())

    def _values(self, rows: int, columns: int) -> torch.Tensor:
        return torch.randn(rows, columns, generator=self._random).to(self._device)

    def _edges(self, count: int, nodes: int) -> torch.Tensor:
        if count == 0:
            # As a loader leaves it that stacks no pairs and transposes them: strides (0, 1).
            empty = torch.empty_strided((2, 0), (0, 1), dtype=torch.int64)
            return empty.to(self._device)
        return torch.randint(nodes, (2, count), generator=self._random).to(self._device)


def main() -> None:
    arguments = _arguments()
    device = arguments.device
    torch.manual_seed(arguments.seed)
    model = GraphNet(arguments.layers, arguments.hidden).eval().to(device)
    compiled = torch.compile(model, dynamic=True, fullgraph=True, backend=arguments.backend)
    requests = Requests(arguments.rows_min, arguments.rows_max, device, arguments.seed)
    order = [requests.inputs(request) for request in range(arguments.requests)]
    if arguments.swap:
        one, other = arguments.swap
        order[one], order[other] = order[other], order[one]
    seconds: list[float] = []
    with torch.no_grad():
        for request in range(arguments.requests):
            inputs = order[request]
            began = time.perf_counter()
            compiled(*inputs).sum().item()
            seconds.append(time.perf_counter() - began)
            if (request + 1) % arguments.every == 0:
                print(f"request {request + 1} of {arguments.requests}", flush=True)
    ordered = sorted(seconds)
    print(
        f"{len(seconds)} requests in {sum(seconds):.2f} s:"
        f" median {ordered[len(ordered) // 2] * 1e3:.2f} ms, slowest {ordered[-1] * 1e3:.0f} ms",
        file=sys.stderr,
    )
    print(f"{len(seconds)} requests done")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=190)
    parser.add_argument("--backend", default="inductor")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--rows-min", type=int, default=20)
    parser.add_argument("--rows-max", type=int, default=200)
    parser.add_argument("--every", type=int, default=50, help="requests between two lines")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--swap", type=int, nargs=2, metavar=("A", "B"), help="exchange two requests"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
