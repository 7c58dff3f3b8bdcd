"""The time of a log line, which has neither year nor time zone, as Unix seconds.

A record that carries Unix time (a chromium event, compilation metrics) fixes both at once: the
difference to the line's own time, rounded to a quarter of an hour. Without one the line is taken
for this machine's local time, in the latest year that is not after the file's last change.
"""

from __future__ import annotations

import re
import time
from datetime import date

_WHEN = re.compile(rb"[VDIWEC](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d+)")
_DAY = 86_400
_HALF_YEAR = 182 * _DAY
_EPOCH = date(1970, 1, 1).toordinal()
_QUARTER = 900  # all time zones are whole quarters of an hour away from UTC


class Clock:
    """Turns the times of one file's lines into seconds, and at its end into Unix time.

    Until `offset` is known a time is relative to an assumed year; `offset` is to be added.
    """

    def __init__(self, changed: float) -> None:
        self.changed = changed
        self.year = time.gmtime(changed).tm_year
        self.anchored = False
        self._offset = 0.0
        self._latest: float | None = None
        self._first: float | None = None

    def seconds(self, when: bytes) -> float | None:
        """The time of the line, to which `offset` is to be added."""
        value = self._in_year(when)
        if value is None:
            return None
        if self._latest is not None and value < self._latest - _HALF_YEAR:
            self.year += 1  # the log runs over the end of the year
            value = self._in_year(when)
            assert value is not None
        self._latest = value
        if self._first is None:
            self._first = value
        return value

    def anchor(self, when: bytes, unix: float) -> None:
        """Learn that the line at `when` was written at `unix`."""
        value = self.seconds(when)
        if value is None or self.anchored or not 0 < unix < 1e11:
            return
        self._offset = round((unix - value) / _QUARTER) * _QUARTER
        self.anchored = True

    @property
    def offset(self) -> float:
        """Seconds from a line's time to Unix time."""
        if self.anchored or self._latest is None:
            return self._offset
        zone = -(time.localtime(self.changed).tm_gmtoff or 0)
        late = self._latest + zone > self.changed + _DAY
        return zone - (365 * _DAY if late else 0)

    def _in_year(self, when: bytes) -> float | None:
        match = _WHEN.match(when)
        if match is None:
            return None
        month, day, hour, minute, second = (int(match[index]) for index in range(1, 6))
        if not 1 <= month <= 12:
            return None
        days = date(self.year, month, 1).toordinal() + day - 1 - _EPOCH
        fraction = float(b"0." + match[6])
        return days * _DAY + hour * 3600 + minute * 60 + second + fraction
