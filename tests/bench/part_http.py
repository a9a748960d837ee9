# SPDX-License-Identifier: MIT
"""Requests: reads, writes and clicks beside their floors, behind each web server; their latency; the pool's memory."""
import concurrent.futures
import email
import email.policy
import json
import os
import re
import statistics
import subprocess
import time
import urllib.error
import urllib.request

from instance import BUILD, FLOOR, Fastify, Floor, Instance, program
from load import CONNECTIONS, html_of, in_turns, paced, post_script, requests_script, wrk

SERVERS = {"lighttpd": "lighttpd", "apache-proxy": "Apache mod_proxy_fcgi", "apache": "Apache mod_fcgid"}
DESIGN = {"nodes": [{"id": "t", "type": "trigger", "data": {"eventName": "order"}},
                    {"id": "w", "type": "wait_for_event", "data": {"eventName": "paid", "timeout": {"duration": 4, "unit": "weeks"}}}],
          "edges": [{"source": "t", "target": "w"}]}
CONTACT = '{"email":"{n}@example.com","first_name":"Ada","last_name":"Lovelace"}'
EVENT = '{"event_name":"order","email":"{n}@example.com","properties":{"plan":"pro"}}'
SIZE = 5000  # of the html
READS = 48  # emails and contacts that are read
DOMAINS = 7  # beside that of the instance


def workflow(instance, name, event="order"):
    design = json.loads(json.dumps(DESIGN))
    design["nodes"][0]["data"]["eventName"] = event
    return instance.call("POST", "/v1/workflows", {"name": name, "design": design, "status": "active"})["workflow_id"]


