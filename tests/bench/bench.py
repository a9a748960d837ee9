#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the service beside floors that are measured in the same run: the least that such a thing can cost on this machine.

The figures of a busy machine are noisy; the ratios are what counts.
"""

import argparse
import email
import email.policy
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

SRC = os.path.abspath(os.environ.get("srcdir", os.path.join(os.path.dirname(__file__), "..", "..")))
BUILD = os.path.abspath(os.environ.get("builddir", SRC))
WORKERS = 4


class Instance:
    def __init__(self, *settings):
        self.dir = tempfile.mkdtemp(prefix="posthouse-bench.")
        options = ["--dir", self.dir, "--port", "0", "--no-demo", "--no-spool"]
        for setting in settings:
            options += ["--set", setting]
        subprocess.run([os.path.join(SRC, "quickstart"), *options], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "POSTHOUSE_BUILD": BUILD})
        self.env = dict(os.environ)
        with open(os.path.join(self.dir, "env")) as file:
            for line in file:
                name, _, value = line.strip().removeprefix("export ").partition("=")
                self.env[name] = value.strip("'\"")
        self.url, self.key = self.env["POSTHOUSE_URL"], self.env["POSTHOUSE_KEY"]
        self.socket = os.path.join(self.dir, "database.socket")

    def stop(self):
        subprocess.run([os.path.join(SRC, "quickstart"), "stop", "--dir", self.dir], stdout=subprocess.DEVNULL)
        shutil.rmtree(self.dir, ignore_errors=True)

    def sql(self, text):
        out = subprocess.run(["mariadb", "--no-defaults", "-S", self.socket, "-u", "root", "-N", "-B", "-e", text], check=True,
                             capture_output=True, text=True)
        return out.stdout.split()

    def pool(self):
        """The pids of the pool's workers: the processes of the program whose parent is one too."""
        program = os.path.realpath(os.path.join(BUILD, "posthouse.fcgi"))
        parents = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
                with open(f"/proc/{entry}/environ") as file:
                    ours = self.dir in file.read()
                if ours and os.path.realpath(f"/proc/{entry}/exe") == program:
                    parents[int(entry)] = parent
            except OSError:
                continue
        return [pid for pid, parent in parents.items() if parent in parents]

    def post(self, body):
        request = urllib.request.Request(self.url + "/v1/emails", json.dumps(body).encode(),
                                         {"Authorization": "Bearer " + self.key})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["id"]


