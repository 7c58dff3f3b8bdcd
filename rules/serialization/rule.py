"""CS119: serialization in compiled code."""

from __future__ import annotations

from compilescope.lint.rule import CallRule


class Serialization(CallRule):
    """Serialization in compiled code."""

    code = "CS119"
    name = "serialization"
    summary = "serialization in compiled code"
    names = {
        "json.dumps": "",
        "json.loads": "",
        "json.dump": "",
        "json.load": "",
        "pickle.dumps": "",
        "pickle.loads": "",
        "pickle.dump": "",
        "pickle.load": "",
        "hashlib.md5": "",
        "hashlib.sha1": "",
        "hashlib.sha256": "",
        "hashlib.sha512": "",
        "hashlib.new": "",
        "hashlib.blake2b": "",
        "yaml.dump": "",
        "yaml.load": "",
        "yaml.safe_load": "",
        "yaml.safe_dump": "",
        "base64.b64encode": "",
        "base64.b64decode": "",
        "zlib.compress": "",
        "zlib.decompress": "",
        "marshal.dumps": "",
        "marshal.loads": "",
        "joblib.dump": "",
        "joblib.load": "",
    }
    gb_ids = ("GB0156", "GB0007")
    reason = "The compiler does not trace this call, so the graph ends here."
    help = "do it outside the compiled function"
