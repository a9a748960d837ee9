# SPDX-License-Identifier: MIT
"""The hostile recipient: has what was sent to him, header and all, and speaks for others with it."""

import base64
import concurrent.futures
import http.client
import random
import re
import time

REPORT = """\
From: MAILER-DAEMON@mx.evil.example
To: {to}
Subject: Undelivered Mail Returned to Sender
Message-ID: <{unique}@mx.evil.example>
Date: {date}
MIME-Version: 1.0
Content-Type: multipart/report; report-type={kind}; boundary=B

--B
Content-Type: text/plain

It could not be delivered.
--B
Content-Type: message/{part}

{fields}
--B
Content-Type: message/rfc822

Message-ID: {message_id}
From: me@hostile.example
To: {victim}
Subject: Hello

Hello
--B--
"""
DSN = """\
Reporting-MTA: dns; mx.evil.example

Original-Recipient: rfc822;{victim}
Final-Recipient: rfc822;{victim}
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 no such user
"""
ARF = """\
Feedback-Type: abuse
User-Agent: Evil/1.0
Version: 1
Original-Rcpt-To: <{victim}>
Original-Mail-From: <{to}>
"""


class Copy:
    """A message as somebody had it."""

    def __init__(self, house, *recipients, tenant=None, **members):
        tenant = tenant or house.hostile
        self.email = tenant.send(to=list(recipients), **members)
        house.spool("--once", "--jobs", "1")
        message = house.relay.received(recipients[0])[-1]
        self.return_path, self.data = message.sender, message.data.decode("latin-1")
        self.message_id = re.search(r"(?im)^message-id:\s*(<[^>]*>)", self.data).group(1)

    def body(self):
        """All of it, decoded."""
        text = ""
        for part in re.split(r"(?m)^--", self.data):
            head, _, rest = part.partition("\r\n\r\n")
            if "base64" in head:
                text += base64.b64decode(re.sub(r"[^A-Za-z0-9+/]", "", rest) + "==").decode("utf-8", "replace")
            else:
                text += re.sub(r"=([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), rest.replace("=\r\n", ""))
        return text


def address(who):
    return f"{who}{time.monotonic_ns()}@example.net"


def report(house, victim, kind="dsn", to="nobody@send.hostile.example", message_id="<none@none.example>", days=0):
    fields = (DSN if kind == "dsn" else ARF).format(victim=victim, to=to)
    message = REPORT.format(to=to, unique=time.monotonic_ns(), kind="delivery-status" if kind == "dsn" else "feedback-report",
                            part="delivery-status" if kind == "dsn" else "feedback-report", fields=fields, message_id=message_id,
                            victim=victim, date=time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(time.time() - days * 86400)))
    return house.posthouse("report", "--recipient", to, stdin=message)


def suppressed(house, victim):
    return house.number(f"SELECT COUNT(*) FROM suppression WHERE address = '{victim}'")


def verdict(house, victim, copies):
    """copies: of the email that names the victim; whether an event is recorded of that person."""
    events = house.number(f"SELECT COUNT(*) FROM event v JOIN recipient r ON r.email_id = v.email_id AND r.number = v.recipient "
                          f"WHERE r.address = '{victim}' AND v.status IN (9, 12, 13, 14, 8) AND v.smtp_response LIKE '%no such user%'")
    return ("suppressed" if suppressed(house, victim) else "not suppressed") + (", an event" if events and copies else "")


def forge(kind):
    def attempt(house):
        """His own copy's token, and the name of somebody else."""
        evil, victim = address("evil"), address("victim")
        own = Copy(house, evil)
        Copy(house, victim)
        for _ in range(3):
            report(house, victim, kind, to=own.return_path)
            report(house, victim, kind, to=own.return_path, message_id=own.message_id)
        return verdict(house, victim, False)
    return attempt


def shared(kind):
    def attempt(house):
        """A copy that both had, many reports of one day; their Date is his to choose."""
        evil, victim = address("evil"), address("victim")
        for _ in range(4):
            copy = Copy(house, evil, victim)
            for days in range(4):
                report(house, victim, kind, to=copy.return_path, message_id=copy.message_id, days=days)
        return verdict(house, victim, False)
    return attempt


def weak(kind):
    def attempt(house):
        """The Message-ID from an answer to the email."""
        victim = address("victim")
        for _ in range(4):
            copy = Copy(house, victim)
            for days in range(4):
                report(house, victim, kind, message_id=copy.message_id, days=days)
        return verdict(house, victim, False)
    return attempt


