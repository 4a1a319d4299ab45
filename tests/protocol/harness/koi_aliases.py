"""Makes `koi-net` run on Python before 3.12, which its package claims to support: rewrites its
three type aliases, which use the syntax of Python 3.12. Nothing else is changed."""

import pathlib
import re
import sysconfig

for file in pathlib.Path(sysconfig.get_paths()["purelib"], "koi_net").rglob("*.py"):
    text = file.read_text()
    readable = re.sub(r"(?m)^type (\w+) = ", r"\1 = ", text)
    if readable != text:
        file.write_text(readable)
