"""What reading a log gives, whichever form the log had."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.model import Environment

if TYPE_CHECKING:
    from compilescope.model import Event, Gap, Process


@dataclass
class Log:
    """The events of one or several log files, in the order of the records.

    `Event.process` is an index into `processes`; two files of one pid are one process.
    """

    events: list[Event] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    environment: Environment = field(default_factory=Environment)
    gaps: list[Gap] = field(default_factory=list)
