# SPDX-License-Identifier: MIT
"""What a cluster has: nodes of the database, machines with a web host and spools, HAProxy in front of both, and clients."""

import http.client
import json
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

SRC = os.path.abspath(os.environ.get("srcdir", os.path.join(os.path.dirname(__file__), "..", "..")))
BUILD = os.path.abspath(os.environ.get("builddir", "."))
PROVIDER = "/usr/lib/galera/libgalera_smm.so"
PASSWORD = "cluster"


def free_ports(count):
    """Below those that the kernel gives to connections, which would be taken again before a server has started."""
    ports = []
    while len(ports) < count:
        with socket.socket() as s:
            port = random.randrange(10000, 32000)
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
            ports += [port] * (port not in ports)
    return ports


def user_of_nodes():
    """rsync, by which a node gets its state, does not work as root."""
    if os.getuid() != 0:
        return pwd.getpwuid(os.getuid()).pw_name
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "mysql" if "mysql" in names else "nobody"


class Node:
    def __init__(self, top, number, ports):
        self.number, self.ports = number, ports
        self.dir = os.path.join(top, f"node{number}")
        self.socket = os.path.join(self.dir, "s.sock")
        os.makedirs(os.path.join(self.dir, "tmp"))
        self.user = user_of_nodes()
        self.process = None
        if os.getuid() == 0:
            shutil.chown(self.dir, self.user)
            shutil.chown(os.path.join(self.dir, "tmp"), self.user)
        subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={self.dir}/data", f"--user={self.user}",
                        "--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=16M"],
                       check=True, capture_output=True, env={**os.environ, "TMPDIR": os.path.join(self.dir, "tmp")})

    def start(self, cluster, first=False):
        sql, base, ist, sst = self.ports
        self.process = subprocess.Popen(
            ["mariadbd", "--no-defaults", f"--user={self.user}", f"--datadir={self.dir}/data", f"--socket={self.socket}",
             f"--tmpdir={self.dir}/tmp", f"--pid-file={self.dir}/pid", "--bind-address=127.0.0.1", f"--port={sql}", "--log-warnings=0", "--open-files-limit=1024",
             "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=16M", "--performance-schema=0", "--binlog-format=ROW",
             "--innodb-autoinc-lock-mode=2", "--wsrep-on=ON", f"--wsrep-provider={PROVIDER}", "--wsrep-cluster-name=posthouse",
             f"--wsrep-cluster-address=gcomm://{','.join(cluster)}", f"--wsrep-node-address=127.0.0.1:{base}",
             f"--wsrep-provider-options=base_port={base};gmcast.listen_addr=tcp://127.0.0.1:{base};"
             f"ist.recv_addr=127.0.0.1:{ist};ist.recv_bind=127.0.0.1:{ist}",
             f"--wsrep-sst-receive-address=127.0.0.1:{sst}", "--wsrep-sst-method=rsync", f"--log-error={self.dir}/err.log",
             *(["--wsrep-new-cluster"] if first else [])], start_new_session=True)
        self.wait()

    def wait(self):
        for _ in range(600):
            try:
                if self.sql("SHOW STATUS LIKE 'wsrep_local_state_comment'")[0][1] == "Synced":
                    return
            except (subprocess.CalledProcessError, IndexError):
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        with open(os.path.join(self.dir, "err.log")) as file:
            sys.stderr.write("".join(file.readlines()[-20:]))
        sys.exit(f"galera: node {self.number} did not come up")

    def sql(self, query, database="mysql"):
        out = subprocess.run(["mariadb", "--no-defaults", "-S", self.socket, "-u", "root", "-N", "-B", database, "-e", query],
                             check=True, capture_output=True, text=True).stdout
        return [line.split("\t") for line in out.splitlines()]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:  # it waits for the others
                self.kill()


def run_alone(command, log):
    """Starts a program in a process group of its own."""
    with open(log, "a") as file:
        return subprocess.Popen(command, start_new_session=True, stdout=file, stderr=file)


def end_group(process, number=signal.SIGKILL):
    if process and process.poll() is None:
        os.killpg(process.pid, number)
        process.wait()


