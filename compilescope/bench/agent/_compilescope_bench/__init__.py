"""The part of `bench` that runs in the user's interpreter: standard library and torch only."""