class House:
    """An instance with something of each kind in it, and the floors beside it. What each measure sends is the same behind each
    web server."""

    def __init__(self, readers, build=BUILD):
        self.instance = Instance(build=build)
        self.floor, self.server = None, None
        try:
            self.instance.sql(FLOOR)
            self.instance.give_room()
            self.floor = Floor(self.instance)
            self.fill(readers)
        except BaseException:
            self.stop()
            raise

    def stop(self):
        if self.floor:
            self.floor.stop()
        self.instance.stop()

    def serve(self, server):
        """Behind this web server; mod_fcgid starts processes as load comes, so some comes first."""
        if server == self.server:
            return
        self.server = server
        self.instance.serve(server)
        self.floor.serve(server)
        self.get("email", 1)
        self.least("select", 1)

    def fill(self, readers):
        i = self.instance
        self.links = links_of(i, readers)
        emails = ["/v1/emails/" + email for email in read_emails(i, READS)]
        self.email = emails[0]
        for n in range(DOMAINS):
            i.call("POST", "/v1/domains", {"name": f"bench{n}.example.com"})
        domains = ["/v1/domains/" + domain["id"] for domain in i.call("GET", "/v1/domains")["domains"]]
        audiences = [i.cli("audience", "create", f"Bench {n}")["id"] for n in range(8)]
        self.contacts = [f"/v1/audiences/{audience}/contacts" for audience in audiences]
        contacts = [f"{of}/" + i.call("POST", of, {"email": f"ada{n}@example.com"})["id"]
                    for n, of in enumerate(self.contacts * (READS // 8))]
        workflow(i, "Bench")
        body = {"from": i.sender, "to": "user@example.net", "subject": "A bench"}
        self.body = json.dumps({**body, "html": html_of(SIZE)})
        distinct = json.dumps({**body, "html": "<p>{n}</p>" + html_of(SIZE - 40)})
        self.scripts = {
            "same": post_script(i.dir, self.body),
            "distinct": requests_script(i.dir, "distinct", "POST", ["/v1/emails"], distinct),
            "contact": requests_script(i.dir, "contact", "POST", self.contacts, CONTACT),
            "event": requests_script(i.dir, "event", "POST", ["/v1/events"], EVENT),
        }
        self.reads = {name: requests_script(i.dir, "read-" + name, "GET", paths)
                      for name, paths in (("email", emails), ("contact", contacts), ("domain", domains))}

    def least(self, mode, seconds, **more):
        return wrk(f"{self.floor.url}/{mode}", seconds, **more)

    def get(self, name, seconds, **more):
        """Each request reads another one."""
        return wrk(self.instance.url, seconds, self.instance.auth, self.reads[name], **more)

    def post(self, name, seconds, **more):
        return wrk(self.instance.url + "/v1/emails", seconds, self.instance.auth, self.scripts[name], **more)


def messages(instance):
    """The html of the messages that have come."""
    folder = os.path.join(instance.env["POSTHOUSE_MAILDIR"], "new")
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            message = email.message_from_binary_file(file, policy=email.policy.default)
        yield message.get_body(("html",)).get_content()


def links_of(instance, readers):
    """Links as they stand in messages of a domain whose clicks are tracked, one for each reader; none has followed one."""
    instance.sql("UPDATE posthouse.domain SET click_tracking = 1")
    for _ in range(readers):
        instance.call("POST", "/v1/emails", {"from": instance.sender, "to": "user@example.net", "subject": "A bench",
                                             "html": '<a href="http://x.org/">x</a>'})
    instance.spool()
    links = [re.search('href="([^"]+)"', html)[1] for html in messages(instance)]
    if len(links) < readers:
        raise SystemExit("bench: messages with links are missing")
    return links


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def read_emails(instance, count):
    """The ids of emails of 5 KB without text, which were sent, delivered and clicked: 3 events."""
    body = {"from": instance.sender, "to": "user@example.net", "subject": "A bench",
            "html": html_of(SIZE, '<a href="http://z.org/">z</a>')}
    sent = [instance.call("POST", "/v1/emails", body)["id"] for _ in range(count)]
    instance.spool()
    instance.sql("UPDATE posthouse.domain SET click_tracking = 0")
    for link in (re.search('href="([^"]+)"', html)[1] for html in messages(instance) if len(html) > SIZE):
        try:
            urllib.request.build_opener(Stay).open(link)
        except urllib.error.HTTPError:
            pass  # the redirect
    for _ in range(100):
        if all(len(instance.call("GET", f"/v1/emails/{one}")["recipient_statuses"][0]["events"]) == 3 for one in sent):
            return sent
        time.sleep(0.1)
    raise SystemExit("bench: the emails did not get their 3 events")


def clicks(house, seconds, url, script=None):
    """Clicks recorded in a second, while more come: the first second does not count, since they are recorded a little later."""
    def stored():
        return time.perf_counter(), int(house.instance.sql("SELECT COUNT(*) FROM posthouse.event")[0])
    with concurrent.futures.ThreadPoolExecutor() as other:
        load = other.submit(wrk, url, seconds + 1, script=script, redirects=True)
        time.sleep(1.1)
        begin, first = stored()
        answered = load.result()
        end, last = stored()
    time.sleep(1.1)  # for the rest to be recorded
    return min(answered, (last - first) / (end - begin))


def requests(run, server):
    house, report, s = run.house(), run.report, run.seconds
    report.begin(f"Requests, {CONNECTIONS} connections, {SERVERS[server]}")
    house.serve(server)
    # Reads before writes, which leave something to do, and each beside its floor.
    measures = {"email": lambda: house.get("email", s), "select": lambda: house.least("select", s),
                "contact": lambda: house.get("contact", s), "domain": lambda: house.get("domain", s),
                "same": lambda: house.post("same", s), "insert": lambda: house.least("insert", s),
                "event": lambda: house.post("event", s), "new": lambda: house.post("contact", s),
                "insert5k": lambda: house.least("insert5k", s), "distinct": lambda: house.post("distinct", s)}
    of = dict(zip(measures, in_turns(run.rounds, *measures.values())))
    report.compare("GET email, 5 KB, 3 events", of["email"], "SELECT", of["select"], goal=0.56)
    report.compare("GET contact", of["contact"], "SELECT", of["select"], goal=0.65)
    report.compare("GET domain", of["domain"], "SELECT", of["select"], goal=0.65)
    report.compare("POST email, spool mode, 5 KB, same content", of["same"], "INSERT", of["insert"], goal=0.55)
    report.compare("POST email, spool mode, 5 KB, distinct", of["distinct"], "INSERT of 5 KB", of["insert5k"], goal=0.80)
    report.compare("POST event that starts an execution", of["event"], "INSERT", of["insert"], goal=0.60)
    report.compare("POST contact, 8 audiences", of["new"], "INSERT", of["insert"], goal=0.70)
    if server == "lighttpd":  # of Apache's answer to HEAD, wrk waits for a body
        look(run, house)
    follow(run, house)


def look(run, house):
    head = os.path.join(house.instance.dir, "head.lua")
    with open(head, "w") as file:
        file.write("wrk.method = 'HEAD'\n")
    hello, heads = in_turns(run.rounds, lambda: house.least("hello", run.seconds),
                            lambda: wrk(house.links[0], run.seconds, script=head, redirects=True))
    run.report.compare("HEAD of a link, which records nothing", heads, "no statement", hello)


def follow(run, house):
    i = house.instance
    # So many that all of them are recorded.
    i.sql("UPDATE posthouse.recipient SET visits = -1000000000")
    paths = [link.removeprefix(i.url) for link in house.links]
    many = requests_script(i.dir, "links", "GET", paths)
    least, one, all_of_them = in_turns(run.rounds, lambda: house.least("insert", run.seconds),
                                       lambda: clicks(house, run.seconds, house.links[0]),
                                       lambda: clicks(house, run.seconds, i.url, many))
    run.report.compare(f"Clicks recorded, of {len(paths)} readers", all_of_them, "INSERT", least, goal=0.8)
    run.report.compare("Clicks recorded, of one reader", one, "INSERT", least, goal=0.5)


def fastify(run):
    house, report, s = run.house(), run.report, run.seconds
    report.begin("A hand-written Fastify with mysql2, 2 processes, to compare with")
    try:
        other = Fastify(house.instance)
    except OSError as error:
        report.left_out("Fastify", error)
        return
    auth = house.instance.auth
    try:
        house.serve("lighttpd")
        created = urllib.request.Request(other.url + "/v1/emails", house.body.encode(),
                                         {**auth, "Content-Type": "application/json"})
        with urllib.request.urlopen(created) as answer:
            sent = json.load(answer)["id"]
        house.instance.sql("INSERT INTO floor.fastify_event VALUES " + ",".join(f"('{sent}', {n}, 'sent')" for n in range(3)))
        with urllib.request.urlopen(urllib.request.Request(f"{other.url}/v1/emails/{sent}", headers=auth)) as answer:
            if len(json.load(answer)["events"]) != 3:
                raise SystemExit("bench: Fastify does not answer with 3 events")
        queue = {**auth, "Content-Type": "application/json"}
        select, insert, get, post, ours_get, ours_post = in_turns(
            run.rounds, lambda: house.least("select", s), lambda: house.least("insert", s),
            lambda: wrk(f"{other.url}/v1/emails/{sent}", s, auth),
            lambda: wrk(other.url + "/v1/emails", s, queue, house.scripts["same"]),
            lambda: house.get("email", s), lambda: house.post("same", s))
    finally:
        other.stop()
    report.compare("Fastify: GET email", get, "SELECT", select)
    report.compare("Fastify: POST email", post, "INSERT", insert)
    report.compare("GET email beside it", ours_get, "Fastify", get, goal=1)
    report.compare("POST email, spool mode, same content", ours_post, "Fastify", post, goal=1)


def cost_of(instance, database, measure, seconds):
    """The processor time of a request in microseconds: of the database, of the pool, and of the web server."""
    def spent():
        times = instance.spent()
        return (database.spent()["mariadbd"], times.get("posthouse.fcgi", 0) + times.get("floor_http", 0), times["lighttpd"])
    before = spent()
    count = measure() * seconds
    return [(after - least) / count * 1e6 for after, least in zip(spent(), before)]


def cost(run):
    """Processor time, which tells where it goes, and changes less with the load of the machine than rates do."""
    house, s = run.house(), run.seconds
    run.report.begin("Processor time of a request, lighttpd")
    house.serve("lighttpd")

    def parts(instance, measure):
        rounds = in_turns(run.rounds, lambda: cost_of(instance, house.instance, measure, s))[0]
        return [statistics.median(figures) for figures in zip(*rounds)]
    floors = {mode: parts(house.floor, lambda m=mode: house.least(m, s)) for mode in ("select", "insert", "insert5k")}
    for name, floor, measure in (
            ("GET email", "select", lambda: house.get("email", s)),
            ("GET contact", "select", lambda: house.get("contact", s)),
            ("GET domain", "select", lambda: house.get("domain", s)),
            ("POST email, same content", "insert", lambda: house.post("same", s)),
            ("POST email, distinct", "insert5k", lambda: house.post("distinct", s)),
            ("POST event", "insert", lambda: house.post("event", s)), ("POST contact", "insert", lambda: house.post("contact", s))):
        ours = parts(house.instance, measure)
        total = sum(ours)
        shares = ", ".join(f"{what} {part / total:.0%}" for what, part in zip(("database", "pool", "web server"), ours))
        run.report.compare(name, [total], "INSERT of 5 KB" if floor == "insert5k" else floor.upper(), [sum(floors[floor])],
                           unit="µs", note=shares)


def concurrency(run):
    """What the plot shows."""
    house, s = run.house(), run.seconds
    run.report.begin("Concurrency")
    house.serve("lighttpd")
    measures = {"GET email": lambda c: house.get("email", s, connections=c),
                "SELECT (floor)": lambda c: house.least("select", s, connections=c),
                "POST email": lambda c: house.post("same", s, connections=c),
                "INSERT (floor)": lambda c: house.least("insert", s, connections=c)}
    for level in (1, 32) if run.quick else (1, 2, 4, 8, 16, 32):
        rates = in_turns(run.rounds, *(lambda m=measure: m(level) for measure in measures.values()))
        for name, figures in zip(measures, rates):
            run.report.series.setdefault(name, {})[level] = statistics.median(figures)
        run.report.compare(f"GET email, connections: {level}", rates[0], "SELECT", rates[1])
        run.report.compare(f"POST email, connections: {level}", rates[2], "INSERT", rates[3])


def latency(run):
    house, report, s = run.house(), run.report, run.seconds
    i, folder = house.instance, house.instance.dir
    report.begin("Latency, lighttpd")
    house.serve("lighttpd")
    cases = {"GET email": (i.url + house.email, i.auth, None), "SELECT": (house.floor.url + "/select", None, None),
             "POST email": (i.url + "/v1/emails", i.auth, house.body), "INSERT": (house.floor.url + "/insert", None, None)}
    highest = {"GET email": house.get("email", s), "SELECT": house.least("select", s), "POST email": house.post("same", s),
               "INSERT": house.least("insert", s)}
    tails = in_turns(run.rounds, *(lambda n=name, c=case: paced(folder, *place(c, s), rate=highest[n] / 2)[1]
                                   for name, case in cases.items()))
    alone = in_turns(run.rounds, *(lambda c=case: paced(folder, *place(c, s), connections=1)[0] for case in cases.values()))
    for name, least in (("GET email", "SELECT"), ("POST email", "INSERT")):
        ours, floor = list(cases).index(name), list(cases).index(least)
        report.compare(f"{name}, p99 at half of the highest rate", tails[ours], least, tails[floor], unit="µs", goal=3, at_most=True,
                       note=f"at {highest[name] / 2:.0f}/s and {highest[least] / 2:.0f}/s")
        report.compare(f"{name}, one request at a time, median", alone[ours], least, alone[floor], unit="µs")
    if run.before:
        earlier(run, house, alone[0], alone[2])


def place(case, seconds):
    url, headers, body = case
    return url, seconds, headers, body


def earlier(run, house, get, post):
    """One request at a time, beside an earlier build."""
    old = House(readers=1, build=os.path.abspath(run.before))
    try:
        i, s = old.instance, run.seconds
        then = in_turns(run.rounds, lambda: paced(i.dir, i.url + old.email, s, i.auth, connections=1)[0],
                        lambda: paced(i.dir, i.url + "/v1/emails", s, i.auth, old.body, connections=1)[0])
    finally:
        old.stop()
    run.report.compare("GET email, one at a time, median", get, "the earlier build", then[0], unit="µs", goal=1, at_most=True)
    run.report.compare("POST email, one at a time, median", post, "the earlier build", then[1], unit="µs", goal=1, at_most=True)


def memory(run):
    house, report = run.house(), run.report
    report.begin("Memory of the pool, and CGI")
    house.serve("lighttpd")
    house.get("email", 1)
    for name in house.scripts:
        house.post(name, 1)
    pool, workers = house.instance.processes()
    sizes = {pid: rollup(pid) for pid in pool}
    report.value(f"PSS of a pool of {len(workers)}, after load", pss_of(sizes), "MB", goal=20, at_most=True)
    time.sleep(6)  # the processes give memory back when they flush their counters, after 4 seconds
    report.value("PSS of the same pool, after 6 seconds of rest", pss_of({pid: rollup(pid) for pid in pool}), "MB")
    report.value("Private_Dirty of its largest process", max(sizes[pid]["Private_Dirty"] for pid in workers) / 1024, "MB", goal=4,
                 at_most=True)
    env = {"PATH": os.environ["PATH"], "REQUEST_METHOD": "GET", "PATH_INFO": "/health",
           "POSTHOUSE_CONFIG": house.instance.env["POSTHOUSE_CONFIG"]}
    times = []
    for _ in range(50):
        begin = time.perf_counter()
        subprocess.run([program("posthouse.fcgi")], env=env, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        times.append(time.perf_counter() - begin)
    report.value("A plain CGI request from start to end, median", statistics.median(times) * 1000, "ms")


def pss_of(sizes):
    """In MB."""
    return sum(size["Pss"] for size in sizes.values()) / 1024


def rollup(pid):
    """In KiB."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return {name: int(size) for name, size in re.findall(r"^(\w+):\s+(\d+) kB", file.read(), flags=re.M)}
