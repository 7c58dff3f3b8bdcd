"""The whole of compilescope on a GPU, in parts, within a time: priority first, results at once.

    python tests/gpu/run.py OUT [--parts overhead,triton,...] [--seconds 520] [--jobs 6] [--list]

Leaves OUT/summary.txt and OUT/results.tar.gz, both written anew whenever a part has ended; a part
that runs out of time leaves what it had. compilescope must be importable in this interpreter, which
must have torch with CUDA; some programs need transformers or torch_geometric.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
GRAPH_NET = HERE.parent / "workloads" / "graph_net.py"
FULL_SIZE = ("--backend", "inductor", "--layers", "16", "--hidden", "768")
ROWS = ("--rows-min", "1000", "--rows-max", "4000")
COMPILESCOPE = (sys.executable, "-m", "compilescope")
SAVED = 6  # seconds at the end for what must still be written


@dataclass(frozen=True)
class Part:
    """Something to run; `{out}` in the command is the folder of its results."""

    name: str
    command: tuple[str, ...]
    seconds: float  # the most it may take
    alone: bool = False  # timings count, so that nothing else may run
    weight: int = 1  # of the places that run side by side


@dataclass
class Running:
    """A part that has been started."""

    part: Part
    process: subprocess.Popen[bytes]
    began: float
    limit: float
    said: Path = field(default_factory=Path)


def main() -> int:
    """Run the parts; 1 where one of them failed."""
    given = _arguments()
    known = {part.name: part for part in parts(given)}
    if given.list:
        print("\n".join(f"{part.name:22} {part.seconds:4.0f} s" for part in known.values()))
        return 0
    names = given.parts.split(",") if given.parts else list(known)
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"error: no part is called {', '.join(unknown)}", file=sys.stderr)
        return 2
    runner = Runner(given.out, time.monotonic() + given.seconds - SAVED, given.jobs)
    return runner.run([known[name] for name in names])


def parts(given: argparse.Namespace) -> list[Part]:
    """Every part, those first whose results are needed most."""
    strategies = (
        *COMPILESCOPE, "tune", "--strategies", "--jobs", str(given.tune_jobs),
        "--minutes", "{minutes}", "--timeout", "230",
        "--format", "markdown", "-o", "{out}/strategies.json", str(GRAPH_NET),
        *FULL_SIZE, *ROWS, "--layers", str(given.layers),
    )  # fmt: skip
    forecast = (sys.executable, str(HERE / "forecast.py"), "{out}")
    programs = sorted(PROGRAMS.glob("*.py"))
    # The longest first, beside the strategies.
    first = ("caption_step", "triton_rows", "triton_spills", "cudagraph_moves", "decode_cache")
    rest = [path.stem for path in programs if path.stem not in first]
    return [
        Part("overhead", (sys.executable, str(HERE / "overhead.py"), "{out}"), 90, alone=True),
        Part("strategies", strategies, 560, weight=2),
        Part("graph_net", (*probed("graph_net"), str(GRAPH_NET), *FULL_SIZE, *ROWS), 300),
        *(probe(name, 300) for name in first),
        Part("forecast", forecast, 300),
        *(probe(name) for name in rest),
    ]


def probe(name: str, seconds: float = 150) -> Part:
    """The part that records one of the programs."""
    return Part(name, (*probed(name), str(PROGRAMS / f"{name}.py")), seconds)


def probed(name: str) -> tuple[str, ...]:
    """The probe, with the device's own time."""
    session = f"{{out}}/{name}.cscope.json.gz"
    return (*COMPILESCOPE, "probe", "--device-time", "-o", session)


class Runner:
    """Runs parts side by side until the time is up."""

    def __init__(self, out: Path, deadline: float, jobs: int) -> None:
        self.out = out
        self.deadline = deadline
        self.jobs = jobs
        self.folder = Path(tempfile.mkdtemp(prefix="compilescope-gpu-"))
        self.told: list[str] = []
        self.running: list[Running] = []
        self.failed = False
        out.mkdir(parents=True, exist_ok=True)

    def run(self, wanted: list[Part]) -> int:
        """Start each part when there is room for it; 1 where one failed."""
        waiting = list(wanted)
        while waiting or self.running:
            while waiting and self._has_room(waiting[0]):
                self._start(waiting.pop(0))
            ended = [one for one in self.running if self._has_ended(one)]
            for one in ended:
                self.running.remove(one)
                self._conclude(one)
            if not ended:
                time.sleep(0.2)
        return int(self.failed)

    def _has_room(self, part: Part) -> bool:
        if part.alone or any(one.part.alone for one in self.running):
            return not self.running
        return sum(one.part.weight for one in self.running) + part.weight <= max(
            self.jobs, part.weight
        )

    def _start(self, part: Part) -> None:
        limit = min(part.seconds, self.deadline - time.monotonic())
        if limit < 5:
            self._tell(f"== {part.name}: not started, the time was up\n")
            return
        folder = self.folder / part.name
        folder.mkdir()
        words = {"{out}": str(folder), "{minutes}": f"{max(limit - 15, 5) / 60:.2f}"}
        command = [
            word.replace("{out}", words["{out}"]).replace("{minutes}", words["{minutes}"])
            for word in part.command
        ]
        said = folder / "output.txt"
        with said.open("wb") as file:
            process = subprocess.Popen(
                command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
            )
        self.running.append(Running(part, process, time.monotonic(), limit, said))

    def _has_ended(self, one: Running) -> bool:
        if one.process.poll() is not None:
            return True
        over = time.monotonic() - one.began - one.limit
        if over > 0:
            # First politely, so that it can write down what it has.
            _signal(one.process, signal.SIGKILL if over > 3 else signal.SIGTERM)
            time.sleep(0.3)
        return one.process.poll() is not None

    def _conclude(self, one: Running) -> None:
        took = time.monotonic() - one.began
        code = one.process.returncode
        ended = "out of time" if took >= one.limit else f"exit {code}"
        self.failed = self.failed or code not in (0, 1)
        text = f"== {one.part.name}: {ended}, {took:.0f} s\n" + _end(one.said)
        for session in sorted((self.folder / one.part.name).glob("*.cscope.json.gz")):
            text += _shown(session)
        self._tell(text)

    def _tell(self, text: str) -> None:
        print(text, flush=True)
        self.told.append(text)
        (self.out / "summary.txt").write_text("\n".join(self.told))
        half = self.out / ".results.tar.gz"
        with tarfile.open(half, "w:gz") as archive:
            for folder in sorted(self.folder.iterdir()):
                if folder.name not in {one.part.name for one in self.running}:
                    archive.add(folder, folder.name, filter=_small)
        half.replace(self.out / "results.tar.gz")


def _small(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Not what a part left half-way: raw records, caches."""
    raw = ".raw" in entry.name or entry.name.endswith(".bin")
    return None if raw or entry.size > 8 << 20 else entry


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return


def _end(path: Path) -> str:
    return "\n".join(path.read_text(errors="replace").splitlines()[-60:]) + "\n"


def _shown(session: Path) -> str:
    command = [*COMPILESCOPE, "show", str(session)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return f"{session.name}: `show` took more than a minute\n"
    return done.stdout + done.stderr


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--parts", default="", help="names, separated by commas")
    parser.add_argument("--seconds", type=float, default=520, help="for all parts together")
    parser.add_argument("--jobs", type=int, default=6, help="places for parts side by side")
    parser.add_argument("--tune-jobs", type=int, default=8, help="strategies side by side")
    parser.add_argument("--layers", type=int, default=8, help="of the strategies' network")
    parser.add_argument("--list", action="store_true", help="the parts and their limits")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
