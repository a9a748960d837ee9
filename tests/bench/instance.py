# SPDX-License-Identifier: MIT
"""Servers: whole instances of the service, floors in its place, Fastify, Postfix and a sink for mail."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

SRC = os.path.abspath(os.environ.get("srcdir", os.path.join(os.path.dirname(__file__), "..", "..")))
BUILD = os.path.abspath(os.environ.get("builddir", SRC))
# What the floors store, in the database of the instance that they are measured beside.
FLOOR = ("CREATE DATABASE floor; CREATE TABLE floor.row (id INT PRIMARY KEY, text VARCHAR(200));"
         "INSERT INTO floor.row VALUES (1, REPEAT('x', 150));"
         "CREATE TABLE floor.log (id BIGINT PRIMARY KEY AUTO_INCREMENT, text VARCHAR(200));"
         "CREATE TABLE floor.content (id BIGINT PRIMARY KEY AUTO_INCREMENT, bytes MEDIUMBLOB)")


def program(name):
    return os.path.join(BUILD, name)


class Instance:
    """What ./quickstart starts: database, web server with a pool of 8 processes, mail catcher."""

    def __init__(self, *settings, build=BUILD):
        self.dir = tempfile.mkdtemp(prefix="posthouse-bench.")
        self.build = build
        self.settings = []
        for setting in ("service.mode=spool", *settings):
            self.settings += ["--set", setting]
        try:
            self.serve("lighttpd")
        except BaseException:
            self.stop()
            raise

    def serve(self, server):
        """Starts what does not run, behind this web server."""
        subprocess.run([os.path.join(SRC, "quickstart"), "--dir", self.dir, "--port", "0", "--no-demo", "--no-spool",
                        "--server", server, *self.settings], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "POSTHOUSE_BUILD": self.build})
        self.env = dict(os.environ)
        with open(os.path.join(self.dir, "env")) as file:
            for line in file:
                name, _, value = line.strip().removeprefix("export ").partition("=")
                self.env[name] = value.strip("'\"")
        self.url, self.key = self.env["POSTHOUSE_URL"], self.env["POSTHOUSE_KEY"]
        self.auth = {"Authorization": "Bearer " + self.key}
        self.sender = "bench@" + self.env["POSTHOUSE_DOMAIN"]
        self.socket = os.path.join(self.dir, "database.socket")

    def stop(self):
        subprocess.run([os.path.join(SRC, "quickstart"), "stop", "--dir", self.dir], stdout=subprocess.DEVNULL)
        shutil.rmtree(self.dir, ignore_errors=True)

    def sql(self, text):
        out = subprocess.run(["mariadb", "--no-defaults", "-S", self.socket, "-u", "root", "-N", "-B"], check=True, input=text,
                             capture_output=True, text=True)
        return out.stdout.split()

    def give_room(self, mebibytes=512):
        """The quickstart's database is that of a toy."""
        self.sql(f"SET GLOBAL innodb_buffer_pool_size = {mebibytes} * 1024 * 1024;"
                 "SET GLOBAL innodb_log_file_size = 512 * 1024 * 1024")

    def settle(self):
        """What was stored is to be on the disk, so that what comes next does not pay for it."""
        self.sql("SET GLOBAL innodb_io_capacity_max = 40000, innodb_io_capacity = 20000, innodb_max_dirty_pages_pct = 0")
        while int(self.sql("SHOW STATUS LIKE 'Innodb_buffer_pool_pages_dirty'")[1]) > 100:
            time.sleep(0.1)
        self.sql("SET GLOBAL innodb_max_dirty_pages_pct = 90, innodb_io_capacity = 200, innodb_io_capacity_max = 2000")

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, None if body is None else json.dumps(body).encode(), self.auth,
                                         method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def cli(self, *arguments):
        out = subprocess.run([program("posthouse"), *arguments, "--json"], check=True, env=self.env, capture_output=True,
                             text=True).stdout
        return json.loads(out)

    def spool(self):
        subprocess.run([program("posthouse-spool"), "--once"], check=True, env=self.env)

    def processes(self):
        """The pids of the pool, and the workers among them: those whose parent is one of the pool, too."""
        path = os.path.realpath(os.path.join(self.build, "posthouse.fcgi"))
        parents = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
                with open(f"/proc/{entry}/environ") as file:
                    ours = self.dir in file.read()
                if ours and os.path.realpath(f"/proc/{entry}/exe") == path:
                    parents[int(entry)] = parent
            except OSError:
                continue
        return list(parents), [pid for pid, parent in parents.items() if parent in parents]


    def spent(self):
        """The processor time in seconds of all that it runs, and of its processes that have ended: {name of program: seconds}."""
        times = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/environ") as environ, open(f"/proc/{entry}/cmdline") as command:
                    ours = self.dir in environ.read() + command.read()
                with open(f"/proc/{entry}/stat") as file:
                    name, _, rest = file.read().partition("(")[2].rpartition(")")
            except OSError:
                continue
            if ours:
                times[name] = times.get(name, 0) + sum(map(int, rest.split()[11:15])) / os.sysconf("SC_CLK_TCK")
        return times


