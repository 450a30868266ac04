"""The defaults of settings, from the sources that declare them, for checks that need no compiled program."""

import functools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


@functools.cache
def _defaults():
    found = {}
    for file in ROOT.glob("*/**/src/**/*.rs"):
        if "target" in file.parts:
            continue
        text = file.read_text(encoding="utf-8")
        for match in re.finditer(r'env = "([A-Z0-9_]+)"([^\]]*?)default_value(?:_t)? = "?([\w.:/-]*)', text):
            found[match[1]] = match[3].replace("_", "") if match[3][:1].isdigit() else match[3]
    return found


def setting(container, name):
    """What a container's program takes for a setting: its variable, or the default."""
    return container.environment.get(name) or default(name)


def default(name):
    """The default of a setting.

    It must have one: a check of a setting that is no more is a fault of the check.
    """
    if name not in _defaults():
        raise SystemExit(f"error: no source declares a default of {name}; name the setting that replaced it in the check")
    return _defaults()[name]


def constant(file, name):
    """A constant of seconds in a source: `const NAME: Duration = Duration::from_secs(N)`."""
    match = re.search(rf"const {name}: Duration = Duration::from_secs\((\d+)\)", (ROOT / file).read_text(encoding="utf-8"))
    if not match:
        raise SystemExit(f"error: {file} has no constant {name} of seconds any more; name what replaced it in the check")
    return int(match[1])


def number(file, name):
    """A constant that is a number in a source: `const NAME: TYPE = N` or `N << N`."""
    match = re.search(rf"const {name}: \w+ = (\d[\d_]*)(?: << (\d+))?;", (ROOT / file).read_text(encoding="utf-8"))
    if not match:
        raise SystemExit(f"error: {file} has no constant {name} any more; name what replaced it in the check")
    return int(match[1]) << int(match[2] or 0)