class Machine:
    """A machine beside a node: settings, spool folder, spools, and a web host. port: of its database, a node's or HAProxy's."""

    def __init__(self, top, number, secret, relay_port, port):
        self.number, self.port = number, port
        self.dir = os.path.join(top, f"machine{number}")
        os.makedirs(os.path.join(self.dir, "spool"), 0o700)
        self.config = os.path.join(self.dir, "posthouse.conf")
        with open(os.path.join(self.dir, "secret"), "w", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(secret)
        with open(self.config, "w", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(f"[database]\nhost=127.0.0.1\nport={port}\nuser=posthouse\npassword={PASSWORD}\n[smtp]\nhost=127.0.0.1\nport={relay_port}\n"
                       f"tls=none\ntimeout=5\n[service]\nmode=spool\nsecret_file={self.dir}/secret\n[spool]\ndir={self.dir}/spool\nlease=30\n"
                       "batch=20\n[limits]\nrequests_per_second=0\nkey_requests_per_second=0\nemails_per_hour=0\nemails_per_day=0\n")
        self.spools, self.server, self.web_port = [], None, free_ports(1)[0]

    def run(self, program, *arguments):
        return subprocess.run([os.path.join(BUILD, program), "--config", self.config, *arguments], check=True,
                              capture_output=True, text=True).stdout

    def start_spool(self, *arguments):
        self.spools.append(run_alone([os.path.join(BUILD, "posthouse-spool"), "--config", self.config, *arguments], f"{self.dir}/spool.log"))

    def wait(self):
        for spool in self.spools:
            spool.wait()
        self.spools.clear()

    def start_web(self):
        """A web host by the sample of apache/, with two pools of two workers."""
        with open(os.path.join(SRC, "apache", "lighttpd.conf")) as file:
            sample = file.read()
        for word, value in (("program", os.path.join(BUILD, "posthouse.fcgi")), ("config", self.config), ("socket", f"{self.dir}/pool"),
                            ("workers", "2"), ("dashboard", self.dir), ("samples", os.path.join(SRC, "apache"))):
            sample = sample.replace(f"@{word}@", value)
        path = os.path.join(self.dir, "lighttpd.conf")
        with open(path, "w") as file:
            file.write(f'server.bind = "127.0.0.1"\nserver.port = {self.web_port}\nserver.document-root = "{self.dir}"\n'
                       f'server.upload-dirs = ("{self.dir}")\n{sample}')
        self.server = run_alone(["lighttpd", "-D", "-f", path], f"{self.dir}/web.log")

    def kill_web(self):
        end_group(self.server)

    def kill_spools(self):
        for spool in self.spools:
            end_group(spool)
        self.spools.clear()


class Balancer:
    """HAProxy, with the settings of doc/cluster.md: the web hosts, and one database of which the other nodes are the backup."""

    def __init__(self, top):
        self.dir, self.process = top, None
        self.port, self.database_port = free_ports(2)

    def start(self, nodes, machines):
        path = os.path.join(self.dir, "haproxy.cfg")
        servers = "".join(f"    server node{node.number} 127.0.0.1:{node.ports[0]} check inter 1s fall 2 rise 2"
                          f" on-marked-down shutdown-sessions{' backup' if node.number else ''}\n" for node in nodes)
        webs = "".join(f"    server web{machine.number} 127.0.0.1:{machine.web_port} check inter 2s fall 2 rise 2\n" for machine in machines)
        with open(path, "w") as file:
            file.write(f"defaults\n    timeout connect 5s\n    timeout client 180s\n    timeout server 180s\n    timeout check 2s\n"
                       f"listen database\n    bind 127.0.0.1:{self.database_port}\n    mode tcp\n    option mysql-check user haproxy\n{servers}"
                       f"listen web\n    bind 127.0.0.1:{self.port}\n    mode http\n    balance leastconn\n    option httpchk GET /health\n"
                       f"    http-check expect status 200\n    option redispatch\n    retries 2\n{webs}")
        self.process = run_alone(["haproxy", "-db", "-f", path], f"{self.dir}/haproxy.log")

    def kill(self):
        end_group(self.process)


class Client(threading.Thread):
    """Sends emails one after the other, and repeats each request with its key until it is answered 201."""

    def __init__(self, number, port, key, pause=0.0):
        super().__init__(daemon=True)
        self.number, self.port, self.key, self.pause = number, port, key, pause
        self.ending, self.connection = threading.Event(), None
        self.done, self.troubles, self.ids = [], 0, []  # done: when each was answered

    def ask(self, body, name):
        try:
            if not self.connection:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            self.connection.request("POST", "/v1/emails", body, {"Authorization": "Bearer " + self.key, "Idempotency-Key": name})
            answer = self.connection.getresponse()
            content = answer.read()
            if answer.status == 201:
                return json.loads(content)["id"]
            if 400 <= answer.status < 500 and answer.status != 429 and answer.status != 409:
                sys.exit(f"galera: {answer.status} {content}")
        except (OSError, http.client.HTTPException):
            pass
        if self.connection:
            self.connection.close()
        self.connection = None
        return None

    def run(self):
        count = 0
        while not self.ending.is_set():
            count += 1
            body = json.dumps({"from": "a@galera.example", "to": ["user@example.net"], "subject": f"{self.number}.{count}", "html": "<p>" + "x" * 1000})
            while not (got := self.ask(body, f"client-{self.number}-{count}")):
                self.troubles += 1
                time.sleep(0.1)
            self.ids.append(got)
            self.done.append(time.monotonic())
            if self.pause:
                time.sleep(self.pause)

    def end(self):
        self.ending.set()
        self.join()
