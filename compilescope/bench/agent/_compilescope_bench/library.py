"""torch as a value of any type: its annotations differ from version to version."""

from __future__ import annotations

from importlib import import_module
from typing import Any

torch: Any = import_module("torch")
