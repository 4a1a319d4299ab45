"""Lets `koi-net` run on Pythons before 3.12: its packages say they do, but three type aliases are
written in the newer form. Nothing else of them is touched."""

import pathlib
import re
import sysconfig

for file in pathlib.Path(sysconfig.get_paths()["purelib"], "koi_net").rglob("*.py"):
    text = file.read_text()
    readable = re.sub(r"(?m)^type (\w+) = ", r"\1 = ", text)
    if readable != text:
        file.write_text(readable)
