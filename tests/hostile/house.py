# SPDX-License-Identifier: MIT
"""The installation that is attacked: a whole Posthouse in 512 MB, with two tenants, and what can be seen of it from outside."""

import contextlib
import http.client
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SRC = os.path.abspath(os.environ.get("srcdir", os.path.join(os.path.dirname(__file__), "..", "..")))
BUILD = os.path.abspath(os.environ.get("builddir", SRC))
LIMIT_BYTES = 512 << 20
CGROUPS = ("/sys/fs/cgroup/memory", "/sys/fs/cgroup")
PAGE = resource.getpagesize()

# Rows that are there only in part. Each query counts them.
HALVES = {
    "emails without recipients": "SELECT COUNT(*) FROM email e LEFT JOIN recipient r ON r.email_id = e.id AND r.number = 0 "
                                 "WHERE r.email_id IS NULL",
    "emails without content": "SELECT COUNT(*) FROM email e LEFT JOIN email_part p ON p.email_id = e.id AND p.number = 0 "
                              "LEFT JOIN email_content c ON c.email_id = e.id WHERE p.email_id IS NULL AND c.email_id IS NULL",
    "recipients without email": "SELECT COUNT(*) FROM recipient r LEFT JOIN email e ON e.id = r.email_id WHERE e.id IS NULL",
    "events without recipient": "SELECT COUNT(*) FROM event v LEFT JOIN recipient r ON r.email_id = v.email_id "
                                "AND r.number = v.recipient WHERE r.email_id IS NULL",
    "copies without email": "SELECT COUNT(*) FROM outbox o LEFT JOIN email e ON e.id = o.email_id WHERE e.id IS NULL",
    "copies in limbo": "SELECT COUNT(*) FROM outbox o JOIN event v ON v.email_id = o.email_id WHERE v.status IN (1, 9, 10) "
                       "AND o.ready_at IS NOT NULL AND LENGTH(o.recipients) = 2 "
                       "AND v.recipient = CONV(HEX(o.recipients), 16, 10)",
    "workflows without design": "SELECT COUNT(*) FROM workflow w LEFT JOIN workflow_version v ON v.workflow_id = w.id "
                                "AND v.version = w.current_version WHERE w.deleted IS NULL AND v.workflow_id IS NULL",
    "executions without contact": "SELECT COUNT(*) FROM execution x LEFT JOIN person c ON c.id = x.contact_id "
                                  "WHERE c.id IS NULL AND x.status IN (1, 2)",
    "domains without keys": "SELECT COUNT(*) FROM domain d LEFT JOIN domain_key k ON k.domain_id = d.id WHERE k.id IS NULL",
}


def step_back():
    """What this thread and those that it starts do costs the others little: the attackers have machines of their own."""
    os.nice(10)


def step_forward():
    """The installation's own programs do not step back. Root alone can say so."""
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, 0)


