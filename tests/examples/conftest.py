"""The example project is run as a project of its own, by tests/gate/test_kept_fixed.py."""

collect_ignore = ["project"]
