"""CS113: files in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class FileAccess(CallRule):
    """Files in compiled code."""

    code = "CS113"
    name = "file-access"
    summary = "files in compiled code"
    names = {
        "builtins.open": "",
        "torch.save": "",
        "torch.load": "",
        "numpy.save": "",
        "numpy.load": "",
        "numpy.savez": "",
        "os.stat": "",
        "os.listdir": "",
        "os.makedirs": "",
        "os.mkdir": "",
        "os.remove": "",
        "os.unlink": "",
        "os.rename": "",
        "os.replace": "",
        "os.walk": "",
        "os.scandir": "",
        "os.access": "",
        "os.chdir": "",
        "os.getcwd": "",
        "os.rmdir": "",
        "os.chmod": "",
        "os.open": "",
        "os.read": "",
        "os.write": "",
        "os.close": "",
        "os.path.exists": "",
        "os.path.isfile": "",
        "os.path.isdir": "",
        "os.path.getsize": "",
        "os.path.getmtime": "",
        "os.path.islink": "",
        "os.path.samefile": "",
        "shutil.copy": "",
        "shutil.copyfile": "",
        "shutil.copytree": "",
        "shutil.move": "",
        "shutil.rmtree": "",
        "shutil.which": "",
        "tempfile.mkdtemp": "",
        "tempfile.mkstemp": "",
        "tempfile.NamedTemporaryFile": "",
        "tempfile.TemporaryDirectory": "",
        "tempfile.TemporaryFile": "",
        "glob.glob": "",
        "glob.iglob": "",
    }
    gb_ids = ("GB0007", "GB0059", "GB0142")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "do it outside the compiled function"