def stat(pid):
    """The fields of /proc/PID/stat behind the name; None where the process is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


class Answer:
    def __init__(self, status, headers=None, body=b""):
        self.status, self.headers, self.body = status, headers or {}, body

    def json(self):
        return json.loads(self.body)

    def message(self):
        try:
            return str(self.json().get("message", ""))
        except ValueError:
            return ""


class Tenant:
    def __init__(self, house, name, domain, key):
        self.house, self.name, self.domain, self.key = house, name, domain, key

    def call(self, method, path, body=None, headers=None, timeout=120):
        """body: bytes as they are, anything else as JSON. Status 0: the connection was closed without an answer."""
        if body is not None and not isinstance(body, (bytes, bytearray)):
            body = json.dumps(body).encode()
        connection = http.client.HTTPConnection(self.house.address, timeout=timeout)
        try:
            connection.request(method, path, body, {"Authorization": "Bearer " + self.key, **(headers or {})})
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        except (OSError, http.client.HTTPException):
            return Answer(0)
        finally:
            connection.close()

    def email(self, **members):
        return {"from": f"me@{self.domain}", "to": "reader@example.net", "subject": "Hello", "html": "<p>Hello", **members}

    def send(self, **members):
        answer = self.call("POST", "/v1/emails", self.email(**members))
        if answer.status != 201:
            raise RuntimeError(f"an email was not taken: {answer.status} {answer.body[:200]}")
        return answer.json()["id"]

    def told(self, email):
        """What became of an email: recipient to its events."""
        entries = self.call("GET", "/v1/emails/" + email).json()["recipient_statuses"]
        return {entry["recipient"]: entry["events"] for entry in entries}


class Cgroup:
    """Limits the memory of web server, pool and spool together; without one each process gets a limit of its own."""

    def __init__(self):
        self.path = None
        for top in CGROUPS:
            path = os.path.join(top, f"posthouse-hostile-{os.getpid()}")
            name = "memory.limit_in_bytes" if top.endswith("memory") else "memory.max"
            try:
                os.mkdir(path)
            except OSError:
                continue
            try:
                with open(os.path.join(path, name), "w") as file:
                    file.write(str(LIMIT_BYTES))
                self.path = path
                return
            except OSError:
                os.rmdir(path)

    def add(self, pid):
        if self.path:
            with open(os.path.join(self.path, "cgroup.procs"), "w") as file:
                file.write(str(pid))
        else:
            resource.prlimit(pid, resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))

    def kills(self):
        """How many processes the kernel has killed for it."""
        for name in ("memory.oom_control", "memory.events"):
            try:
                with open(os.path.join(self.path or "", name)) as file:
                    return sum(int(line.split()[1]) for line in file if line.startswith("oom_kill "))
            except OSError:
                continue
        return 0

    def remove(self):
        for _ in range(100 if self.path else 0):
            try:
                return os.rmdir(self.path)
            except OSError:
                time.sleep(0.05)


class House:
    """long: not the short form."""

    def __init__(self, long):
        self.long = long
        # On a disk: what is kept in memory counts as memory of the cgroup.
        self.top = tempfile.mkdtemp(prefix="posthouse-hostile.", dir="/var/tmp")
        self.dir = os.path.join(self.top, "run")
        self.cgroup = Cgroup()
        self.spools = []
        self.peak = 0
        self.pauses = []
        self.watching = True
        self.watcher = self.asking = None

    def start(self, relay, names, web):
        """relay, names and web: what the installation talks to."""
        self.relay, self.names, self.site = relay, names, web
        options = ["--dir", self.dir, "--port", "0", "--no-demo", "--no-spool", "--no-smtp"]
        for setting in (
                "service.mode=spool", "service.recycle=0", f"smtp.port={relay.port}", "smtp.final=no",
                f"dns.servers=127.0.0.1:{names.port}", f"fetch.allow={web.address}/32",
                "limits.large_requests=1"):  # 512 MB are enough for one of the largest
            options += ["--set", setting]
        self.quickstart(*options)
        self.env = dict(os.environ)
        with open(os.path.join(self.dir, "env")) as file:
            for line in file:
                name, _, value = line.strip().partition("=")
                self.env[name] = value.strip("'\"")
        self.address = self.env["POSTHOUSE_URL"].removeprefix("http://")
        for pid in self.web():
            self.cgroup.add(pid)
        self.neighbour = Tenant(self, "Quickstart", self.env["POSTHOUSE_DOMAIN"], self.env["POSTHOUSE_KEY"])
        self.hostile = self.tenant("Hostile", "hostile.example")
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()
        self.asked = os.path.join(self.top, "asked")
        with open(self.asked, "w") as file:
            self.asking = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(__file__), "neighbour.py"), self.address,
                                            self.neighbour.key, f"me@{self.neighbour.domain}"], stdout=file)

    def quickstart(self, *arguments):
        subprocess.run([os.path.join(SRC, "quickstart"), *arguments], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "POSTHOUSE_BUILD": BUILD})

    def stop(self):
        self.watching = False
        if self.asking:
            self.asking.kill()
            self.asking.wait()
        if self.watcher:
            self.watcher.join()
        for process in self.spools:
            self.end(process)
        stopped = subprocess.run([os.path.join(SRC, "quickstart"), "stop", "--dir", self.dir], check=False, stdout=subprocess.DEVNULL)
        self.cgroup.remove()
        shutil.rmtree(self.top, ignore_errors=True)
        stopped.check_returncode()  # a sanitizer's report

    def tenant(self, name, domain):
        self.posthouse("workspace", "create", name, "--from", f"hello@{domain}")
        self.posthouse("user", "add", f"you@{domain}", "--workspace", name)
        said = self.posthouse("key", "create", "--user", f"you@{domain}", "--workspace", name)
        self.posthouse("domain", "add", domain, "--workspace", name)
        self.posthouse("domain", "trust", domain, "--workspace", name)
        return Tenant(self, name, domain, next(word for word in said.split() if word.startswith("ph_")))

    def posthouse(self, *arguments, stdin="", statuses=(0,)):
        done = subprocess.run([os.path.join(BUILD, "posthouse"), *arguments], env=self.env, input=stdin, capture_output=True,
                              encoding="utf-8", errors="replace", preexec_fn=step_forward)
        if done.returncode not in statuses:
            raise RuntimeError(f"posthouse {arguments[0]} {arguments[1]}: {done.returncode} {done.stderr[-500:]}")
        return done.stdout

    def variant(self, name, **settings):
        """The settings file with others in it; section.key with a double underscore for the dot. The caller passes its path on."""
        wanted = {key.replace("__", "."): value for key, value in settings.items()}
        path = os.path.join(self.dir, name + ".conf")
        section = ""
        with open(self.env["POSTHOUSE_CONFIG"]) as old, open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as new:
            for line in old:
                if line.startswith("["):
                    section = line.strip()[1:-1]
                key = f"{section}.{line.lstrip('#').partition(' = ')[0]}"
                value = wanted.pop(key, None)
                new.write(line if value is None else f"{key.partition('.')[2]} = {value}\n")
        if wanted:
            raise RuntimeError(f"no such setting: {wanted}")
        return path

    def spool(self, *arguments, wait=60):
        """Runs posthouse-spool; returns its exit status, or None where it had not ended in time. wait 0: returns the process."""
        with open(os.path.join(self.dir, "log", "spool.log"), "a") as log:
            process = subprocess.Popen([os.path.join(BUILD, "posthouse-spool"), *arguments], env=self.env, stdout=log, stderr=log,
                                       start_new_session=True, preexec_fn=step_forward)
        self.cgroup.add(process.pid)
        self.spools.append(process)
        if not wait:
            return process
        try:
            return process.wait(wait)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.end(process)

    def end(self, process):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process in self.spools:
            self.spools.remove(process)

    def sql(self, query):
        out = subprocess.run(["mariadb", "--no-defaults", "-S", os.path.join(self.dir, "database.socket"), "-u", "root", "-N", "-B",
                              "posthouse", "-e", query], check=True, capture_output=True, encoding="utf-8", errors="replace").stdout
        return [line.split("\t") for line in out.splitlines()]

    def number(self, query):
        return int(self.sql(query)[0][0])

    def pid(self, name):
        with open(os.path.join(self.dir, "pids", name)) as file:
            return int(file.read().split()[0])

    def family(self, *leaders):
        """The living processes of the sessions of these."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            fields = stat(name)
            if fields and fields[0] != "Z" and int(fields[3]) in leaders:
                found.append(int(name))
        return sorted(found)

    def web(self):
        return self.family(self.pid("server"))

    def must_live(self):
        return [*self.web(), *self.family(self.pid("database"))]

    def watch(self):
        """Keeps the most memory that web server, pool and spools had together, without what they share."""
        while self.watching:
            total = 0
            for pid in self.family(self.pid("server"), *(process.pid for process in list(self.spools))):
                try:
                    with open(f"/proc/{pid}/statm") as file:
                        fields = file.read().split()
                    total += (int(fields[1]) - int(fields[2])) * PAGE
                except (OSError, IndexError):
                    continue
            self.peak = max(self.peak, total)
            time.sleep(0.05)

    def scale(self, short, long):
        return long if self.long else short

    def wait_for(self, ready, seconds=240):
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end:
                raise RuntimeError(f"nothing came within {seconds} s")
            time.sleep(0.02)

    @contextlib.contextmanager
    def quiet(self):
        """The other tenant rests; what it asked just before does not count."""
        begin = time.monotonic()
        self.asking.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.asking.send_signal(signal.SIGCONT)
            self.pauses.append((begin, time.monotonic()))

    def samples(self, begin, end):
        """(method, milliseconds, status) of each request of the other tenant that began then and saw no pause."""
        found = []
        with open(self.asked) as file:
            for line in file:
                if not line.endswith("\n"):
                    break
                at, method, took, status = line.split()
                at, took = float(at), float(took)
                if begin <= at < end and not any(a <= at + took / 1000 and at <= b for a, b in self.pauses):
                    found.append((method, took, int(status)))
        return found

    def forget_outbox(self):
        self.sql("DELETE o FROM outbox o JOIN workspace w ON w.id = o.workspace_id WHERE w.name = 'Hostile'")

    def wake_relays(self):
        """None rests any more."""
        for name in os.listdir(os.path.join(self.dir, "spool")):
            if name.startswith("relay"):
                os.unlink(os.path.join(self.dir, "spool", name))

    def halves(self):
        query = " UNION ALL ".join(f"SELECT '{name}', ({count})" for name, count in HALVES.items())
        return [f"{count} {name}" for name, count in self.sql(query) if count != "0"]
