"""One module a verb: parse the options, call the engine, hand the result to a report."""
