#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks with axe-core at the pages of forms, confirmations and choices, in five languages, light and dark; then uses them with the
keyboard alone. None of them has a script.

Usage: accessible.py AXE, the path of axe.min.js. Starts an instance of its own on loopback, and stops it.
"""

import email
import email.policy
import glob
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import unsubscribe

LANGUAGES = ("en", "de", "fr", "es", "pt")
TAB, ENTER, SPACE = ("Tab", 9), ("Enter", 13), (" ", 32)


class House:
    """An instance with a form, an audience that asks for confirmation, and a topic."""

    def __init__(self, folder):
        self.env = unsubscribe.start(folder)
        self.url = self.env["POSTHOUSE_URL"]
        sender = f"Shop <shop@{self.env['POSTHOUSE_DOMAIN']}>"
        self.topic = self.call("POST", "/v1/topics", {"name": "News", "description": "What is new"})["id"]
        self.audience = self.call("POST", "/v1/audiences", {"name": "Club"})["id"]
        for key, kind in (("town", "string"), ("age", "number"), ("vip", "boolean"), ("born", "date")):
            self.call("POST", "/v1/properties", {"key": key, "type": kind})
        self.form = self.call("POST", "/v1/forms", {
            "name": "Join the club", "audience_id": self.audience, "topics": [self.topic],
            "fields": ["first_name", "last_name", "town", "age", "vip", "born"]})["url"]
        self.call("PUT", f"/v1/audiences/{self.audience}/opt-in", {"required": True, "from": sender})
        self.call("PATCH", "/v1/page", {"title": "Our mailings", "text": {"en": "You decide."}, "colour": "#2b6cb0",
                                        "address": "Shop Ltd\n1 High Street"})
        self.sender = sender

    def call(self, method, path, body):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), {"Authorization": "Bearer " + self.env["POSTHOUSE_KEY"]},
                                         method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def letter(self, to, pattern):
        """The address in the mail to a person."""
        end = time.monotonic() + unsubscribe.PATIENCE_S
        while time.monotonic() < end:
            for path in glob.glob(os.path.join(self.env["POSTHOUSE_MAILDIR"], "new", "*")):
                with open(path, "rb") as file:
                    message = email.message_from_binary_file(file, policy=email.policy.default)
                found = message["To"] == to and re.search(pattern, message.get_body(("html",)).get_content())
                if found:
                    return html.unescape(found[1])
            time.sleep(0.05)
        raise AssertionError(f"no mail to {to}")

    def confirmation(self, to):
        self.call("POST", f"/v1/audiences/{self.audience}/contacts", {"email": to})
        return self.letter(to, r'href="([^"]+/t/s/[^"]+)"')

    def choices(self, to):
        self.call("POST", "/v1/emails", {"from": self.sender, "to": to, "subject": "S", "topic_id": self.topic,
                                         "html": '<p><a href="{{unsubscribe_url}}">No more</a></p>'})
        return self.letter(to, r'href="([^"]+/t/u/[^"]+)"')


class Reader(unsubscribe.Browser):
    """A browser that notes what is wrong with pages."""

    def __init__(self, program, profile, axe):
        super().__init__(program, profile)
        self.faults = []
        with open(axe) as file:
            self.axe = file.read()

    def check(self, name, got, want):
        if got != want:
            self.faults.append(f"{name}: got {got!r}, want {want!r}")

    def begin(self, url, language):
        self.call("Network.enable")
        self.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})
        self.call("Page.navigate", url=url)
        self.settle(url)

    def settle(self, path):
        """Waits until the next page is whole: a page that was looked at is marked."""
        end = time.monotonic() + unsubscribe.PATIENCE_S
        while not self.look("document.readyState == 'complete' && !window.seen && !!document.querySelector('main')"):
            assert time.monotonic() < end, f"{path} does not come: {self.look('document.documentElement.outerHTML')}"
            time.sleep(0.02)
        self.look("window.seen = true")

    def judge(self, name, language):
        """No scripts, the language, one heading, and nothing that axe finds, light and dark, wide and narrow."""
        self.check(f"{name}: scripts", self.look("document.scripts.length + document.querySelectorAll('[onclick],[onsubmit],[onload]').length"), 0)
        self.check(f"{name}: language", self.look("document.documentElement.lang"), language)
        self.check(f"{name}: headings", self.look("document.querySelectorAll('h1').length"), 1)
        self.call("Runtime.evaluate", expression=self.axe)
        for scheme, width in (("light", 800), ("dark", 320)):
            self.call("Emulation.setDeviceMetricsOverride", width=width, height=640, deviceScaleFactor=1, mobile=False)
            self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            answer = self.call("Runtime.evaluate", awaitPromise=True, returnByValue=True, expression="""
                axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations.map(({id, nodes}) =>
                    id + ': ' + nodes.map(({html, failureSummary}) => html + ' ' + failureSummary).join('; ')))""")
            self.check(f"{name}, {scheme}: axe", answer["result"].get("value"), [])
            self.check(f"{name}, {scheme}: wider than the window",
                       self.look("document.documentElement.scrollWidth > document.documentElement.clientWidth"), False)

    def key(self, key):
        name, code = key
        text = {"Enter": "\r", " ": " "}.get(name)
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=name, code=name if text != " " else "Space",
                  windowsVirtualKeyCode=code, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, code=name if text != " " else "Space", windowsVirtualKeyCode=code)

    def go_to(self, name):
        """Presses Tab until an element has the focus, by its name and role as programs tell them."""
        for _ in range(30):
            self.key(TAB)
            if self.look("(e => e.labels?.[0]?.innerText.trim() || e.innerText?.trim())(document.activeElement)") == name:
                self.check(f"{name}: focus is seen", self.look("getComputedStyle(document.activeElement).outlineStyle"), "solid")
                return
        raise AssertionError(f"{name} is not reached by Tab: {self.look('document.body.innerText')}")

    def write(self, name, text):
        self.go_to(name)
        self.call("Input.insertText", text=text)

    def press(self, name):
        self.go_to(name)
        self.key(ENTER)
        self.settle(name)

    def text(self):
        return self.look("document.querySelector('main').innerText")


def use_form(reader, house):
    reader.begin(house.form, "en")
    reader.write("Email address", "eve@example")
    reader.check("the browser refuses it", reader.look("document.querySelector('input[type=email]').checkValidity()"), True)
    reader.press("Subscribe")
    reader.judge("form, wrong address", "en")
    reader.check("the fault", "This is not an email address." in reader.text(), True)
    reader.check("the field of the fault", reader.look("document.querySelector('[aria-invalid=true]')?.name"), "email")
    reader.look("document.querySelector('input[type=email]').value = ''")
    time.sleep(2.1)  # who is quicker is no person
    reader.write("Email address", "eve@example.net")
    reader.write("First name", "Eve")
    reader.write("age", "36")
    reader.go_to("News")
    reader.key(SPACE)
    reader.press("Subscribe")
    reader.judge("form, thanks", "en")
    reader.check("thanks", "Thank you" in reader.text(), True)
    return house.letter("eve@example.net", r'href="([^"]+/t/s/[^"]+)"')


def use_confirmation(reader, link):
    reader.begin(link, "en")
    names = reader.look("[...document.querySelectorAll('button')].map(b => b.innerText)")
    reader.press(names[0])
    reader.judge("confirmed", "en")


def use_choices(reader, house):
    reader.begin(house.choices("eve@example.net"), "en")
    reader.go_to("News")
    reader.key(SPACE)
    reader.press("Save my choices")
    reader.judge("choices, saved", "en")
    person = house.call("PATCH", "/v1/people/eve@example.net", {})
    reader.check("the person", (person["first_name"], person["properties"], person["audiences"][0]["status"], person["topics"][0]["subscribed"]),
                 ("Eve", {"age": 36}, "subscribed", False))
    reader.press("No more mailings at all")
    reader.judge("left all", "en")


def look_at_all(reader, house):
    pages = {"form": house.form, "confirmation": house.confirmation("ann@example.net"), "choices": house.choices("bob@example.net")}
    for name, url in pages.items():
        for language in LANGUAGES:
            reader.begin(url, language)
            reader.judge(f"{name}, {language}", language)
    for name in ("confirmation", "choices"):
        reader.begin(pages[name][:-2], "de")
        reader.judge(f"{name}, broken link", "de")


def main():
    folder = tempfile.mkdtemp(prefix="posthouse-accessible.")
    try:
        house = House(os.path.join(folder, "run"))
        reader = Reader(shutil.which("chromium"), os.path.join(folder, "profile"), sys.argv[1])
        try:
            look_at_all(reader, house)
            use_confirmation(reader, use_form(reader, house))
            use_choices(reader, house)
        finally:
            reader.close()
    finally:
        subprocess.run([os.path.join(unsubscribe.SRC, "quickstart"), "stop", "--dir", os.path.join(folder, "run")], check=True,
                       stdout=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)
    for fault in reader.faults:
        print(fault)
    return 1 if reader.faults else 0


if __name__ == "__main__":
    sys.exit(main())