def neighbours(house):
    """A token of one workspace, the victim of another."""
    evil, victim = address("evil"), address("victim")
    own = Copy(house, evil)
    other = Copy(house, victim, tenant=house.neighbour)
    for kind in ("dsn", "arf"):
        report(house, victim, kind, to=own.return_path, message_id=other.message_id)
        report(house, victim, kind, to=own.return_path.replace("hostile.example", house.neighbour.domain))
    return verdict(house, victim, False)


def guessed(house):
    """Tokens with some digits changed."""
    chance, victim = random.Random(2), address("victim")
    copy = Copy(house, victim)
    local, _, host = copy.return_path.partition("@")
    for _ in range(house.scale(10, 100)):
        digits = list(local[2:])
        digits[chance.randrange(len(digits))] = chance.choice("0123456789abcdefx")
        if "".join(digits) != local[2:]:
            report(house, victim, to=f"b+{''.join(digits)}@{host}")
    return verdict(house, victim, False)


def get(house, path, headers=None, method="GET", body=None):
    """Without a key, the path as it is."""
    connection = http.client.HTTPConnection(house.address, timeout=60)
    try:
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in {**({"Content-Length": str(len(body))} if body is not None else {}), **(headers or {})}.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def tracked(house):
    """A copy with a pixel, a link and a page to unsubscribe, as paths."""
    domain = house.sql("SELECT LOWER(HEX(id)) FROM domain WHERE name = 'hostile.example'")[0][0]
    domain = "-".join((domain[:8], domain[8:12], domain[12:16], domain[16:20], domain[20:]))
    house.hostile.call("PATCH", f"/v1/domains/{domain}", {"open_tracking_enabled": True, "click_tracking_enabled": True})
    copy = Copy(house, address("reader"), html="<a href=\"http://www.example.net/\">Hi</a> <a href=\"{{unsubscribe_url}}\">no more</a>")
    house.hostile.call("PATCH", f"/v1/domains/{domain}", {"open_tracking_enabled": False, "click_tracking_enabled": False})
    text = copy.body().replace("&amp;", "&")
    return copy, {kind: re.search(rf"/t/{kind}/[\w?=-]+", text)[0] for kind in "ocu"}


