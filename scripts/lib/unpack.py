#!/usr/bin/env python3
"""Takes files out of the archives that bootstrap downloads.

    unpack.py member WHEEL NAME OUT        one member of a zip file, written to OUT
    unpack.py tree SDIST PREFIX OUT [-x DIR]...   the part of a tar file under PREFIX, written into OUT

The archives are verified by their SHA-256 before, so their contents are known; names are checked all
the same, because a later pin is one careless edit away.
"""

import argparse
import os
import shutil
import sys
import tarfile
import zipfile


def unpack_member(archive: str, name: str, out: str) -> None:
    with zipfile.ZipFile(archive) as zipped, zipped.open(name) as source, open(out, "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)


def unpack_tree(archive: str, prefix: str, out: str, without: list[str]) -> None:
    """The first path component of an sdist is its name and version: it is dropped with the prefix."""
    count = 0
    with tarfile.open(archive, "r|gz") as tar:
        for member in tar:
            path = member.name.split("/", 1)[-1]
            if not path.startswith(prefix + "/") or not member.isfile():
                continue
            path = path[len(prefix) + 1 :]
            if any(path == skip or path.startswith(skip + "/") for skip in without):
                continue
            if os.path.isabs(path) or ".." in path.split("/"):
                raise SystemExit(f"{archive}: the member {member.name} points outside the archive")
            target = os.path.join(out, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            source = tar.extractfile(member)
            assert source is not None
            with source, open(target, "wb") as file:
                shutil.copyfileobj(source, file, 1 << 20)
            os.utime(target, (member.mtime, member.mtime))
            count += 1
    if count == 0:
        raise SystemExit(f"{archive}: nothing in it lies under {prefix}/")


def main() -> int:
    parser = argparse.ArgumentParser(description="Take files out of a downloaded archive.")
    commands = parser.add_subparsers(dest="command", required=True)
    member = commands.add_parser("member")
    for name in ("archive", "name", "out"):
        member.add_argument(name)
    tree = commands.add_parser("tree")
    for name in ("archive", "prefix", "out"):
        tree.add_argument(name)
    tree.add_argument("-x", dest="without", action="append", default=[])
    options = parser.parse_args()
    if options.command == "member":
        unpack_member(options.archive, options.name, options.out)
    else:
        unpack_tree(options.archive, options.prefix, options.out, options.without)
    return 0


if __name__ == "__main__":
    sys.exit(main())
