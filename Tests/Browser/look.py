#!/usr/bin/env python3
"""usage: look.py PAGE... [--out DIR]

Opens each HTML page or SVG picture in a real headless Chromium, on a telephone's width and on a wide screen,
light and dark, and says what is wrong with it: console messages, requests, text that is cut or lies over other
text, weak contrast, pictures and tables without a name, places that the keyboard does not reach. With --out the
screenshots and the printed page are kept. Exit code 1 when anything is wrong, 77 where there is no Chromium.
"""

import base64
import json
import os
import pathlib
import shutil
import sys
import tempfile

from chromium import Chromium

SIZES = {"390": (390, 844), "1440": (1440, 900)}
MEASURE = pathlib.Path(__file__).with_name("measure.js").read_text(encoding="utf-8")


def evaluate(tab, expression):
    answer = tab.call("Runtime.evaluate", expression=expression, returnByValue=True)
    if "exceptionDetails" in answer:
        raise RuntimeError(f"the measuring script failed: {json.dumps(answer['exceptionDetails'])[:600]}")
    return answer["result"].get("value")


def nameless(tab):
    """Pictures, tables, regions and links that a screen reader could not name."""
    problems = []
    for node in tab.call("Accessibility.getFullAXTree")["nodes"]:
        role = node.get("role", {}).get("value", "")
        if node.get("ignored") or role not in ("image", "img", "table", "region", "link", "DisclosureTriangle"):
            continue
        if not node.get("name", {}).get("value", "").strip():
            problems.append(f"a {role} without a name")
    return problems


def press_tab(tab):
    for kind in ("rawKeyDown", "keyUp"):
        tab.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)


def keyboard(tab):
    """What Tab does not reach, or reaches without showing it."""
    wanted = evaluate(tab, "window.looked.focusable()")
    reached, hidden = [], []
    for _ in range(len(wanted) + 2):
        press_tab(tab)
        name, shown = evaluate(tab, "window.looked.focused()")
        if name is not None:
            reached.append(name)
            if not shown:
                hidden.append(name)
    problems = [f"Tab does not reach {name}" for name in wanted if name not in reached]
    return problems + [f"the focus on {name} cannot be seen" for name in hidden]


def look(browser, path, out):
    problems = []
    for size, (width, height) in SIZES.items():
        for scheme in ("light", "dark"):
            where = f"{path.name} at {size} px, {scheme}"
            tab = browser.tab()
            tab.call(
                "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
            )
            tab.call(
                "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
            )
            tab.open(path.resolve().as_uri())
            evaluate(tab, MEASURE)
            found = evaluate(tab, "window.looked.problems()")
            if path.suffix == ".html":
                found += nameless(tab)
                if scheme == "light":
                    found += keyboard(tab)
            if out and path.suffix == ".html" and size == "1440" and scheme == "dark":
                printed = tab.call("Page.printToPDF", printBackground=False, paperWidth=8.27, paperHeight=11.69)
                (out / f"{path.stem}.pdf").write_bytes(base64.b64decode(printed["data"]))
            # With every fold open, nothing may be cut either.
            evaluate(tab, "document.querySelectorAll('details').forEach(d => d.setAttribute('open', ''))")
            found += [f"unfolded: {text}" for text in evaluate(tab, "window.looked.problems()")]
            found += tab.messages(path.resolve().as_uri())
            problems += [f"{where}: {text}" for text in dict.fromkeys(found)]
            drawn = evaluate(tab, "window.looked.drawn()")
            if scheme == "light" and drawn:
                print(f"{path.name} at {size} px: first drawn after {drawn:.0f} ms, {path.stat().st_size} bytes")
            if out:
                evaluate(tab, "document.activeElement && document.activeElement.blur && document.activeElement.blur()")
                keep(tab, out / f"{path.stem}-{size}-{scheme}.png")
            tab.close()
    return problems


def keep(tab, file):
    picture = tab.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
    file.write_bytes(base64.b64decode(picture["data"]))


def main():
    words = sys.argv[1:]
    out = None
    if "--out" in words:
        at = words.index("--out")
        out = pathlib.Path(words[at + 1])
        out.mkdir(parents=True, exist_ok=True)
        del words[at : at + 2]
    if not words or words[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if words else 2
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        print("look.py: no chromium in PATH: apt-get install chromium, or name one in CHROMIUM", file=sys.stderr)
        return 77
    problems = []
    with tempfile.TemporaryDirectory() as profile, Chromium(program, profile) as browser:
        for word in words:
            problems += look(browser, pathlib.Path(word), out)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
