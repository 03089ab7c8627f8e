#!/usr/bin/env python3
"""The part of scripts/lint that reads files: lengths, forbidden constructs, syntax, binaries.

    check_tree.py check        every check; prints PATH:LINE: what is wrong; exit 1 if anything is
    check_tree.py list shell   the shell scripts, one a line
"""

import os
import re
import subprocess
import sys

MAX_LINES = 300
MAX_BYTES = 1 << 20
# Published runs carry their traces; a 600 s trace is about 2 MB.
MAX_BYTES_PUBLISHED = 8 << 20
CODE = (".swift", ".c", ".h", ".py", ".sh")
PICTURES = (".png", ".gif", ".jpg")
ALLOW_FILE = "scripts/lint-allow.txt"

# What a crash or a promise looks like. Sources only: tests may stop where they please.
FORBIDDEN = [
    (re.compile(r"\btry!"), "try! ends the program on an error: handle it or pass it on"),
    (re.compile(r"\bas!"), "as! ends the program on a surprise: use as? and say what was expected"),
    (re.compile(r"\bfatalError\b"), "fatalError takes the record of a long run with it: throw a Failure"),
    (re.compile(r"\b(TODO|FIXME|XXX)\b"), "unfinished work belongs in an issue, not in the sources"),
]


def tracked() -> list[str]:
    """What git has or would take: new files are checked before their first commit."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    names = sorted({os.fsdecode(name) for name in listed.split(b"\0") if name})
    return [name for name in names if os.path.isfile(name) and not os.path.islink(name)]


def kind(path: str, data: bytes) -> str:
    if path.endswith(".py"):
        return "python"
    if path.endswith(".sh"):
        return "shell"
    first = data.split(b"\n", 1)[0]
    if first.startswith(b"#!"):
        return "python" if b"python" in first else "shell" if b"bash" in first or b"/sh" in first else "other"
    return "other"


def allowed_lengths() -> dict[str, int]:
    lengths = {}
    with open(ALLOW_FILE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            words = line.split(maxsplit=2)
            if len(words) < 3 or not words[1].isdigit():
                raise SystemExit(f"{ALLOW_FILE}:{number}: expected PATH LINES REASON")
            lengths[words[0]] = int(words[1])
    return lengths


def check_file(path: str, data: bytes, limit: int) -> list[str]:
    problems = []
    most = MAX_BYTES_PUBLISHED if path.startswith("reports/published/") else MAX_BYTES
    if len(data) > most:
        problems.append(f"{path}: {len(data)} bytes; nothing over {most} is kept in git")
    if data[:4] == b"GGUF" or (b"\0" in data[:8192] and not path.endswith(PICTURES)):
        return [*problems, f"{path}: a binary file; scripts and tests make such files where they need them"]
    script = kind(path, data)
    if path.endswith(CODE) or script in ("python", "shell"):
        lines = data.count(b"\n")
        if lines > limit:
            problems.append(f"{path}: {lines} lines; the limit is {limit}: split it (or, if it cannot be, {ALLOW_FILE})")
    if script == "python":
        try:
            compile(data, path, "exec", dont_inherit=True)
        except SyntaxError as error:
            problems.append(f"{path}:{error.lineno}: {error.msg}")
    if path.startswith("Sources/"):
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            problems += [f"{path}:{number}: {why}" for pattern, why in FORBIDDEN if pattern.search(line)]
    return problems


def main() -> int:
    if sys.argv[1:] not in (["check"], ["list", "shell"]):
        print(__doc__, file=sys.stderr)
        return 2
    lengths = allowed_lengths()
    problems = []
    for path in tracked():
        with open(path, "rb") as file:
            data = file.read()
        if sys.argv[1] == "check":
            problems += check_file(path, data, lengths.get(path, MAX_LINES))
        elif kind(path, data) == "shell":
            print(path)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
