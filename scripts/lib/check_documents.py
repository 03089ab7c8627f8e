#!/usr/bin/env python3
"""usage: check_documents.py SCHEMAS DOCUMENTS

Holds each JSON document of a directory against the schema that it names: sustain.run/1 against record.schema.json,
sustain.NAME/1 against NAME.schema.json. Prints how many there were of each and what is wrong; exit code 1 when anything
is. A validator that lets everything pass would be found: from one document of each kind a required key is taken away.
"""

import collections
import concurrent.futures
import json
import pathlib
import sys

import jsonschema

SCHEMAS = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
validators: dict[str, jsonschema.Draft202012Validator] = {}


def validator(name: str) -> jsonschema.Draft202012Validator | None:
    if name not in validators:
        family = name.partition(".")[2].partition("/")[0]
        path = SCHEMAS / f"{'record' if family == 'run' else family}.schema.json"
        if not path.is_file():
            return None
        schema = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[name] = jsonschema.Draft202012Validator(schema)
    return validators[name]


def check(path: pathlib.Path) -> tuple[str, list[str]]:
    document = json.loads(path.read_text(encoding="utf-8"))
    name = document["schema"]
    found = validator(name)
    if found is None:
        return name, [f"{name}: there is no schema for it"]
    errors = sorted(found.iter_errors(document), key=lambda error: error.json_path)
    return name, [f"{document.get('id', path.name)}: {error.json_path}: {error.message[:200]}" for error in errors[:5]]


def lets_all_pass(path: pathlib.Path) -> bool:
    document = json.loads(path.read_text(encoding="utf-8"))
    found = validator(document["schema"])
    if found is None:
        return False
    del document[next(key for key in found.schema["required"] if key != "schema")]
    return not list(found.iter_errors(document))


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    paths = sorted(pathlib.Path(sys.argv[2]).glob("*.json"))
    counts: collections.Counter[str] = collections.Counter()
    first: dict[str, pathlib.Path] = {}
    problems: list[str] = []
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for path, (name, errors) in zip(paths, pool.map(check, paths, chunksize=8)):
            counts[name] += 1
            first.setdefault(name, path)
            problems += errors
    problems += [f"{name}: its schema lets a document without a required key pass" for name, path in first.items()
                 if lets_all_pass(path)]
    told = ", ".join(f"{count} of {name}" for name, count in sorted(counts.items()))
    print(f"documents held against their schemas: {told or 'none'}")
    for problem in problems[:40]:
        print(f"  {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
