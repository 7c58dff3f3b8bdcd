"""CS117: process state in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import GuardedCall


class ProcessState(GuardedCall):
    """Process state in compiled code."""

    code = "CS117"
    name = "process-state"
    summary = "process state in compiled code"
    names = {
        "os.getpid": "",
        "os.getppid": "",
        "os.system": "",
        "os.popen": "",
        "os.urandom": "",
        "os.putenv": "",
        "os.unsetenv": "",
        "os.kill": "",
        "os.fork": "",
        "os.cpu_count": "",
        "os.sched_getaffinity": "",
        "subprocess.run": "",
        "subprocess.Popen": "",
        "subprocess.call": "",
        "subprocess.check_call": "",
        "subprocess.check_output": "",
        "subprocess.getoutput": "",
        "gc.collect": "",
        "gc.disable": "",
        "gc.enable": "",
        "gc.freeze": "",
        "gc.get_objects": "",
        "uuid.uuid1": "",
        "uuid.uuid4": "",
        "uuid.uuid3": "",
        "uuid.uuid5": "",
        "threading.Thread": "",
        "threading.Timer": "",
        "threading.current_thread": "",
        "threading.get_ident": "",
        "threading.active_count": "",
        "concurrent.futures.ThreadPoolExecutor": "",
        "concurrent.futures.ProcessPoolExecutor": "",
        "multiprocessing.Process": "",
        "multiprocessing.Pool": "",
        "multiprocessing.Queue": "",
        "multiprocessing.current_process": "",
        "asyncio.run": "",
        "signal.signal": "",
        "socket.socket": "",
        "sys.exit": "",
        "sys.setrecursionlimit": "",
        "tracemalloc.start": "",
        "resource.getrusage": "",
    }
    gb_ids = ("GB0007", "GB0142")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "do it outside the compiled function"
    kept = frozenset(names) - {"gc.collect"}
