# SPDX-License-Identifier: MIT
"""The hostile tenant: has a good key, and uses it against all others."""

import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import threading
import time

import recipient
from house import BUILD, SRC

MIB = 1 << 20


def told(answer):
    """An answer in a few words."""
    return f"{answer.status} {answer.message().partition(' at byte ')[0]}".strip()[:200]


def each(count, act):
    """Does act(i) for each i, all at once. Returns the results in their order."""
    results = [None] * count

    def run(i):
        results[i] = act(i)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def tally(answers):
    counts = collections.Counter(answers)
    return ", ".join(f"{count} × {answer}" for answer, count in sorted(counts.items(), key=str))


def one_copy(house, address):
    """Sends what waits. Returns how large the message to this address was, in bytes, or -1."""
    house.spool("--once", "--jobs", "1", wait=120)
    messages = house.relay.received(address)
    return len(messages[0].data) if messages else -1


def sent(house, html, most, **members):
    """Posts an email and sends it; the message may have so many bytes."""
    address = f"reader{time.monotonic_ns()}@example.net"
    answer = house.hostile.call("POST", "/v1/emails", house.hostile.email(to=address, html=html, **members))
    if answer.status != 201:
        return told(answer)
    size = one_copy(house, address)
    if size < 0:
        return f"201, not sent: {house.hostile.told(answer.json()['id'])}"
    return "201, sent" if size <= most else f"201, a message of {size} bytes, of at most {most:.0f}"


def much_text(house):
    html = "<blockquote>" * 8 + "<ul>" * 8 + "<pre>" + "\n" * (house.scale(4, 39) * MIB)
    # The html in its encoding, and text of at most 4 times its size, at most 10 MB, in its own.
    return sent(house, html, 3.1 * len(html) + 3.1 * min(4 * len(html), 10 * MIB) + 10000)


def attributes(house):
    html = "<a " + " ".join(f"a{i}=\"{'x' * 30}\"" for i in range(20000)) + " href=http://www.example.net/>Hi</a>"
    return sent(house, html, 6 * len(html))


def nested(house):
    html = "<div>" * 200000 + "Hi"
    return sent(house, html, 6 * len(html) + 10000)


def commas(house):
    body = b'{"from": "me@hostile.example", "subject": "S", "html": "H", "to": "' + b"," * (127 * MIB) + b'"}'
    return told(house.hostile.call("POST", "/v1/emails", body))


def empty_elements(house):
    return told(house.hostile.call("POST", "/v1/emails", house.hostile.email(to="a@example.net" + "," * 51)))


