"""The panes: a list of any length, the strip of calls, the detail of what is selected."""
