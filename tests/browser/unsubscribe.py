#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unsubscribes and subscribes again in headless Chromium, with the keyboard alone, and keeps pictures of the pages.

Usage: unsubscribe.py [DIR for the pictures]. Starts an instance of its own on loopback, and stops it.
"""

import base64
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

SRC = os.path.abspath(os.environ.get("srcdir", os.path.join(os.path.dirname(__file__), "..", "..")))
BUILD = os.path.abspath(os.environ.get("builddir", SRC))
PATIENCE_S = 240


class Browser:
    """Chromium over its debugging pipe: JSON texts that end in NUL."""

    def __init__(self, program, profile):
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()
        self.next, self.rest = 1, b""

        def pipes():
            os.dup2(read_commands, 13)
            os.dup2(write_answers, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-proxy-server", "--disable-background-networking",
             "--disable-component-update", "--no-first-run", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
             "--user-data-dir=" + profile, "--remote-debugging-pipe", "about:blank"],
            close_fds=False, preexec_fn=pipes, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_answers)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def call(self, method, **params):
        message = {"id": self.next, "method": method, "params": params}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        self.next += 1
        while True:
            answer = self.read()
            if answer.get("id") == message["id"]:
                assert "error" not in answer, answer
                return answer["result"]

    def read(self):
        while b"\0" not in self.rest:
            piece = os.read(self.answers, 1 << 16)
            assert piece, "the browser is gone"
            self.rest += piece
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def look(self, script):
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def open(self, url, want):
        self.call("Page.navigate", url=url)
        self.expect(want)

    def expect(self, want):
        end = time.monotonic() + PATIENCE_S
        while self.look("document.readyState == 'complete' && document.querySelector('h1')?.innerText") != want:
            assert time.monotonic() < end, f"got {self.look('document.documentElement.outerHTML')}, want {want}"
            time.sleep(0.05)

    def press(self, key, code):
        for kind in ("rawKeyDown", "char", "keyUp"):
            text = {"text": "\r"} if kind == "char" and key == "Enter" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def picture(self, path, width, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=480, deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()


def start(folder):
    subprocess.run([os.path.join(SRC, "quickstart"), "--dir", folder, "--port", "0", "--no-demo", "--no-spool"], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, "POSTHOUSE_BUILD": BUILD})
    with open(os.path.join(folder, "env")) as file:
        lines = (line.strip().removeprefix("export ").partition("=") for line in file)
        return {name: value.strip("'\"") for name, _, value in lines}


def page_of(env):
    body = {"from": f"Example Shop <shop@{env['POSTHOUSE_DOMAIN']}>", "to": "ada@example.net", "subject": "News",
            "html": '<p><a href="{{unsubscribe_url}}">No more of this</a></p>'}
    key = {"Authorization": "Bearer " + env["POSTHOUSE_KEY"]}
    request = urllib.request.Request(env["POSTHOUSE_URL"] + "/v1/emails", json.dumps(body).encode(), key)
    with urllib.request.urlopen(request) as answer:
        email = json.load(answer)["id"]
    with urllib.request.urlopen(urllib.request.Request(env["POSTHOUSE_URL"] + "/v1/emails/" + email, headers=key)) as answer:
        return html.unescape(re.search(r'href="([^"]+)"', json.load(answer)["html"])[1])


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        print("there is no chromium here")
        return 77
    pictures = sys.argv[1] if len(sys.argv) > 1 else "browser-pictures"
    os.makedirs(pictures, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="posthouse-browser.")
    try:
        url = page_of(start(os.path.join(folder, "run")))
        browser = Browser(program, os.path.join(folder, "profile"))
        try:
            browser.open(url, "Unsubscribe")
            browser.picture(os.path.join(pictures, "asks.png"), 800)
            browser.picture(os.path.join(pictures, "asks-small-dark.png"), 360, dark=True)
            browser.press("Tab", 9)
            assert browser.look("document.activeElement.innerText") == "Unsubscribe", "the button is not reached by Tab"
            browser.picture(os.path.join(pictures, "asks-focus.png"), 800)
            browser.press("Enter", 13)
            browser.expect("You are unsubscribed")
            browser.picture(os.path.join(pictures, "off.png"), 800)
            browser.open(url, "You are unsubscribed")
            browser.press("Tab", 9)
            browser.press("Enter", 13)
            browser.expect("You are subscribed")
            browser.picture(os.path.join(pictures, "on.png"), 800)
            browser.open(url[:-1], "This link does not work")
            browser.picture(os.path.join(pictures, "broken.png"), 800)
        finally:
            browser.close()
    finally:
        subprocess.run([os.path.join(SRC, "quickstart"), "stop", "--dir", os.path.join(folder, "run")], check=True,
                       stdout=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"unsubscribed and subscribed again; pictures are in {pictures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
