#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The recipe apache/postfix-streams-*.cf with a real Postfix: receipts and newsletters of one Posthouse leave from addresses of their own,
by names of their own, and Postfix takes the settings for DANE and MTA-STS as they stand."""

import os
import re
import socketserver
import subprocess
import sys
import tempfile
import threading

import stage
from stage import SRC, Instance, answers, check, free_port, until

RECEIPTS, NEWS = free_port(), free_port()
ADDRESSES = {"receipts": "127.0.0.2", "news": "127.0.0.3"}


def recipe(name):
    with open(os.path.join(SRC, "apache", name)) as file:
        text = file.read()
    for word, address in ADDRESSES.items():
        text = text.replace(f"@{word}@", address).replace(f"@{word}-helo@", f"{word}.relay.example")
    text = text.replace("@helo@", "mx.relay.example").replace(":10025 ", f":{RECEIPTS} ").replace(":10026 ", f":{NEWS} ")
    check(f"{name} has nothing left to replace", re.findall(r"^[^#]*@\w", text, flags=re.M), [])
    return text


class Receiver(socketserver.StreamRequestHandler):
    """The host of the recipients: notes from which address, by which name and to whom mail comes."""

    came = {}

    def say(self, text):
        self.wfile.write(f"{text}\r\n".encode())

    def handle(self):
        name, to = "", []
        self.say("220 mx.example.net")
        for line in self.rfile:
            words = line.decode().strip()
            verb = words.upper()
            if verb.startswith(("EHLO", "HELO")):
                name = words.split()[1]
            elif verb.startswith("RCPT"):
                to.append(re.search("<(.*?)>", words).group(1))
            elif verb == "DATA":
                self.say("354 go on")
                while self.rfile.readline() not in (b".\r\n", b""):
                    pass
                for address in to:
                    self.came[address] = (self.client_address[0], name)
            elif verb == "QUIT":
                self.say("221 bye")
                return
            self.say("250 2.0.0 ok")


class Postfix(stage.Postfix):
    def configure(self):
        self.write_main(recipe("postfix-streams-main.cf"))
        self.write_master("", recipe("postfix-streams-master.cf"))

    def setting(self, name):
        return self.conf("-h", name).stdout.strip()

    def conf(self, *arguments):
        return subprocess.run(["/usr/sbin/postconf", "-c", os.path.join(self.dir, "etc"), *arguments], capture_output=True, text=True, check=True)


def walk(folder):
    receiver = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Receiver)
    receiver.daemon_threads = True
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    postfix = Postfix(folder)
    house = None
    try:
        check("DANE", (postfix.setting("smtp_tls_security_level"), postfix.setting("smtp_dns_support_level")), ("dane", "dnssec"))
        check("MTA-STS", postfix.setting("smtp_tls_policy_maps"), "socketmap:inet:127.0.0.1:8642:QUERY")
        # Nothing of this test asks DNS: all recipients are at the receiver, and no program with policies runs.
        postfix.conf("-e", "smtp_tls_policy_maps=", "smtp_tls_security_level=may", "smtp_dns_support_level=disabled")
        for word, port in (("receipts", RECEIPTS), ("news", NEWS)):
            postfix.conf("-P", f"127.0.0.1:{port}/inet/content_filter={word}:[127.0.0.1]:{receiver.server_address[1]}")
        postfix.run("reload")
        for port in (RECEIPTS, NEWS):
            until(f"Postfix at {port}", lambda: answers(port))
        house = Instance(folder, "--set", "relay receipts.host=127.0.0.1", "--set", f"relay receipts.port={RECEIPTS}", "--set", "relay receipts.tls=none",
                         "--set", "relay news.host=127.0.0.1", "--set", f"relay news.port={NEWS}", "--set", "relay news.tls=none",
                         "--set", "relay news.default=no")
        house.run("workspace", "relay", "news", "--for", "broadcast")
        for stream in ("transactional", "automation", "broadcast"):
            house.call("/v1/emails", {"from": "shop@" + house.env["POSTHOUSE_DOMAIN"], "to": f"{stream}@example.net", "subject": "Hello",
                                      "html": "<p>Hello</p>", "stream": stream})
        subprocess.run([os.path.join(stage.BUILD, "posthouse-spool"), "--once"], env={**os.environ, **house.env}, check=True)
        until("three messages", lambda: len(Receiver.came) == 3)
        own = {word: (address, f"{word}.relay.example") for word, address in ADDRESSES.items()}
        check("ways", Receiver.came, {"transactional@example.net": own["receipts"], "automation@example.net": own["receipts"],
                                      "broadcast@example.net": own["news"]})
        return stage.result(postfix)
    finally:
        if house:
            house.stop()
        postfix.stop()
        receiver.shutdown()


def main():
    stage.begin()
    with tempfile.TemporaryDirectory(prefix="posthouse-streams-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        return walk(folder)


sys.exit(main())
