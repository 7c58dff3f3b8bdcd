"""CS118: introspection in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class Introspection(CallRule):
    """Introspection in compiled code."""

    code = "CS118"
    name = "introspection"
    summary = "introspection in compiled code"
    names = {
        "inspect.currentframe": "",
        "inspect.stack": "",
        "inspect.getsource": "",
        "inspect.getsourcelines": "",
        "inspect.getfile": "",
        "inspect.getmodule": "",
        "inspect.trace": "",
        "inspect.getouterframes": "",
        "inspect.getinnerframes": "",
        "inspect.getfullargspec": "",
        "inspect.getcallargs": "",
        "inspect.getmembers": "",
        "sys._getframe": "",
        "sys.exc_info": "",
        "sys.settrace": "",
        "sys.setprofile": "",
        "importlib.import_module": "",
        "importlib.reload": "",
        "traceback.format_exc": "",
        "traceback.format_stack": "",
        "traceback.extract_stack": "",
        "builtins.eval": "",
        "builtins.exec": "",
        "builtins.compile": "",
        "builtins.globals": "",
        "builtins.__import__": "",
        "builtins.locals": "<2.12",
        "builtins.dir": "<2.12",
        "builtins.hash": "<2.13",
        "importlib.util.find_spec": "<2.13",
        "ast.literal_eval": "",
        "ast.parse": "",
        "dis.dis": "",
    }
    gb_ids = ("GB0007", "GB0059")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "do it outside the compiled function"