class Floor:
    """floor_http under a lighttpd of its own."""

    def __init__(self, mode, database, workers=WORKERS):
        self.dir = tempfile.mkdtemp(prefix="posthouse-floor.")
        with open(os.path.join(self.dir, "lighttpd.conf"), "w") as file:
            file.write(f'server.modules = ("mod_fastcgi")\nserver.document-root = "{self.dir}"\nserver.bind = "127.0.0.1"\n'
                       f'server.port = 0\nserver.errorlog = "{self.dir}/log"\n'
                       f'fastcgi.server = ("/" => (("socket" => "{self.dir}/socket", "check-local" => "disable", "max-procs" => 1,'
                       f' "bin-path" => "{BUILD}/tests/bench/floor_http {mode} {database} {workers}")))\n')
        self.port = free_port()
        text = open(os.path.join(self.dir, "lighttpd.conf")).read().replace("server.port = 0", f"server.port = {self.port}")
        open(os.path.join(self.dir, "lighttpd.conf"), "w").write(text)
        self.process = subprocess.Popen(["/usr/sbin/lighttpd", "-D", "-f", os.path.join(self.dir, "lighttpd.conf")],
                                        start_new_session=True)
        wait_for(self.port)
        self.url = f"http://127.0.0.1:{self.port}"

    def stop(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


def free_port():
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    import socket
    for _ in range(200):
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    sys.exit("bench: a server did not come up")


def wrk(url, seconds, headers=None, script=None, redirects=False):
    command = ["wrk", "-t1", "-c32", f"-d{seconds}s"]
    for name, value in (headers or {}).items():
        command += ["-H", f"{name}: {value}"]
    if script:
        command += ["-s", script]
    out = subprocess.run([*command, url], check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in out and not redirects:
        sys.exit(f"bench: {url} answered with errors:\n{out}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))


def row(what, value, ratio=None, of=""):
    print(f"{what:52} {value:>12}" + (f"   {ratio:5.2f} of {of}" if ratio is not None else ""), flush=True)


def post_script(folder, instance):
    body = json.dumps({"from": "bench@" + instance.env["POSTHOUSE_DOMAIN"], "to": "user@example.net", "subject": "A bench",
                       "html": "<p>" + "An email of five kilobytes. " * 180 + "</p>"})
    path = os.path.join(folder, "post.lua")
    with open(path, "w") as file:
        file.write(f"wrk.method = 'POST'\nwrk.body = [==[{body}]==]\n")
    return path


def links_of(instance, readers):
    """Links as they stand in messages of a domain whose clicks are tracked, one for each reader."""
    instance.sql("UPDATE posthouse.domain SET click_tracking = 1")
    for _ in range(readers):
        instance.post({"from": "bench@" + instance.env["POSTHOUSE_DOMAIN"], "to": "user@example.net", "subject": "A bench",
                       "html": '<a href="http://x.org/">x</a><a href="http://y.org/">y</a>'})
    subprocess.run([os.path.join(BUILD, "posthouse-spool"), "--once"], check=True, env=instance.env)
    instance.sql("UPDATE posthouse.domain SET click_tracking = 0")
    folder = os.path.join(instance.env["POSTHOUSE_MAILDIR"], "new")
    links = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            message = email.message_from_binary_file(file, policy=email.policy.default)
        links += re.findall('href="([^"]+)"', message.get_body(("html",)).get_content())[:1]
    if len(links) < readers:
        sys.exit("bench: no message with a link has come")
    return links


def events_of(instance):
    """How many events there are, when no more come."""
    count = -1
    while True:
        last, count = count, int(instance.sql("SELECT COUNT(*) FROM posthouse.event")[0])
        if count == last:
            return count
        time.sleep(1.5)


def bench_links(instance, seconds, floors):
    links = links_of(instance, 2000)
    path = os.path.join(instance.dir, "head.lua")
    with open(path, "w") as file:
        file.write("wrk.method = 'HEAD'\n")
    rate = wrk(links[0], seconds, script=path, redirects=True)
    row("HEAD /t/c/{token}, which records nothing", f"{rate:.0f}/s", rate / floors["hello"], "hello")
    # So many that all of them are recorded.
    instance.sql("UPDATE posthouse.recipient SET visits = -1000000000")
    many = requests_script(instance.dir, "links", "GET", [link.removeprefix(instance.url) for link in links])
    for what, url, script, goal in (("all of one reader", links[0], None, 0.5), ("of 2000 readers", instance.url, many, 0.8)):
        before = events_of(instance)
        rate = wrk(url, seconds, script=script, redirects=True)
        stored = events_of(instance) - before
        row(f"GET /t/c/{{token}}, {what}", f"{rate:.0f}/s", rate / floors["insert"], f"insert (goal: {goal}); {stored / rate / seconds:.3f} recorded")


def bench_memory(instance):
    request = urllib.request.Request(instance.url + "/health")
    for _ in range(50):
        urllib.request.urlopen(request).read()
    sizes = []
    for pid in instance.pool():
        with open(f"/proc/{pid}/smaps_rollup") as file:
            sizes.append(int(re.search(r"Private_Dirty:\s+(\d+)", file.read()).group(1)))
    row("Private_Dirty of an idle process (goal: below 4 MB)", f"{max(sizes) / 1024:.2f} MB")


def bench_cgi(instance):
    env = {"PATH": os.environ["PATH"], "REQUEST_METHOD": "GET", "PATH_INFO": "/health",
           "POSTHOUSE_CONFIG": instance.env["POSTHOUSE_CONFIG"]}
    times = []
    for _ in range(50):
        begin = time.perf_counter()
        subprocess.run([os.path.join(BUILD, "posthouse.fcgi")], env=env, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        times.append(time.perf_counter() - begin)
    row("A plain CGI request from start to end, median", f"{sorted(times)[25] * 1000:.1f} ms")


def bench_http(seconds):
    spool = Instance("service.mode=spool")
    try:
        spool.sql(FLOOR)
        bench_memory(spool)
        bench_cgi(spool)
        floors = {}
        for mode in ("hello", "select", "insert"):
            floor = Floor(mode, spool.socket)
            floors[mode] = wrk(floor.url + "/", seconds)
            floor.stop()
            row(f"floor: FastCGI {mode}", f"{floors[mode]:.0f}/s")
        auth = {"Authorization": "Bearer " + spool.key}
        sent = spool.post({"from": "bench@" + spool.env["POSTHOUSE_DOMAIN"], "to": "user@example.net", "subject": "A bench",
                           "html": "<p>Hello</p>"})
        rate = wrk(f"{spool.url}/v1/emails/{sent}", seconds, auth)
        row("GET /v1/emails/{id}", f"{rate:.0f}/s", rate / floors["select"], "select")
        bench_links(spool, seconds, floors)
        rate = wrk(f"{spool.url}/v1/emails", seconds, auth, post_script(spool.dir, spool))
        row("POST /v1/emails, 5 KB, mode spool", f"{rate:.0f}/s", rate / floors["insert"], "insert")
    finally:
        spool.stop()


class Sink:
    """Postfix's smtp-sink: takes whatever comes and forgets it."""

    def __init__(self):
        self.port = free_port()
        self.process = subprocess.Popen(["/usr/sbin/smtp-sink", *(["-u", "nobody"] if os.getuid() == 0 else []),
                                         f"127.0.0.1:{self.port}", "1000"])
        wait_for(self.port)

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Postfix:
    """A Postfix of its own, with its ordinary queue, that relays to the sink."""

    def __init__(self, relay_port):
        self.dir = tempfile.mkdtemp(prefix="posthouse-postfix.")
        os.chmod(self.dir, 0o755)
        config = os.path.join(self.dir, "etc")
        self.port = free_port()
        for name in ("etc", "queue", "data"):
            os.mkdir(os.path.join(self.dir, name))
        shutil.chown(os.path.join(self.dir, "data"), "postfix")
        with open(os.path.join(config, "main.cf"), "w") as file:
            file.write(f"compatibility_level = 3.6\nqueue_directory = {self.dir}/queue\ndata_directory = {self.dir}/data\n"
                       "mail_owner = postfix\nsetgid_group = postdrop\ninet_interfaces = 127.0.0.1\ninet_protocols = ipv4\n"
                       "mynetworks = 127.0.0.0/8\nmydestination =\nmyhostname = bench.example\n"
                       f"relayhost = [127.0.0.1]:{relay_port}\nmaillog_file = {self.dir}/log\nmaillog_file_prefixes = /tmp, /var\n"
                       "smtp_dns_support_level = disabled\nsmtp_host_lookup = native\nalias_maps =\n")
        with open("/usr/share/postfix/master.cf.dist") as file:
            master = file.read()
        master = re.sub(r"^smtp      inet .*$", f"127.0.0.1:{self.port} inet n - n - - smtpd", master, flags=re.M)
        master = re.sub(r"^(\S+\s+(?:inet|unix|fifo|pass)\s+\S+\s+\S+\s+)y(\s)", r"\1n\2", master, flags=re.M)
        with open(os.path.join(config, "master.cf"), "w") as file:
            file.write(master)
        self.command = ["/usr/sbin/postfix", "-c", config]
        subprocess.run([*self.command, "start"], check=True, capture_output=True)
        wait_for(self.port)

    def waiting(self):
        return sum(len(files) for queue in ("maildrop", "incoming", "active", "deferred")
                   for _, _, files in os.walk(os.path.join(self.dir, "queue", queue)))

    def stop(self):
        subprocess.run([*self.command, "stop"], capture_output=True)
        shutil.rmtree(self.dir, ignore_errors=True)


def timed(command, env=None):
    begin = time.perf_counter()
    subprocess.run(command, check=True, env=env)
    return time.perf_counter() - begin


def run_measured(command, env):
    """How long it takes, in s, and the peak memory of it and of each of its children, in KiB."""
    begin = time.perf_counter()
    _, status, usage = os.wait4(subprocess.Popen(command, env=env).pid, 0)
    if status:
        sys.exit(f"bench: {command[0]} failed")
    return time.perf_counter() - begin, usage.ru_maxrss


def bench_drain(count):
    sink = Sink()
    instance = Instance(f"smtp.port={sink.port}", "service.mode=spool", "smtp.dsn=no")
    try:
        fill = [os.path.join(BUILD, "tests/bench/fill"), instance.env["POSTHOUSE_CONFIG"], "",
                "bench@" + instance.env["POSTHOUSE_DOMAIN"]]
        spool = [os.path.join(BUILD, "posthouse-spool"), "--once", "--jobs", "4"]
        timed([*fill, str(count // 10)])
        _, small = run_measured(spool, instance.env)
        rate = count / timed([*fill, str(count)])
        row("core_submit, one process", f"{rate:.0f}/s")
        floor = count / timed([os.path.join(BUILD, "tests/bench/floor_smtp"), str(sink.port), "4", str(count)])
        row("floor: sign and send, 4 processes", f"{floor:.0f}/s")
        seconds, large = run_measured(spool, instance.env)
        rate = count / seconds
        left = int(instance.sql("SELECT COUNT(*) FROM posthouse.outbox")[0])
        if left:
            sys.exit(f"bench: {left} messages are left")
        row(f"posthouse-spool --jobs 4, {count} messages", f"{rate:.0f}/s", rate / floor, "floor (goal: 0.6)")
        row(f"peak memory of a worker, {count} messages", f"{large / 1024:.1f} MB", large / small, f"{count // 10} messages")
        bench_journal(count, rate)
        bench_postfix(sink.port, count, rate)
    finally:
        instance.stop()
        sink.stop()


def bench_journal(count, rate):
    """What the journal of a message costs of what the processor does for it."""
    with tempfile.TemporaryDirectory(prefix="posthouse-journal.") as folder:
        out = subprocess.run([os.path.join(BUILD, "tests/bench/journal"), folder, str(count)], check=True, capture_output=True,
                             text=True).stdout
    cores = min(4, len(os.sched_getaffinity(0)))
    row("the journal of a message", f"{float(out):.1f} us", float(out) * rate / 1e6 / cores, "a drain (goal: 0.03)")


def bench_postfix(port, count, ours):
    if os.getuid() != 0 or not os.path.exists("/usr/share/postfix/master.cf.dist"):
        row("Postfix", "needs root and the package postfix")
        return
    postfix = Postfix(port)
    try:
        begin = time.perf_counter()
        subprocess.run(["/usr/sbin/smtp-source", "-s", "4", "-l", "5000", "-m", str(count), "-f", "bench@posthouse.example",
                        "-t", "user@example.net", f"127.0.0.1:{postfix.port}"], check=True)
        while postfix.waiting():
            time.sleep(0.02)
        rate = count / (time.perf_counter() - begin)
        row("Postfix, taken and delivered, unsigned", f"{rate:.0f}/s")
        row("posthouse-spool", f"{ours:.0f}/s", ours / rate, "Postfix (goal: 2)")
    finally:
        postfix.stop()


CLAIM = """\
INSERT INTO posthouse.outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)
SELECT UNHEX(LPAD(HEX(seq), 32, '0')), UNHEX(REPEAT('00', 16)), UNHEX(MD5(seq)), X'0000', 0, 1, 1000 + seq FROM posthouse.seq_1_to_%d;"""

UNCLAIM = "UPDATE posthouse.outbox SET ready_at = 1000 + CONV(HEX(id), 16, 10), owner = NULL, token = NULL WHERE ready_at > 2000000000000"


TENANTS = """\
DELETE FROM posthouse.workspace WHERE name LIKE 'tenant %%'; TRUNCATE posthouse.outbox;
INSERT INTO posthouse.workspace (id, name, created) SELECT UNHEX(LPAD(HEX(seq), 32, '0')), CONCAT('tenant ', seq), 1
FROM posthouse.seq_1_to_%d;
INSERT INTO posthouse.outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)
SELECT UNHEX(LPAD(HEX(seq), 32, '0')), UNHEX(LPAD(HEX(1 + seq %% %d), 32, '0')), UNHEX(MD5(seq)), X'0000', 0, 1, 1000 + seq
FROM posthouse.seq_1_to_100000;"""


def bench_turns(sizes=(1, 1000)):
    """How long a claim of 100 rows takes while mail of so many workspaces waits, in turns of one size and the other."""
    instance = Instance("service.mode=spool")
    try:
        def claims(size):
            instance.sql(TENANTS % (size, size))
            settle(instance)
            return float(subprocess.run([os.path.join(BUILD, "tests/bench/claim"), instance.env["POSTHOUSE_CONFIG"], "50"],
                                        check=True, capture_output=True, text=True).stdout)
        least, ours = alternately(7, lambda: claims(sizes[0]), lambda: claims(sizes[1]))
        row(f"claims of 100 rows while mail of {sizes[0]} workspace waits", f"{least:.0f}/s")
        row(f"the same of {sizes[1]}", f"{ours:.0f}/s", ours / least, "the first (goal: 0.9)")
    finally:
        instance.stop()


def bench_claim(sizes=(1000, 1000000)):
    """How long a claim of 100 rows takes while so many wait."""
    instance = Instance("service.mode=spool")
    try:
        rates = []
        for size in sizes:
            instance.sql("TRUNCATE posthouse.outbox")
            instance.sql(CLAIM % size)
            instance.sql("SET GLOBAL innodb_max_dirty_pages_pct = 0")
            while int(instance.sql("SHOW STATUS LIKE 'Innodb_buffer_pool_pages_dirty'")[1]) > 100:
                time.sleep(0.1)
            instance.sql("SET GLOBAL innodb_max_dirty_pages_pct = 90")
            runs = []
            for _ in range(15):
                runs.append(float(subprocess.run([os.path.join(BUILD, "tests/bench/claim"), instance.env["POSTHOUSE_CONFIG"], "9"],
                                                 check=True, capture_output=True, text=True).stdout))
                instance.sql(UNCLAIM)
            rates.append(sorted(runs)[len(runs) // 2])
            row(f"claims of 100 rows while {size} wait", f"{rates[-1]:.0f}/s", rates[-1] / rates[0], "the first (goal: 0.9)")
    finally:
        instance.stop()


def told(instance):
    return int(instance.sql("SELECT COUNT(*) FROM posthouse.webhook_delivery WHERE status = 2")[0])


# More events that wait for the webhook that exists, in front of those that it has.
UNTOLD = ("SET @w = (SELECT id FROM posthouse.webhook LIMIT 1), @s = (SELECT id FROM posthouse.workspace LIMIT 1),"
          " @t = UNIX_TIMESTAMP() * 1000 - 120000;"
          "INSERT INTO posthouse.webhook_event (id, workspace_id, created, type, data)"
          " SELECT CONCAT(UNHEX(LPAD(HEX(@t), 12, '0')), UNHEX(CONCAT('7', LPAD(HEX(seq), 15, '0'))), LEFT(@w, 2)), @s, @t, 13, '{}'"
          " FROM posthouse.seq_1_to_%d;"
          "INSERT INTO posthouse.webhook_delivery (webhook_id, id, workspace_id, event_id, type, created, status, attempts,"
          " next_attempt) SELECT @w, CONCAT(LEFT(id, 14), RIGHT(@w, 2)), @s, id, 13, @t, 1, 0, @t FROM posthouse.webhook_event"
          " WHERE created = @t")


def bench_webhooks(count, waiting=1000000, dead=100000):
    """Deliveries to one receiver on loopback; while many wait; beside one that is dead."""
    program = os.path.join(BUILD, "tests/bench/webhooks")
    receiver = subprocess.Popen([program, "receive"], stdout=subprocess.PIPE, text=True)
    port = receiver.stdout.readline().strip()
    instance = Instance("fetch.allow=127.0.0.0/8")
    spool = [os.path.join(BUILD, "posthouse-spool"), "--jobs", "4"]

    def fill(to, number):
        subprocess.run([program, "fill", instance.env["POSTHOUSE_CONFIG"], to, str(number)], check=True)

    def empty():
        for table in ("webhook", "webhook_event", "webhook_delivery", "webhook_attempt"):
            instance.sql(f"TRUNCATE posthouse.{table}")

    def rate(beside=None):
        empty()
        if beside:
            beside()
        fill(port, count)
        seconds = timed([*spool, "--once"], instance.env)
        if told(instance) != count:
            sys.exit(f"bench: {told(instance)} of {count} events were told")
        return count / seconds

    try:
        def floor():
            return float(subprocess.run([program, "floor", port, str(count)], check=True, capture_output=True, text=True).stdout)
        least, ours = alternately(3, floor, rate)
        row("floor: curl's multi interface, 4 connections", f"{least:.0f}/s")
        row(f"posthouse-spool --jobs 4, {count} events to one webhook", f"{ours:.0f}/s", ours / least, "floor (goal: 0.5, or 5000/s)")
        alone, beside = alternately(3, rate, lambda: rate(lambda: fill("1", dead)))
        row(f"the same beside a dead receiver for which {dead} wait", f"{beside:.0f}/s", beside / alone, "alone (goal: 0.95)")

        def for_a_while():
            before = told(instance)
            timed([*spool, "--for", "4"], instance.env)
            return (told(instance) - before) / 4
        empty()
        fill(port, 10 * count)
        few = for_a_while()
        empty()
        fill(port, 0)
        instance.sql(UNTOLD % waiting)
        many = for_a_while()
        row(f"events told while {10 * count} wait", f"{few:.0f}/s")
        row(f"the same while {waiting} wait", f"{many:.0f}/s", many / few, "the first (goal: 0.9)")
    finally:
        instance.stop()
        receiver.kill()


FLOOR = ("CREATE DATABASE floor; CREATE TABLE floor.row (id INT PRIMARY KEY, text VARCHAR(200));"
         "INSERT INTO floor.row VALUES (1, REPEAT('x', 150));"
         "CREATE TABLE floor.log (id BIGINT PRIMARY KEY AUTO_INCREMENT, text VARCHAR(200))")


def cli(instance, *arguments):
    out = subprocess.run([os.path.join(BUILD, "posthouse"), *arguments, "--json"], check=True, env=instance.env,
                         capture_output=True, text=True).stdout
    return json.loads(out)


def contacts_file(folder, count):
    """Emails in no order, for that is how they come."""
    path = os.path.join(folder, f"contacts-{count}.csv")
    with open(path, "w", newline="") as file:
        file.write("email,first_name,last_name,is_subscribed\r\n")
        for i in range(count):
            file.write(f"{(i * 7919) % count:07}.person@example{i % 500}.com,First {i},Last,{'false' if i % 10 == 0 else 'true'}\r\n")
    return path


def requests_script(folder, name, method, paths, body="nil"):
    """Each request takes another of the paths; {n} in the body is another number each time."""
    path = os.path.join(folder, name + ".lua")
    with open(path, "w") as file:
        file.write("local paths = {%s}\n" % ",".join(f'"{p}"' for p in paths))
        file.write("local n = 0\nlocal seed = os.time() .. '-' .. math.random(1000000000)\n"
                   "request = function()\n n = n + 1\n"
                   f" local body = {body}\n"
                   " if body then body = body:gsub('{n}', seed .. '-' .. n) end\n"
                   f" return wrk.format('{method}', paths[n % #paths + 1], nil, body)\nend\n")
    return path


def alternately(rounds, *measures):
    """The medians of what is measured in turns, so that a busy moment falls on all."""
    taken = [[measure() for measure in measures] for _ in range(rounds)]
    return [sorted(values)[rounds // 2] for values in zip(*taken)]


CONTACT = "'{\"email\":\"{n}@example.com\",\"first_name\":\"Ada\",\"last_name\":\"Lovelace\"}'"


def bench_create(instance, seconds):
    audiences = [cli(instance, "audience", "create", f"Bench {i}")["id"] for i in range(8)]
    paths = [f"/v1/audiences/{audience}/contacts" for audience in audiences]
    auth = {"Authorization": "Bearer " + instance.key}
    one = requests_script(instance.dir, "one", "POST", paths[:1], CONTACT)
    eight = requests_script(instance.dir, "eight", "POST", paths, CONTACT)
    floor = Floor("insert", instance.socket, 8)
    try:
        insert, single, spread = alternately(3, lambda: wrk(floor.url + "/", seconds), lambda: wrk(instance.url, seconds, auth, one),
                                             lambda: wrk(instance.url, seconds, auth, eight))
    finally:
        floor.stop()
    row("floor: FastCGI insert, 8 processes", f"{insert:.0f}/s")
    row("POST contacts, 8 processes, 8 audiences", f"{spread:.0f}/s", spread / insert, "insert (goal: 0.5)")
    row("POST contacts, 8 processes, one audience", f"{single:.0f}/s", single / spread, "8 audiences (goal: 0.85)")


def bench_sizes(instance, seconds, sizes):
    auth = {"Authorization": "Bearer " + instance.key}
    scripts = {"GET contacts/{id}": [], "GET contacts": []}
    for size in sizes:
        path = contacts_file(instance.dir, size)
        audience = cli(instance, "audience", "create", f"Of {size}")["id"]
        begin = time.perf_counter()
        cli(instance, "contact", "import", audience, path)
        if size == sizes[-1]:
            row(f"posthouse contact import, {size} rows (goal: 30000)", f"{size / (time.perf_counter() - begin):.0f}/s")
        os.unlink(path)
        some = instance.sql("SELECT LOWER(CONCAT_WS('-', SUBSTR(h, 1, 8), SUBSTR(h, 9, 4), SUBSTR(h, 13, 4), SUBSTR(h, 17, 4),"
                            " SUBSTR(h, 21))), address FROM (SELECT HEX(id) h, address FROM posthouse.contact WHERE audience_id ="
                            f" UNHEX('{audience.replace('-', '')}') AND RAND() < {min(1, 1000 / size)}) some")
        base = f"/v1/audiences/{audience}/contacts"
        scripts["GET contacts/{id}"].append(
            requests_script(instance.dir, f"get-{size}", "GET", [f"{base}/{id}" for id in some[::2]]))
        scripts["GET contacts"].append(
            requests_script(instance.dir, f"list-{size}", "GET", [f"{base}?cursor={email}" for email in some[1::2]]))
    for what, pair in scripts.items():
        rates = alternately(3, *(lambda s=script: wrk(instance.url, seconds, auth, s) for script in pair))
        for size, rate in zip(sizes, rates):
            row(f"{what} of {size}", f"{rate:.0f}/s", rates[0] / rate, "the time of the first (goal: 1.2)")


def bench_contacts(seconds, sizes=(1000, 1000000)):
    instance = Instance("service.mode=spool")
    try:
        # The quickstart's is that of a toy; a database of a million contacts has room for them.
        instance.sql(FLOOR + ";SET GLOBAL innodb_buffer_pool_size = 512 * 1024 * 1024")
        bench_create(instance, seconds)
        bench_sizes(instance, seconds, sizes)
    finally:
        instance.stop()


FLOOR_JOBS = ("CREATE TABLE posthouse.floor_job (id BINARY(16) PRIMARY KEY, text VARCHAR(200), ready_at BIGINT, KEY (ready_at));"
              "CREATE TABLE posthouse.floor_done (id BINARY(16) PRIMARY KEY, text VARCHAR(200))")
FILL_JOBS = ("TRUNCATE posthouse.floor_job; TRUNCATE posthouse.floor_done; INSERT INTO posthouse.floor_job SELECT UNHEX(LPAD(HEX(seq), 32, '0')),"
             " 'a row of about the size of a small event', seq FROM posthouse.seq_1_to_%d")
WAITING = ("TRUNCATE posthouse.execution; TRUNCATE posthouse.execution_wait; TRUNCATE posthouse.automation_contact;"
           "INSERT INTO posthouse.automation_contact (id, workspace_id, email, address, properties, first_seen, last_seen, last_event,"
           " event_count, created, updated) SELECT UNHEX(LPAD(HEX(seq), 32, '0')), w.workspace_id, CONCAT(seq, '@example.com'),"
           " CONCAT(seq, '@example.com'), '{}', 1, 1, 'order', 1, 1, 1 FROM posthouse.seq_1_to_%d JOIN posthouse.workflow w"
           " WHERE w.name = 'Bench';"
           "INSERT INTO posthouse.execution (id, workspace_id, workflow_id, contact_id, event_id, email, version, status, step_id,"
           " step_count, step_time, ready_at, created, updated) SELECT UNHEX(LPAD(HEX(seq), 32, '0')), w.workspace_id, w.id,"
           " UNHEX(LPAD(HEX(seq), 32, '0')), UNHEX(LPAD(HEX(seq), 32, '0')), CONCAT(seq, '@example.com'), 1, IF(seq > %d, 2, 1),"
           " 't', 1, UNIX_TIMESTAMP() * 1000, IF(seq > %d, 4000000000000 + seq, seq), 1, 1"
           " FROM posthouse.seq_1_to_%d JOIN posthouse.workflow w WHERE w.name = 'Bench'")
DESIGN = {"nodes": [{"id": "t", "type": "trigger", "data": {"eventName": "order"}},
                    {"id": "w", "type": "wait_for_event", "data": {"eventName": "paid", "timeout": {"duration": 4, "unit": "weeks"}}}],
          "edges": [{"source": "t", "target": "w"}]}
EVENT = "'{\"event_name\":\"order\",\"email\":\"{n}@example.com\",\"properties\":{\"plan\":\"pro\"}}'"


def call(instance, method, path, body):
    request = urllib.request.Request(instance.url + path, json.dumps(body).encode(), {"Authorization": "Bearer " + instance.key},
                                     method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def workflow(instance, name, event="order"):
    design = json.loads(json.dumps(DESIGN))
    design["nodes"][0]["data"]["eventName"] = event
    return call(instance, "POST", "/v1/workflows", {"name": name, "design": design, "status": "active"})


def settle(instance):
    """What was filled in is to be on the disk, so that what comes next does not pay for it."""
    instance.sql("SET GLOBAL innodb_max_dirty_pages_pct = 0")
    while int(instance.sql("SHOW STATUS LIKE 'Innodb_buffer_pool_pages_dirty'")[1]) > 100:
        time.sleep(0.1)
    instance.sql("SET GLOBAL innodb_max_dirty_pages_pct = 90")


def steps(instance, mode, count):
    out = subprocess.run([os.path.join(BUILD, "tests/bench/steps"), instance.env["POSTHOUSE_CONFIG"], mode, "4"], check=True,
                         capture_output=True, text=True).stdout
    return count / float(out)


def bench_steps(instance, count=20000):
    def floor():
        instance.sql(FILL_JOBS % count)
        settle(instance)
        return steps(instance, "floor", count)

    def engine():
        instance.sql(WAITING % (count, count, count, count))
        settle(instance)
        return steps(instance, "engine", count)
    least, ours = alternately(3, floor, engine)
    row("floor: claims, inserts and updates 100, 4 jobs", f"{least:.0f}/s")
    row("steps to a wait for an event, 4 jobs", f"{ours:.0f}/s", ours / least, "floor (goal: 0.5)")


def bench_waiting(instance, sizes=(1000, 1000000), due=20000):
    def make_due():
        instance.sql("TRUNCATE posthouse.execution_wait; UPDATE posthouse.execution SET status = 1, step_id = 't', step_count = 1,"
                     f" ready_at = 1, wait_until = NULL WHERE id <= UNHEX(LPAD(HEX({due}), 32, '0'))")
        settle(instance)
        return steps(instance, "engine", due)
    rates = []
    for size in sizes:
        instance.sql(WAITING % (size + due, due, due, size + due))
        rates.append(sorted(make_due() for _ in range(5))[2])
        row(f"steps while {size} executions wait", f"{rates[-1]:.0f}/s", rates[-1] / rates[0], "the first (goal: 0.9)")


def bench_events(instance, seconds):
    auth = {"Authorization": "Bearer " + instance.key}
    script = requests_script(instance.dir, "events", "POST", ["/v1/events"], EVENT)
    floor = Floor("insert", instance.socket)
    try:
        least, ours = alternately(3, lambda: wrk(floor.url + "/", seconds), lambda: wrk(instance.url, seconds, auth, script))
    finally:
        floor.stop()
    row("floor: FastCGI insert", f"{least:.0f}/s")
    row("POST /v1/events that starts an execution", f"{ours:.0f}/s", ours / least, "insert (goal: 0.5)")
    names = [workflow(instance, f"Other {i}", f"other {i}")["workflow_id"] for i in range(1000)]

    def others(active):
        instance.sql("DELETE FROM posthouse.workflow_trigger WHERE event_name LIKE 'other%'")
        if active:
            instance.sql("INSERT INTO posthouse.workflow_trigger SELECT workspace_id, CONCAT('other ', SUBSTR(name, 7)), id, 1"
                         " FROM posthouse.workflow WHERE name LIKE 'Other%'")
        return wrk(instance.url, seconds, auth, script)
    one, many = alternately(3, lambda: others(False), lambda: others(True))
    row(f"events beside {len(names)} workflows that do not match", f"{many:.0f}/s", many / one, "none (goal: 0.9)")


def bench_automation(seconds):
    instance = Instance("service.mode=spool")
    try:
        # The quickstart's is that of a toy; a database of a million executions has room for them.
        instance.sql(FLOOR + ";SET GLOBAL innodb_buffer_pool_size = 1024 * 1024 * 1024;"
                     "SET GLOBAL innodb_log_file_size = 512 * 1024 * 1024")
        instance.sql(FLOOR_JOBS)
        workflow(instance, "Bench")
        bench_events(instance, seconds)
        bench_steps(instance)
        bench_waiting(instance)
    finally:
        instance.stop()


def main():
    parts = {"http": lambda a: bench_http(a.seconds), "drain": lambda a: bench_drain(a.messages),
             "claim": lambda a: bench_claim(), "turns": lambda a: bench_turns(), "contacts": lambda a: bench_contacts(a.seconds),
             "automation": lambda a: bench_automation(a.seconds), "webhooks": lambda a: bench_webhooks(a.messages)}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=list(parts), help="which to measure; all, if none is named")
    parser.add_argument("--seconds", type=int, default=5, help="how long to load each operation")
    parser.add_argument("--messages", type=int, default=10000, help="how many to drain")
    arguments = parser.parse_args()
    for name in arguments.parts or parts:
        parts[name](arguments)


if __name__ == "__main__":
    main()
