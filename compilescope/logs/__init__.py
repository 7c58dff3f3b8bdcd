"""Logs to events: the structured trace (TORCH_TRACE) and the text logs (TORCH_LOGS)."""
