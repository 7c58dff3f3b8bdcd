"""Benches the graph network, a captioning step and an MLP's training step on a GPU, with tables.

    python tests/gpu/bench.py OUT [--parts caption,caption_aligned] [--seconds 95] [--layers 12]

Leaves OUT/<name>-bench.json, OUT/<name>.html and OUT/tables.txt. All settings compile side by
side, then each is measured alone; what has not compiled when the time is spent is left out, and a
part that fails does not lose the others. compilescope must be importable in this interpreter,
which must have torch and transformers; without a GPU it runs small, as a test of itself.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

from msgspec.structs import replace

HERE = Path(__file__).parent
# Behind an installed compilescope, which also has its reports.
sys.path.append(str(HERE.parent.parent))

from compilescope.bench.plan import Plan  # noqa: E402
from compilescope.bench.run import Bench, save  # noqa: E402
from compilescope.bench.together import measure  # noqa: E402
from compilescope.benching import Benching, Setting  # noqa: E402

MODES = ("", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
SMALL = {
    "COMPILESCOPE_LAYERS": "1",
    "COMPILESCOPE_WIDTH": "64",
    "COMPILESCOPE_BATCH": "2",
    "COMPILESCOPE_IMAGE": "32",
}


def main() -> None:
    """Measure everything that the time allows, and write down what came of it."""
    arguments = _arguments()
    began = time.monotonic()
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    os.environ["COMPILESCOPE_LAYERS"] = str(arguments.layers)
    # Many processes compile at a time, each with workers of its own.
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "4")
    os.environ.setdefault("OMP_NUM_THREADS", "1" if arguments.small else "2")
    if arguments.small:
        os.environ.update(SMALL)
    folder = Path(tempfile.mkdtemp(prefix="compilescope-gpu-"))
    benches, jobs = {}, []
    plans = _plans(arguments)
    for name in arguments.parts.split(",") if arguments.parts else plans:
        plan = plans[name]
        (folder / name).mkdir()
        benches[name] = Bench(plan, folder / name)
        jobs += [(name, job) for job in benches[name].jobs()]

    def done(number: int, found: object) -> None:
        name, job = jobs[number]
        print(f"{time.monotonic() - began:5.1f} s  {name}", end="  ", file=sys.stderr)
        try:
            benches[name].add(job.setting, found, beside=len(jobs) - 1)
        except Exception as error:  # noqa: BLE001  the other parts go on
            print(f"{job.setting.name}: {error}", file=sys.stderr)
            (out / f"{name}-error.txt").write_text(f"{error}\n\n{traceback.format_exc()}")

    patience = arguments.patience or 0.5 * arguments.seconds
    try:
        measure([job for _, job in jobs], patience, arguments.seconds, done)
    except Exception:  # noqa: BLE001  what is known is written down
        traceback.print_exc()
    _write(benches, folder, out, began)


def _plans(arguments: argparse.Namespace) -> dict[str, Plan]:
    python, small = sys.executable, arguments.small
    common = {"python": python, "minutes": arguments.seconds / 60, "warm_cache": False}
    graph = [str(HERE.parent / "workloads" / "graph_net.py"), "--requests", "13"]
    graph += ["--layers", "2"] if small else ["--layers", "16", "--hidden", "768"]
    graph += [] if small else ["--rows-min", "1000", "--rows-max", "4000"]
    graph += ["--backend", arguments.backend]
    mlp = str(HERE / "programs" / "mlp_item.py")
    if small:
        mlp = _on_cpu(Path(mlp))
    marked = [Setting(mode, "marked", 8) for mode in MODES]
    # Padded logits, which the step returns, have a stride that fixes the length.
    unpadded = [replace(one, shape_padding=False) for one in marked]
    models = HERE / "bench_models.py"
    mlp_plan = {"settings": (Setting(), Setting("", "marked")), "train": True, "optimizer": "SGD",
                "seconds": 0.5 if small else 1.5, **common}  # fmt: skip
    # The quick ones first: they are measured while the last still compile.
    return {
        "mlp_item": Plan(name="MLP training step with .item()", script=(mlp,), **mlp_plan),
        "mlp_item_fixed": Plan(
            name="MLP training step with .item(), without its list",
            call=f"{models}:mlp_item",
            backend=arguments.backend,
            **mlp_plan,
        ),
        "graph_net": Plan(
            name="graph network",
            script=tuple(graph),
            settings=(Setting(), Setting("", "marked"), Setting("", "unbacked")),
            seconds=0.5 if small else 2.0,
            **common,
        ),
        **{
            name: Plan(
                name=f"captioning step, ViT + GPT-2{words}",
                call=f"{models}:{name}",
                settings=tuple(settings),
                train=True,
                optimizer="AdamW",
                autocast="bfloat16",
                backend=arguments.backend,
                seconds=0.5 if small else 6.0,
                **common,
            )
            for name, words, settings in (
                ("caption", "", unpadded),
                ("caption_aligned", ", a vocabulary of 50,264", marked),
            )
        },
    }


def _on_cpu(path: Path) -> str:
    """The program without its GPU, to try this file."""
    text = path.read_text().replace(".cuda()", "").replace(', device="cuda"', "")
    text = text.replace("torch.cuda.synchronize()\n", "").replace(
        "@torch.compile\n", '@torch.compile(backend="eager")\n'
    )
    made = Path(tempfile.mkdtemp(prefix="compilescope-gpu-")) / path.name
    made.write_text(text)
    return str(made)


def _write(benches: dict[str, Bench], folder: Path, out: Path, began: float) -> None:
    """Results, pages and tables of all parts that were measured, and why others were not."""
    tables = []
    for name, bench in benches.items():
        try:
            found = bench.result(time.monotonic() - began)
            save(found, out / f"{name}-bench.json")
            tables.append(_table(found))
            _page(found, out / f"{name}.html")
        except Exception:  # noqa: BLE001  the other parts go on
            tables.append(f"{name} failed:\n{traceback.format_exc()}")
        if not bench.trials or any(one.outcome != "measured" for one in bench.trials):
            logs = sorted((folder / name).glob("*.log"))
            tables += [f"{name} {log.name}: {_end(log)}" for log in logs]
    text = "\n".join(tables)
    (out / "tables.txt").write_text(text)
    print(text)
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)


def _table(found: Benching) -> str:
    try:
        from compilescope.reports.benching import render_terminal
    except ImportError:  # compilescope was not installed: its reports stand beside it
        from reports.benching import render_terminal
    return render_terminal(found, width=120)


def _page(found: Benching, path: Path) -> None:
    try:
        from compilescope.reports.benching_page import render
    except ImportError:  # the page's files are found in an installed compilescope only
        return
    path.write_text(render(found), encoding="utf-8")


def _end(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    return "\n".join(line for line in lines if not line.startswith("USDT"))[-1500:]


def _arguments() -> argparse.Namespace:
    import torch

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=95.0)
    parser.add_argument("--parts", help="some of the benches, with commas between them")
    parser.add_argument("--patience", type=float, help="seconds that all wait for the slowest")
    parser.add_argument("--layers", type=int, default=4, help="of encoder and decoder each")
    parser.add_argument("--backend", default="inductor")
    parser.add_argument("--small", action="store_true", default=not torch.cuda.is_available())
    return parser.parse_args()


if __name__ == "__main__":
    main()