def visits(house):
    """A thousand opens and clicks, with junk for the browser's name and address; a workflow that each might start."""
    count, name = house.scale(300, 3000), f"Clicks {time.monotonic_ns()}"
    workflows = [house.hostile.call("POST", "/v1/workflows", {"name": f"{name} {event}", "status": "active", "design": {
        "nodes": [{"id": "t", "type": "trigger", "data": {"eventName": f"email.{event}", "dedupe_window": 0}},
                  {"id": "m", "type": "send_email", "data": {"subject": "You came", "html": "<p>Hi"}}],
        "edges": [{"source": "t", "target": "m"}]}}).json()["workflow_id"] for event in ("opened", "clicked")]
    happened = house.hostile.call("POST", "/v1/events", {"event_name": "hello", "email": "reader@example.net"}).status
    copy, paths = tracked(house)
    junk = [{"User-Agent": "\x01\x7f\xff" + "u" * 4000}, {"User-Agent": "'; DROP TABLE event; --"}, {"X-Forwarded-For": "1.2.3.4, ::1, " + "9" * 500},
            {"X-Forwarded-For": "\xff\x01%00"}, {"User-Agent": "<script>", "X-Forwarded-For": ", " * 500}, {"Forwarded": "for=1.2.3.4"}]
    statuses = {get(house, paths["o" if i % 2 else "c"], junk[i // 2 % len(junk)]) for i in range(count)}
    for _ in range(3):
        house.spool("--once", "--jobs", "1")
    started = house.number("SELECT COUNT(*) FROM execution WHERE workflow_id IN (" + ", ".join("0x" + w.replace("-", "") for w in workflows) + ")")
    foreign = house.number(f"SELECT COUNT(*) FROM event WHERE email_id = 0x{copy.email.replace('-', '')} AND ip <> '127.0.0.1'")
    events = house.number(f"SELECT COUNT(*) FROM event WHERE email_id = 0x{copy.email.replace('-', '')} AND status > 1 AND ip IS NOT NULL")
    shown = house.hostile.call("GET", f"/v1/emails/{copy.email}").json()["recipient_statuses"][0]["events"]
    for workflow in workflows:
        house.hostile.call("DELETE", f"/v1/workflows/{workflow}")
    # lighttpd itself refuses control characters with 400.
    return (f"{'200, 302, 400 and no other' if statuses <= {200, 302, 400} else statuses}, {'all' if 0 < events <= 1000 else events} recorded, "
            f"{len(shown) if len(shown) > 100 else 'at most 100'} shown, {foreign} with a forged address, {'at most one execution each' if started <= 2 else started}")


def unsubscribe(house):
    """Tokens that are none, of another kind, or cut off; the page is only asked with what is right."""
    copy, paths = tracked(house)
    right = paths["u"][len("/t/u/"):]
    token = right[:36]
    bad = [token[:-1], token + "A", token[:-1] + ("A" if token[-1] != "A" else "B"), paths["o"][5:41], paths["c"][5:41], "", "%00", "%ff" * 36, "A" * 36,
           "a" * 2000, "../../v1/emails", "..%2f..%2fv1%2femails", "'" * 36, token.lower(), token + "%00", "%", "{{unsubscribe_url}}", "%0d%0aX:y"]
    statuses = {(method, get(house, f"/t/u/{one}", method=method, body=b"List-Unsubscribe=One-Click" if method == "POST" else None))
                for one in bad for method in ("GET", "POST")}
    links = {get(house, f"/t/c/{one}{rest}") for one in bad for rest in ("", "?d=aHR0cDovL2V2aWwuZXhhbXBsZS8", "/http://evil.example/")}
    links.add(get(house, paths["c"].partition("?")[0] + "?d=aHR0cDovL2V2aWwuZXhhbXBsZS8"))
    done = house.number(f"SELECT COUNT(*) FROM event WHERE email_id = 0x{copy.email.replace('-', '')} AND status NOT IN (0, 1, 2)")
    good = {status for _, status in statuses} | links
    asked = get(house, paths["u"])
    body = get(house, paths["u"], method="POST", body=b"a=%&" * 2000)
    huge = get(house, paths["u"], method="POST", body=b"x" * (1 << 20))
    # 401: ../ leads to where a key is asked for.
    return f"{'404' if good <= {400, 401, 404} else sorted(statuses) + sorted(links)}, {done} done, the right one {asked}, a strange form {body}, a huge one {huge}"


def keyless(house):
    """Large bodies where no key is asked for, from 8 clients at once; meanwhile the tenant's own large request finds a place."""
    size = house.scale(8, 60) << 20
    paths = ["/v1/session/link", "/v1/session", "/f/00000000-0000-7000-8000-000000000000", "/t/u/" + "A" * 36]
    json_type, form = {"Content-Type": "application/json"}, {"Content-Type": "application/x-www-form-urlencoded"}
    large = b'{"to": "' + b"x" * (2 << 20) + b'"}'

    def act(i):
        if i == 8:
            return house.hostile.call("POST", "/v1/emails", large).status
        path = paths[i % len(paths)]
        return get(house, path, json_type if path.startswith("/v1") else form, "POST", b"a=" + b"x" * size)

    with concurrent.futures.ThreadPoolExecutor(9) as pool:
        *answers, served = pool.map(act, range(9))
    # 0: the connection is closed before all of the body is sent.
    return f"{'400, 404, 413 or closed' if set(answers) <= {0, 400, 404, 413} else sorted(set(answers))}, the large request with a key {served}"


ATTEMPTS = [
    ("a DSN with his own token about somebody else", forge("dsn"), "not suppressed"),
    ("a complaint with his own token about somebody else", forge("arf"), "not suppressed"),
    ("DSNs about whom his copy went to as well", shared("dsn"), "not suppressed"),
    ("complaints about whom his copy went to as well", shared("arf"), "not suppressed"),
    ("DSNs with the Message-ID", weak("dsn"), "not suppressed"),
    ("complaints with the Message-ID", weak("arf"), "not suppressed"),
    ("reports about a reader of another tenant", neighbours, "not suppressed"),
    ("tokens with other digits", guessed, "not suppressed"),
    ("a thousand opens and clicks", visits,
     "200, 302, 400 and no other, all recorded, at most 100 shown, 0 with a forged address, at most one execution each"),
    ("large bodies without a key from 8 clients at once", keyless, "400, 404, 413 or closed, the large request with a key 400"),
    ("tokens to unsubscribe that are none", unsubscribe, "404, 0 done, the right one 200, a strange form 200, a huge one 413"),
]
