"""CS116: the clock in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class ClockRead(CallRule):
    """The clock in compiled code."""

    code = "CS116"
    name = "clock-read"
    summary = "the clock in compiled code"
    names = {
        "time.time": "",
        "time.time_ns": "",
        "time.perf_counter": "",
        "time.perf_counter_ns": "",
        "time.monotonic": "",
        "time.monotonic_ns": "",
        "time.process_time": "",
        "time.process_time_ns": "",
        "time.thread_time": "",
        "time.sleep": "",
        "time.ctime": "",
        "time.localtime": "",
        "time.gmtime": "",
        "time.strftime": "",
        "time.asctime": "",
        "datetime.datetime.now": "",
        "datetime.datetime.utcnow": "",
        "datetime.datetime.today": "",
        "datetime.datetime.fromtimestamp": "",
        "datetime.datetime.strptime": "",
        "datetime.date.today": "",
        "datetime.timedelta": "",
        "datetime.datetime": "",
        "datetime.date": "",
    }
    gb_ids = ("GB0007", "GB0156", "GB0147")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "do it outside the compiled function"