def junk_designs(house):
    """One event starts them all."""
    count, event = house.scale(10, 100), f"junk{time.monotonic_ns()}"
    design = {"nodes": [{"id": "start", "type": "trigger", "data": {"eventName": event}},
                        {"id": "end", "type": "exit", "data": {}}],
              "edges": [{"source": "start", "target": "end"}]}
    design["junk"] = [0] * ((MIB - 1000) // 2)
    text = json.dumps(design, separators=(",", ":"))
    answers = [house.hostile.call("POST", "/v1/workflows", {"name": f"Junk {i}", "status": "active", "design": text}) for i in range(count)]
    happened = house.hostile.call("POST", "/v1/events", {"event_name": event, "email": "reader@example.net"})
    house.spool("--once", "--jobs", "1", wait=120)
    open_ones = house.number("SELECT COUNT(*) FROM execution WHERE status IN (1, 2)")
    made = [answer.json()["workflow_id"] for answer in answers if answer.status == 200]
    started = house.number(f"SELECT COUNT(*) FROM execution x JOIN workflow_trigger t USING (workflow_id) WHERE t.event_name = '{event}'")
    house.sql(f"DELETE FROM workflow_trigger WHERE event_name = '{event}'")
    for workflow in made:
        house.hostile.call("DELETE", f"/v1/workflows/{workflow}")
    refused = {told(answer) for answer in answers if answer.status != 200}
    return (f"{'all' if started == len(made) == count else started} of them ran, {open_ones} left, event {happened.status}"
            if not refused else f"refused: {refused}")


def crowd(house):
    """Large bodies from 8 clients at once."""
    size = house.scale(8, 60) * MIB
    body = json.dumps(house.hostile.email(html="", text="")).encode()[:-1] + b', "tags": {"x": "' + b"x" * size + b'"}}'

    def act(i):
        answer = house.hostile.call("POST", "/v1/emails", body)
        return f"{answer.status}{' with Retry-After' if 'Retry-After' in answer.headers else ''}"

    answers = each(8, act)
    unknown = set(answers) - {"400", "503 with Retry-After"}
    return f"{tally(unknown)}" if unknown else "400 or 503 with Retry-After" if "400" in answers else "nobody was served"


def million_members(house):
    body = {f"member{i}": i for i in range(900000)}
    answer = house.hostile.call("POST", "/v1/emails", {**house.hostile.email(), **body})
    listed = answer.headers.get("Ignored-Members", "")
    return f"{answer.status}, {listed.count(',')} of them listed, {'...' if listed.endswith('...') else 'no end'}"


def more_values(house):
    body = json.dumps(house.hostile.email()).encode()[:-1] + b', "junk": [' + b"0," * 1000000 + b"0]}"
    return told(house.hostile.call("POST", "/v1/emails", body))


def deep(house):
    return told(house.hostile.call("POST", "/v1/emails", b'{"to": ' + b"[" * 10 * MIB))


def wide(house):
    return told(house.hostile.call("POST", "/v1/emails", house.hostile.email(variables={f"v{i}": "x" for i in range(200000)})))


def endless_templates(house):
    """Templates that are much work for their size, from 8 clients at once: the neighbour is asked meanwhile."""
    text, number = "x" * house.scale(100000, 900000), "1" * 1000
    turns = list(range(1000))
    emails = [
        ({"html": "{{#each b}}{{@root.a.length}}{{/each}}", "variables": {"a": text, "b": turns}}, {"201"}),
        ({"html": "{{a.length}}" * 1000, "variables": {"a": text}}, {"201"}),
        ({"html": "{{#each b}}{{#if @root.n}}x{{/if}}{{/each}}", "variables": {"n": 1, "b": turns}}, {"201"}),
        ({"html": "{{n}}", "variables": {"n": 1}}, {"400 variables.n must be a number of at most 1000 characters"}),
        ({"html": "{{#each b}}" + "{{x}}" * 20000 + "{{/each}}", "variables": {"b": turns}}, {"400 html takes too long to render"}),
        ({"html": "{{#each b}}{{#each @root.b}}{{#if c}}{{/if}}{{/each}}{{/each}}{{#each b}}" + "{{x}}" * 20000 + "{{/each}}",
          "variables": {"b": turns}}, {"400 html takes too long to render"}),
        ({"html": "<svg>" * 4900 + "</p>" * 4900}, {"201"}),
        ({"html": "<div><object></div></object>" * 2400}, {"201"}),
    ]

    def act(i):
        members, want = emails[i % len(emails)]
        body = json.dumps(house.hostile.email(to=f"reader{time.monotonic_ns()}@example.net", **members))
        if i % len(emails) == 3:
            body = body.replace('"n": 1', f'"n": {number}1')
        answer = told(house.hostile.call("POST", "/v1/emails", body.encode()))
        return None if answer in want else f"{i}: {answer}"

    wrong = [answer for answer in each(8, act) if answer]
    house.forget_outbox()
    return "; ".join(wrong) or "each is filled, or takes too long"


def without_pause(house, bodies):
    """More clients than there are workers, each of which posts again as soon as it has its answer."""
    end = time.monotonic() + house.scale(1, 6)

    def act(i):
        answers = collections.Counter()
        while time.monotonic() < end:
            answer = house.hostile.call("POST", "/v1/emails", bodies[i % len(bodies)])
            answers["503 with Retry-After" if answer.status == 503 and "Retry-After" in answer.headers else told(answer)] += 1
        return answers

    answers = set().union(*each(house.scale(12, 24), act))
    house.forget_outbox()
    return answers


def crowd_of_templates(house):
    turns = list(range(1000))
    bodies = [json.dumps(house.hostile.email(**members)).encode() for members in (
        {"html": "{{#each b}}{{@root.a.length}}{{/each}}", "variables": {"a": "x" * house.scale(100000, 900000), "b": turns}},
        {"html": "{{#each b}}" + "{{x}}" * 20000 + "{{/each}}", "variables": {"b": turns}}, {"html": "<svg>" * 4900 + "</p>" * 4900})]
    answers = without_pause(house, bodies)
    unknown = answers - {"201", "400 html takes too long to render", "503 with Retry-After"}
    return f"{unknown}" if unknown else "each is served in its turn" if "201" in answers else "nobody was served"


def crowd_without_pause(house):
    body = json.dumps(house.hostile.email(html="", text="")).encode()[:-1] + b', "tags": {"x": "' + b"x" * 8 * MIB + b'"}}'
    answers = {answer[:3] if answer.startswith("400") else answer for answer in without_pause(house, [body])}
    unknown = answers - {"400", "503 with Retry-After"}
    return f"{unknown}" if unknown else "each is served in its turn" if "400" in answers else "nobody was served"


def endless_segments(house):
    """Counts of 100 rules about many people, from 8 clients at once."""
    people = house.scale(3000, 50000)
    house.sql("INSERT IGNORE INTO person (id, workspace_id, email, address, properties, first_seen, last_seen, last_event, event_count,"
              " entered, seen, created, updated) SELECT UNHEX(LPAD(HEX(seq), 32, '0')), w.id, CONCAT(seq, '@crowd.example'),"
              " CONCAT(seq, '@crowd.example'), '{\"a\":\"b\"}', 0, 0, '', 0, 0, 0, 1, 1 FROM workspace w, "
              f"seq_1_to_{people} WHERE w.name = '{house.hostile.name}'")
    rules = {"match": "any", "rules": [{"event": f"e{i % 50}", "operator": "did", "at_least": 1 + i % 3} for i in range(100)]}
    segment = house.hostile.call("POST", "/v1/segments", {"name": "S", "rules": rules}).json()["id"]
    broadcast = house.hostile.call("POST", "/v1/broadcasts", {"name": "B", "segments": [segment]}).json()["id"]
    counts = [("POST", "/v1/segments/preview", {"rules": rules}), ("GET", f"/v1/segments/{segment}/count", None),
              ("POST", f"/v1/broadcasts/{broadcast}/check", {})]
    answers = each(8, lambda i: house.hostile.call(*counts[i % len(counts)]))
    house.hostile.call("DELETE", f"/v1/broadcasts/{broadcast}")
    house.hostile.call("DELETE", f"/v1/segments/{segment}")
    house.sql("DELETE FROM person WHERE email LIKE '%@crowd.example'")
    known = {(200, False), (503, True)}
    wrong = [told(answer) for answer in answers if (answer.status, "Retry-After" in answer.headers) not in known]
    return tally(wrong) if wrong else "200 or 503 with Retry-After" if any(a.status == 200 for a in answers) else "nobody was served"


def steering(house):
    """Fields that the relay's provider obeys."""
    names = ["X-SMTPAPI", "X-SES-Configuration-Set", "X-Mailgun-Recipient-Variables", "X-PM-Message-Stream", "X-Mailin-Custom", "X-MC-BccAddress"]
    statuses = [house.hostile.call("POST", "/v1/emails", house.hostile.email(headers={name: "x"})).status for name in names]
    return tally(statuses)


def together(house):
    """What is much work, and without a key, all at once."""
    wants = {endless_templates: "each is filled, or takes too long", endless_segments: "200 or 503 with Retry-After",
             crowd: "400 or 503 with Retry-After", recipient.keyless: None}
    with concurrent.futures.ThreadPoolExecutor(len(wants)) as pool:
        came = {act: pool.submit(act, house) for act in wants}
        wrong = [f"{act.__name__}: {came[act].result()}" for act, want in wants.items() if want and came[act].result() != want]
    return "; ".join(wrong) or "each as alone"


def broken(house):
    """Bodies that are cut off, by no pattern; none may be taken, and none may kill."""
    chance, answers = random.Random(1), []
    whole = json.dumps(house.hostile.email(variables={"a": 1.5}, tags={"t": "\u00e9\n"}, attachments=[])).encode()
    for _ in range(house.scale(100, 1000)):
        body = bytearray(whole[:chance.randrange(1, len(whole))])
        body[chance.randrange(len(body))] = chance.randrange(256)
        answers.append(house.hostile.call("POST", "/v1/emails", bytes(body)).status)
    return tally(answers).split(" × ")[-1] if len(set(answers)) == 1 else tally(answers)


def outbox(house):
    """So many messages wait, and another tenant sends one: in which batch it leaves."""
    count, batch = house.scale(10000, 100000), 20
    fill = [os.path.join(BUILD, "tests/bench/fill"), house.env["POSTHOUSE_CONFIG"], house.hostile.name, f"me@{house.hostile.domain}"]
    house.sql("SET GLOBAL innodb_flush_log_at_trx_commit = 0")  # it is no attempt to be quick
    fills = each(4, lambda i: subprocess.run([*fill, str(count // 4)]).returncode)
    house.sql("SET GLOBAL innodb_flush_log_at_trx_commit = 1")
    if any(fills):
        raise RuntimeError(f"the outbox could not be filled: {fills}")
    config = house.variant("batch", spool__batch=str(batch))
    address = f"friend{time.monotonic_ns()}@example.net"
    begin = len(house.relay.messages)
    process = house.spool("--for", "0", "--jobs", "1", "--config", config, wait=0)
    house.wait_for(lambda: len(house.relay.messages) > begin + batch)
    before = len(house.relay.messages)
    house.neighbour.send(to=address)
    house.wait_for(lambda: house.relay.received(address))
    place = next(i for i, message in enumerate(house.relay.messages) if address in message.recipients) - before
    house.end(process)
    left = house.number("SELECT COUNT(*) FROM outbox")
    house.forget_outbox()
    # The batch in hand when it was posted, and two more.
    return f"sent within two batches, {'others wait' if left > count // 2 else f'{left} wait'}" if place <= 3 * batch else f"sent as number {place}"


WRITES = ("SELECT COALESCE(SUM(rows_changed), 0) FROM information_schema.table_statistics"
          " WHERE table_name NOT LIKE 'metric%' AND table_name <> 'api_call'")


def writes(house):
    """Rows that the database has changed, but for counts for the metrics and the list of requests, which come by time."""
    house.sql("SET GLOBAL userstat = 1")
    return house.number(WRITES)


def limited(house, limit, request):
    """Sets a limit, uses it up, and asks 50 times more. Returns what the last ones got and cost."""
    name, _, value = limit.partition("=")
    house.posthouse("workspace", "limit", house.hostile.name, limit)
    try:
        with house.quiet():
            house.wait_for(lambda: request(-1).status == 429)
            before = writes(house)
            begin = time.monotonic()
            answers = [request(i) for i in range(50)]
            most = 5 + time.monotonic() - begin  # at one a second
            cost = writes(house) - before
        refused = [answer for answer in answers if answer.status == 429]
        served = sum(answer.status in (200, 201) for answer in answers)
        found = {tuple(name for name in ("Retry-After", "RateLimit", "RateLimit-Policy") if name in answer.headers) for answer in refused}
        if name.startswith("requests") and served <= most or served == 0:
            return f"429 with {' and '.join(sorted({n for names in found for n in names}))}, {cost if served == 0 else 'few' if cost < 50 * served + 10 else cost} writes"
        return f"{served} of 50 were served"
    finally:
        house.posthouse("workspace", "limit", house.hostile.name, f"{name}=default")


def over_rate(house):
    """requests that read: what is served in between writes nothing either."""
    house.posthouse("workspace", "limit", house.hostile.name, "burst=2")
    try:
        return limited(house, "requests_per_second=1", lambda i: house.hostile.call("GET", "/v1/emails"))
    finally:
        house.posthouse("workspace", "limit", house.hostile.name, "burst=default")
        time.sleep(5.2)  # so long a process may know the old rate


def over_quota(house):
    return limited(house, "emails_per_day=1", lambda i: house.hostile.call("POST", "/v1/emails", house.hostile.email()))


def over_counts(house):
    """One more than there may be, of each, by 8 clients at once."""
    design = {"nodes": [{"id": "a", "type": "trigger", "data": {"eventName": "x"}}], "edges": []}
    kinds = {
        "domains": ("domain", "/v1/domains", lambda n: {"name": f"d{n}.example.com"}),
        "audiences": ("audience", "/v1/audiences", lambda n: {"name": f"A {n}"}),
        "templates": ("template", "/v1/templates", lambda n: {"name": f"T {n}", "html": "Hi"}),
        "workflows": ("workflow", "/v1/workflows", lambda n: {"name": f"W {n}", "design": design}),
    }
    wrong = []
    for name, (table, path, body) in kinds.items():
        workspace = f"workspace_id = (SELECT id FROM workspace WHERE name = '{house.hostile.name}')"
        count = f"SELECT COUNT(*) FROM {table} WHERE {workspace}" + (" AND deleted IS NULL" if table == "workflow" else "")
        most = house.number(count) + 3
        house.posthouse("workspace", "limit", house.hostile.name, f"{name}={most}")
        answers = each(8, lambda i: told(house.hostile.call("POST", path, body(f"{time.monotonic_ns()}{i}"))))
        house.posthouse("workspace", "limit", house.hostile.name, f"{name}=default")
        refused = [answer for answer in answers if answer == f"409 Limit reached: at most {most} {name}"]
        if house.number(count) != most or len(refused) != 5:
            wrong.append(f"{name}: {house.number(count)} of {most}, {tally(answers)}")
    return "; ".join(wrong) or "none is one too many"


def poison(house):
    """Emails and executions that kill whoever works on them: a program of its own, with crash points."""
    run = subprocess.run([sys.executable, os.path.join(SRC, "tests/faults/poison.py")], capture_output=True, text=True)
    return "failed, all else has left" if run.returncode == 0 else run.stdout[-500:] + run.stderr[-500:]


ATTEMPTS = [
    ("bodies that are cut off", broken, "400"),
    ("html that becomes much text", much_text, "201, sent"),
    ("html with 20,000 attributes in one tag", attributes, "201, sent"),
    ("html that is 200,000 deep", nested, "201, sent"),
    ("127 MB of commas", commas, "400 to must be at most 65536 bytes"),
    ("empty addresses", empty_elements, "201"),
    ("900,000 unknown members", million_members, "201, 20 of them listed, ..."),
    ("more values than a body may have", more_values, "400 body is not valid JSON: more than 1000000 values"),
    ("JSON that is 10 million deep", deep, "400 body is not valid JSON: more than 32 levels of nesting"),
    ("200,000 variables", wide, "400 variables must have at most 100 properties"),
    ("templates that are endless work", endless_templates, "each is filled, or takes too long"),
    ("templates of more clients than workers", crowd_of_templates, "each is served in its turn"),
    ("large bodies of more clients than workers", crowd_without_pause, "each is served in its turn"),
    ("counts of people from 8 clients at once", endless_segments, "200 or 503 with Retry-After"),
    ("headers that steer the relay's provider", steering, "6 × 400"),
    ("large bodies from 8 clients at once", crowd, "400 or 503 with Retry-After"),
    ("designs with 1 MB of junk on one event", junk_designs, "all of them ran, 0 left, event 200"),
    ("10,000 messages and more in the outbox", outbox, "sent within two batches, others wait"),
    # A second that goes by lets one more through, whose key was used.
    ("requests over the rate", over_rate, ("429 with RateLimit and RateLimit-Policy and Retry-After, 0 writes",
                                           "429 with RateLimit and RateLimit-Policy and Retry-After, few writes")),
    ("emails over the quota", over_quota, "429 with RateLimit and RateLimit-Policy and Retry-After, 0 writes"),
    ("more things than a workspace may have", over_counts, "none is one too many"),
]
LONG = [
    ("much work of four kinds at once", together, "each as alone"),
    ("messages and steps that kill their process", poison, "failed, all else has left"),
]