class Floor(Instance):
    """floor_http in the place of posthouse.fcgi, in an instance that is alike but for this; it uses the database of another."""

    def __init__(self, instance):
        self.programs = tempfile.mkdtemp(prefix="posthouse-floor.")
        for name in ("posthouse", "posthouse-spool"):
            os.symlink(program(name), os.path.join(self.programs, name))
        path = os.path.join(self.programs, "posthouse.fcgi")
        with open(path, "w") as file:
            file.write(f"#!/bin/sh\nexec '{program('tests/bench/floor_http')}' '{instance.socket}' \"$@\"\n")
        os.chmod(path, 0o755)
        super().__init__(build=self.programs)

    def stop(self):
        super().stop()
        shutil.rmtree(self.programs, ignore_errors=True)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    for _ in range(500):
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    sys.exit("bench: a server did not come up")


FASTIFY = """\
CREATE TABLE floor.fastify_key (hash BINARY(32) PRIMARY KEY, workspace INT NOT NULL, revoked BIGINT NULL);
CREATE TABLE floor.fastify_email (id CHAR(36) CHARACTER SET ascii PRIMARY KEY, workspace INT NOT NULL, sender VARCHAR(512),
 recipient VARCHAR(512), subject TEXT, html MEDIUMTEXT, created BIGINT NOT NULL);
CREATE TABLE floor.fastify_event (email_id CHAR(36) CHARACTER SET ascii NOT NULL, timestamp BIGINT NOT NULL,
 status VARCHAR(20) NOT NULL, PRIMARY KEY (email_id, timestamp));
INSERT INTO floor.fastify_key VALUES (UNHEX(SHA2('%s', 256)), 1, NULL)"""


class Fastify:
    """The hand-written service of fastify/, which npm installs in a temporary folder. Raises OSError where it cannot."""

    def __init__(self, instance):
        self.dir = tempfile.mkdtemp(prefix="posthouse-fastify.")
        try:
            self.install()
        except BaseException:
            shutil.rmtree(self.dir, ignore_errors=True)
            raise
        instance.sql(FASTIFY % instance.key)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(["node", "server.mjs", str(self.port), instance.socket], cwd=self.dir,
                                        start_new_session=True)
        wait_for(self.port)

    def install(self):
        for name in ("package.json", "package-lock.json", "server.mjs"):
            shutil.copy(os.path.join(SRC, "tests/bench/fastify", name), self.dir)
        with open(os.path.join(self.dir, "npm.log"), "w+") as log:
            npm = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", "cache",
                                  "--fetch-retries", "1", "--fetch-timeout", "60000"], cwd=self.dir, stdout=log, stderr=log)
            log.seek(0)
            codes = re.findall(r"^npm (?:error|ERR!) code (\S+)", log.read(), flags=re.M)
        if npm.returncode:
            raise OSError("npm cannot install it: " + (codes[0] if codes else f"status {npm.returncode}"))

    def stop(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


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

    def __init__(self, relay_port, more=""):
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
                       "smtp_dns_support_level = disabled\nsmtp_host_lookup = native\nalias_maps =\n" + more)
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
