"""A headless Chromium, spoken to over its pipe (--remote-debugging-pipe): no package but Python itself."""

import json
import os
import subprocess
import time


class Chromium:
    """The browser; ends with the block it is opened in."""

    def __init__(self, program, profile):
        to_read, self.out = os.pipe()
        self.into, to_write = os.pipe()
        # Chromium reads its commands from descriptor 3 and answers on 4.
        def take_pipe():
            high = [os.dup(to_read), os.dup(to_write)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)

        self.process = subprocess.Popen(
            [
                program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--hide-scrollbars", "--disable-background-networking",
                f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank",
            ],
            preexec_fn=take_pipe, close_fds=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self.pending = b""
        self.number = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.out)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.into)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        wanted = self.number
        while True:
            answer = self.receive()
            if answer.get("id") == wanted:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error'].get('message')}")
                return answer.get("result", {})
            self.events.append(answer)

    def receive(self):
        while b"\0" not in self.pending:
            part = os.read(self.into, 1 << 20)
            if not part:
                raise RuntimeError("chromium ended")
            self.pending += part
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def tab(self):
        return Tab(self)


class Tab:
    """One page of the browser."""

    def __init__(self, browser):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def open(self, address):
        self.call("Page.navigate", url=address)
        deadline = time.monotonic() + 60
        while not any(self.is_mine(event, "Page.loadEventFired") for event in self.browser.events):
            if time.monotonic() > deadline:
                raise RuntimeError(f"{address} was not loaded in 60 s")
            self.browser.events.append(self.browser.receive())

    def is_mine(self, event, method):
        return event.get("method") == method and event.get("sessionId") == self.session

    def messages(self, address):
        """What the page said to the console, and what it asked for besides itself."""
        found = []
        for event in self.browser.events:
            params = event.get("params", {})
            if self.is_mine(event, "Log.entryAdded"):
                found.append("console: " + params["entry"]["text"])
            elif self.is_mine(event, "Runtime.exceptionThrown"):
                found.append("exception: " + params["exceptionDetails"]["text"])
            elif self.is_mine(event, "Runtime.consoleAPICalled"):
                found.append("console call: " + params["type"])
            elif self.is_mine(event, "Network.requestWillBeSent") and params["request"]["url"] != address:
                found.append("request: " + params["request"]["url"])
        return found

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.events = []
