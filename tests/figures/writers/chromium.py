"""A real browser for the tests: Chromium without a screen, told what to do through two pipes."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from time import monotonic, sleep
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE = 120.0
"""Seconds, on a busy machine."""

SHIFT, CTRL = 8, 2
_KEY_CODES = {
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Backspace": 8,
    "PageUp": 33,
    "PageDown": 34,
    "Home": 36,
    "End": 35,
    "Escape": 27,
    "Tab": 9,
    "Enter": 13,
}


class Browser:
    """One page of a browser; ``requests`` has the address of all that the page fetched, ``complaints`` its errors."""

    def __init__(self, folder: Path) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._count = 0
        self._rest = b""
        self._session = ""
        theirs, self._to = os.pipe()
        self._from, theirs_too = os.pipe()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"]
        options += [f"--user-data-dir={folder}", "--window-size=1280,800", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs} 4>&{theirs_too}', "bash", str(PROGRAM), *options],
            pass_fds=(theirs, theirs_too),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(theirs_too)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)
        os.close(self._to)
        os.close(self._from)

    def call(self, method: str, **params: Any) -> Any:
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]
            self._notice(answer)

    def _notice(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event["method"] == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded"):
            self.complaints.append(str(params))

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], PATIENCE)
            more = os.read(self._from, 1 << 20) if ready else b""
            assert more, "the browser says nothing any more"
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def open(self, page: Path, where: str = "") -> None:
        """Opens the page and waits until it shows a step."""
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.call("Page.navigate", url=page.as_uri() + where)
        self.wait("document.body && document.body.dataset.shown")

    def evaluate(self, script: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait(self, script: str) -> None:
        """Until the script says something true."""
        end = monotonic() + PATIENCE
        while not self.evaluate(script):
            assert monotonic() < end, f"never true: {script}"
            sleep(0.02)

    def text(self, selector: str) -> str:
        return str(self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent"))

    def press(self, key: str, modifiers: int = 0) -> None:
        code = _KEY_CODES.get(key, ord(key[0].upper()))
        keys = {"key": key, "modifiers": modifiers, "windowsVirtualKeyCode": code}
        typed = {"text": "\r"} if key == "Enter" else {}  # without which no form is sent
        self.call("Input.dispatchKeyEvent", type="keyDown", **keys, **typed)
        self.call("Input.dispatchKeyEvent", type="keyUp", **keys)

    def point(self, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x: float, y: float, times: int = 1) -> None:
        for count in range(1, times + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=count)

    def resize(self, width: int, height: int) -> None:
        sizes = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.call("Emulation.setDeviceMetricsOverride", mobile=False, **sizes)
