# SPDX-License-Identifier: MIT
"""The hostile web server: attachments are fetched from it, and webhooks post to it."""

import os
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import uuid
import zlib

from tenant import each, tally

OWN = "127.0.0.1"  # the service's own address, which must never be fetched from
SITE = "127.0.0.2"  # that of the hostile server; [fetch] allow has it, since there is no other network here


def gzip_bomb():
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(256)) + packer.flush()


class Web:
    def __init__(self):
        self.address = SITE
        self.touched = 0  # how often the service's own address was connected to
        self.bomb = None
        self.own = self.listen(OWN, self.touch)
        self.port = self.listen(SITE, self.serve)
        self.tls = self.untrusted()
        self.tls_port = self.listen(SITE, lambda connection: self.serve(self.tls.wrap_socket(connection, server_side=True)))

    @staticmethod
    def untrusted():
        """A certificate for the right address, which it has signed itself."""
        with tempfile.TemporaryDirectory() as folder:
            key, certificate = (os.path.join(folder, name) for name in ("key.pem", "certificate.pem"))
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                            "-subj", "/CN=" + SITE, "-addext", "subjectAltName=IP:" + SITE, "-keyout", key, "-out", certificate],
                           check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            return context

    def listen(self, address, serve):
        listener = socket.create_server((address, 0), backlog=64)

        def accept():
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=run, args=(connection,), daemon=True).start()

        def run(connection):
            try:
                connection.settimeout(60)
                serve(connection)
            except (OSError, IndexError):
                pass
            finally:
                connection.close()

        threading.Thread(target=accept, daemon=True).start()
        return listener.getsockname()[1]

    def touch(self, connection):
        self.touched += 1
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")

    def url(self, path):
        return f"http://{SITE}:{self.port}/{path}"

    def serve(self, connection):
        if connection.recv(1, socket.MSG_PEEK) == b"\x16":  # of TLS (RFC 8446 section 5.1), which it does not speak
            connection.recv(1 << 16)
            return
        request = connection.makefile("rb")
        path = request.readline().split()[1].decode(errors="replace").lstrip("/")
        while request.readline().strip():
            pass
        say = connection.sendall
        redirect = lambda to: say(f"HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n".encode())
        if path in REDIRECTS:
            redirect(REDIRECTS[path].format(own=self.own, site=f"{SITE}:{self.port}"))
        elif path == "loop":
            redirect("/loop")
        elif path == "long-location":
            redirect("http://" + "a" * 60000 + ".example/")
        elif path == "endless":
            say(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                say(b"x" * (1 << 20))
        elif path == "endless-chunks":
            say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while True:
                say(b"100000\r\n" + b"x" * (1 << 20) + b"\r\n")
        elif path == "endless-headers":
            say(b"HTTP/1.1 200 OK\r\n")
            while True:
                say(b"X-Junk: " + b"x" * 1000 + b"\r\n")
        elif path == "endless-100":
            while True:
                say(b"HTTP/1.1 100 Continue\r\nX-Junk: " + b"x" * 1000 + b"\r\n\r\n")
        elif path == "bomb":
            self.bomb = self.bomb or gzip_bomb()
            say(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(self.bomb) + self.bomb)
        elif path == "slow-headers":
            for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 1000:
                say(bytes([byte]))
                time.sleep(0.5)
        elif path == "slow-body":
            say(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            for _ in range(1000):
                say(b"x")
                time.sleep(0.5)
        elif path == "silent":
            connection.recv(1)
        elif path == "short":
            say(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort")
        elif path == "huge":
            say(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\nx")
        elif path == "negative":
            say(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx")
        elif path == "two-lengths":
            say(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1000\r\n\r\nx")
        elif path in BODIES:
            say(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODIES[path]) + BODIES[path])
        elif path == "bad-retry":
            say(b"HTTP/1.1 503 Busy\r\nConnection: close\r\nRetry-After: 99999999999999999999\r\nContent-Length: 0\r\n\r\n")
        elif path == "no-http":
            say(b"\0\xff\x1b[2J" * 1000)
        else:
            say(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


REDIRECTS = {
    "own": "http://127.0.0.1:{own}/", "own-name": "http://localhost:{own}/", "own-short": "http://127.1:{own}/",
    "own-number": "http://2130706433:{own}/", "own-octal": "http://0177.0.0.1:{own}/", "own-zero": "http://0.0.0.0:{own}/",
    "own-six": "http://[::1]:{own}/", "own-mapped": "http://[::ffff:127.0.0.1]:{own}/", "own-user": "http://{site}@127.0.0.1:{own}/",
    "cloud": "http://169.254.169.254/latest/meta-data/", "file": "file:///etc/passwd", "gopher": "gopher://127.0.0.1:{own}/_x",
    "ftp": "ftp://127.0.0.1:{own}/x", "relay-port": "http://192.0.2.1:25/", "other-port": "http://192.0.2.1:6379/",
}
# Answers to requests of workflows: good is kept, and all others are no JSON, or too large.
BODIES = {
    "good": b'{"a": 1}',
    "deep": b"[" * 8000 + b"]" * 8000, "twice": b'{"a": 1, "a": 2}', "not-a-number": b'{"a": NaN}', "half": b'{"a": ',
    "two": b"{} {}", "surrogate": b'{"a": "\\ud800"}', "latin": b'{"a": "\xe9"}', "nul": b'{"a": "\0"}',
    "mark": b"\xef\xbb\xbf{}", "none": b"", "large": b'"' + b"x" * (1 << 20) + b'"',
}
REFUSED = ("400 attachments[0].path ", "400 Total attachments size exceeds maximum of 40MB")
BAD = ["loop", "long-location", "endless", "endless-chunks", "endless-headers", "endless-100", "short", "huge", "negative", "no-http"]


def fetch(house, *urls):
    answer = house.hostile.call("POST", "/v1/emails", house.hostile.email(attachments=[
        {"filename": f"{i}.bin", "path": url} for i, url in enumerate(urls)]))
    return f"{answer.status} {answer.message()[:160]}".strip()


def all_refused(house, paths):
    taken = {path: said for path in paths if not (said := fetch(house, house.site.url(path))).startswith(REFUSED)}
    return f"not refused: {taken}" if taken else "400"


def redirects(house):
    before = house.site.touched
    said = all_refused(house, REDIRECTS)
    return f"{said}, {house.site.touched - before} connections to own addresses"


def directly(house):
    before = house.site.touched
    taken = {url: said for url in (form.format(own=house.site.own, site=SITE) for form in REDIRECTS.values())
             if not (said := fetch(house, url)).startswith(REFUSED)}
    return f"{f'not refused: {taken}' if taken else '400'}, {house.site.touched - before} connections to own addresses"


def bad(house):
    return all_refused(house, BAD)


def bomb(house):
    """It is attached as it came, or refused; in no case unpacked."""
    said = fetch(house, house.site.url("bomb"))
    return "not unpacked" if said == "201" or said.startswith(REFUSED) else said


def test_webhook(house, path):
    """The one attempt of a webhook.test there: the status of the answer, or why there was none."""
    hook = house.hostile.call("POST", "/v1/webhooks", {"url": house.site.url(path)}).json()["id"]
    attempt = house.hostile.call("POST", f"/v1/webhooks/{hook}/test").json()["attempts"][0]
    house.hostile.call("DELETE", f"/v1/webhooks/{hook}")
    return attempt["response_status"] or attempt["error"], attempt["duration"]


def webhook_redirects(house):
    before = house.site.touched
    said = {test_webhook(house, path)[0] for path in REDIRECTS}
    return f"{sorted(said, key=str)}, {house.site.touched - before} connections to own addresses"


def webhook_bodies(house):
    """The status counts as soon as the header is there; the body is not waited for."""
    took = [test_webhook(house, path) for path in ("endless", "endless-chunks", "bomb", "slow-body", "short", "huge")]
    return f"{sorted({said for said, _ in took}, key=str)}" + (" soon" if max(ms for _, ms in took) < house.scale(9500, 5000) else f" after {took}")


def webhook_headers(house):
    """No answer, and at most 10 s."""
    took = {path: test_webhook(house, path) for path in ("endless-headers", "endless-100", "no-http", "slow-headers", "silent")}
    bad = {path: (said, ms) for path, (said, ms) in took.items() if isinstance(said, int) or ms > house.scale(60000, 12000)}
    return f"taken: {bad}" if bad else "no answer within 10 s"


def ask(house, urls):
    """What becomes of steps of workflows that ask each of these once: the refusal, the error, or "done"; and what is kept of the answers. Those
    who are slow on purpose are given a second, the others time for a busy machine."""
    house.site.bomb = house.site.bomb or gzip_bomb()
    said, made = {}, {}
    for number, url in enumerate(urls):
        answer = house.hostile.call("POST", "/v1/workflows", {"name": f"Asks {number}", "status": "active", "design": {
            "nodes": [{"id": "t", "type": "trigger", "data": {"eventName": "ask"}},
                      {"id": "r", "type": "request", "data": {"url": url, "timeout": 1 if url.rsplit("/")[-1] in SLOW else 15, "attempts": 1}},
                      {"id": "u", "type": "update_contact", "data": {"copy": {f"kept{number}": "step.r.body"}}}],
            "edges": [{"source": "t", "target": "r"}, {"source": "r", "sourceHandle": "ok", "target": "u"}]}})
        if answer.status == 200:
            made[answer.json()["workflow_id"]] = url
        else:
            said[url] = str(answer.status)
    house.hostile.call("POST", "/v1/events", {"event_name": "ask", "email": "asked@example.net"})
    house.spool("--once", wait=240)
    ids = ", ".join("0x" + workflow.replace("-", "") for workflow in made)
    for workflow, status, error in house.sql("SELECT LOWER(HEX(workflow_id)), status, COALESCE(error_message, '') FROM execution "
                                             f"WHERE workflow_id IN ({ids})"):
        said[made[str(uuid.UUID(workflow))]] = error or ("done" if status == "3" else f"status {status}")
    properties = house.hostile.call("GET", "/v1/people/asked@example.net").json()["properties"]
    for workflow in made:
        house.hostile.call("DELETE", f"/v1/workflows/{workflow}")
    return said, {urls[int(name[4:])]: value for name, value in properties.items() if value is not None}


# What becomes of a step that asks: its receiver's answer counts by its status, and a body that is no JSON or large is not kept.
ASKED = {
    "127.0.0.2 answered 302": ["own", "own-six", "cloud", "loop", "long-location"],
    "127.0.0.2: The server sends too many headers": ["endless-headers", "endless-100"],
    "127.0.0.2: The server does not answer in HTTP": ["negative", "no-http"],
    "127.0.0.2: There was no answer within 1 second": ["slow-headers", "silent"],
    "127.0.0.2 answered 503": ["bad-retry"],
    "done": ["endless", "endless-chunks", "bomb", "slow-body", "short", "huge", *BODIES],
}
SLOW = ("slow-headers", "silent", "slow-body")
UNTRUSTED = "127.0.0.2: TLS: the server's certificate is not trusted for this host"
NO_TLS = "127.0.0.2: TLS: the server and we agree on no connection"


def asks(house):
    """The receivers of the requests of workflows' steps, all at once."""
    before, begin = house.site.touched, time.monotonic()
    wanted = {form.format(own=house.site.own, site=SITE): "400" for form in REDIRECTS.values()}
    wanted |= {f"https://{SITE}:{house.site.tls_port}/": UNTRUSTED, f"https://{SITE}:{house.site.port}/": NO_TLS}
    wanted |= {house.site.url(path): said for said, paths in ASKED.items() for path in paths}
    said, kept = ask(house, list(wanted))
    took = time.monotonic() - begin
    wrong = {url: said.get(url) for url, want in wanted.items() if said.get(url) != want}
    return ((f"not as wanted: {wrong}" if wrong else "all as wanted")
            + (", the good one kept" if list(kept) == [house.site.url("good")] else f", kept: {kept}") + f", {house.site.touched - before} connections to own addresses"
            + ("" if took < house.scale(120, 40) else f" after {took:.0f} s"))


def slow(house):
    """One request, several slow ones: 20 s for all of them."""
    begin = time.monotonic()
    said = fetch(house, *(house.site.url(path) for path in ("slow-headers", "slow-body", "silent")))
    took = time.monotonic() - begin
    return ("400" if said.startswith("400 attachments[") else said) + (" within 20 s" if took < house.scale(90, 23) else f" after {took:.0f} s")


def slow_crowd(house):
    """As many at once as there are processes to serve them: only some may keep one."""
    return tally(each(8, lambda i: fetch(house, house.site.url("silent")).split(" ")[0]))


ATTEMPTS = [
    ("leads to own addresses", redirects, "400, 0 connections to own addresses"),
    ("is at an own address or another port", directly, "400, 0 connections to own addresses"),
    ("sends without end, or lies", bad, "400"),
    ("sends a gzip bomb", bomb, "not unpacked"),
    ("leads webhooks to own addresses", webhook_redirects, "[302], 0 connections to own addresses"),
    ("answers webhooks without end", webhook_bodies, "[200] soon"),
    ("answers steps of workflows badly", asks, "all as wanted, the good one kept, 0 connections to own addresses"),
]
LONG = [
    ("answers webhooks with bad headers, or none", webhook_headers, "no answer within 10 s"),
    ("is slow", slow, "400 within 20 s"),
    ("is slow for 8 clients at once", slow_crowd, "4 × 400, 4 × 429"),
]
