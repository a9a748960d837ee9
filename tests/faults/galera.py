#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The drain of the outbox on a Galera cluster of three nodes, with spools on each, while a node is killed and joins again.

Each node stands for a machine: its spools have a spool folder of their own, and know only their own node's database. Then
events of the same people come to all nodes at once.
"""

import argparse
import collections
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from relay import Relay

BUILD = os.path.abspath(os.environ.get("builddir", "."))
PROVIDER = "/usr/lib/galera/libgalera_smm.so"
FINAL = (1, 9, 10)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Node:
    def __init__(self, top, number, ports):
        self.number, self.ports = number, ports
        self.dir = os.path.join(top, f"node{number}")
        self.socket = os.path.join(self.dir, "s.sock")
        os.makedirs(os.path.join(self.dir, "tmp"))
        self.user = "mysql" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
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
            self.process.wait()


class Machine:
    """What runs beside a node: settings, spool folder, spools."""

    def __init__(self, top, node, secret, relay_port):
        self.node = node
        self.dir = os.path.join(top, f"machine{node.number}")
        os.makedirs(os.path.join(self.dir, "spool"), 0o700)
        self.config = os.path.join(self.dir, "posthouse.conf")
        with open(os.path.join(self.dir, "secret"), "w", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(secret)
        with open(self.config, "w", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(f"[database]\nsocket={node.socket}\nuser=root\n[smtp]\nhost=127.0.0.1\nport={relay_port}\ntls=none\n"
                       f"timeout=5\n[service]\nsecret_file={self.dir}/secret\n[spool]\ndir={self.dir}/spool\nlease=120\nbatch=20\n")
        self.spools = []

    def run(self, program, *arguments):
        return subprocess.run([os.path.join(BUILD, program), "--config", self.config, *arguments], check=True,
                              capture_output=True, text=True).stdout

    def start_spool(self, *arguments):
        self.spools.append(subprocess.Popen([os.path.join(BUILD, "posthouse-spool"), "--config", self.config, *arguments],
                                            stderr=subprocess.DEVNULL))

    def wait(self):
        for spool in self.spools:
            spool.wait()
        self.spools.clear()


def reckon(node, relay, expected):
    dots = collections.defaultdict(list)
    for dot in relay.dots:
        if dot.accepted:
            dots[dot.envelope_id].append(dot)
    rows = node.sql("SELECT LOWER(HEX(e.id)), SUM(v.status IN (1, 9, 10)) FROM email e LEFT JOIN event v ON v.email_id = e.id"
                    " GROUP BY e.id", "posthouse")
    result, faults = collections.Counter(emails=len(rows)), []
    if len(rows) != expected:
        faults.append(f"{len(rows)} emails are there, {expected} were accepted")
    for text, states in rows:
        email = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
        if states != "1" or not dots[email]:
            result["lost"] += 1
            faults.append(f"{email}: {states} final states, taken {len(dots[email])} times")
        if len(dots[email]) > 1:
            known = any(dot.acknowledged for dot in dots[email][:-1])
            result["doubled" if known else "uncertain"] += 1
            if known:
                faults.append(f"{email}: taken {len(dots[email])} times")
    return result, faults


DESIGN = {"nodes": [{"id": "t", "type": "trigger", "data": {"eventName": "order", "dedupe_window": 0}},
                    {"id": "w", "type": "wait", "data": {"duration": 1, "unit": "weeks"}}], "edges": [{"source": "t", "target": "w"}]}


def send_events(machine, count, codes):
    for i in range(count):
        codes.append(subprocess.run([os.path.join(BUILD, "posthouse"), "--config", machine.config, "event", "send", "order",
                                     f"{i % 3}@example.com", f"number={i}"], capture_output=True).returncode)


def meet(machines, count):
    """Events of the same three people come to all nodes at once: each is stored whole and once, or not at all."""
    design = os.path.join(machines[0].dir, "order.json")
    with open(design, "w") as file:
        json.dump(DESIGN, file)
    machines[0].run("posthouse", "workflow", "put", design, "--activate")
    codes = []
    senders = [threading.Thread(target=send_events, args=(machine, count, codes)) for machine in machines for _ in range(2)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    events, times, executions, counted = (int(cell) for cell in machines[0].node.sql(
        "SELECT (SELECT COUNT(*) FROM automation_event), (SELECT COUNT(DISTINCT contact_id, timestamp) FROM automation_event),"
        " (SELECT COUNT(*) FROM execution), (SELECT SUM(event_count) FROM person)", "posthouse")[0])
    done, refused = codes.count(0), len(codes) - codes.count(0)
    print(f"events     {events} of {len(codes)}, {refused} not taken")
    faults = []
    if not done <= events <= done + refused:
        faults.append(f"{events} events are there, {done} were taken")
    for name, got in (("times", times), ("executions", executions), ("counted", counted)):
        if got != events:
            faults.append(f"{name}: {got}, but {events} events")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--emails", type=int, default=3000)
    parser.add_argument("--events", type=int, default=100, help="of each of two clients on each node")
    arguments = parser.parse_args()
    for need in (PROVIDER, "/usr/bin/rsync"):
        if not os.path.exists(need):
            sys.exit(f"galera: {need} is missing: install the packages mariadb-server, galera-4 and rsync")
    top = tempfile.mkdtemp(prefix="posthouse-galera.")
    os.chmod(top, 0o755)
    relay = Relay(1)
    ports = free_ports(12)
    nodes = [Node(top, i, ports[4 * i:4 * i + 4]) for i in range(3)]
    cluster = [f"127.0.0.1:{node.ports[1]}" for node in nodes]
    faults = ["it did not come to the end"]
    try:
        nodes[0].start(cluster, first=True)
        for node in nodes[1:]:
            node.start(cluster)
        nodes[0].sql("CREATE DATABASE posthouse CHARACTER SET utf8mb4")
        secret = "0123456789abcdef0123456789abcdef\n"
        machines = [Machine(top, node, secret, relay.port) for node in nodes]
        first = machines[0]
        first.run("posthouse", "schema", "migrate")
        first.run("posthouse", "workspace", "create", "galera")
        first.run("posthouse", "user", "add", "user@galera.example")
        first.run("posthouse", "domain", "add", "galera.example")
        first.run("posthouse", "domain", "trust", "galera.example")
        subprocess.run([os.path.join(BUILD, "tests/bench/fill"), first.config, "", "spool@galera.example",
                        str(arguments.emails)], check=True)
        # Spools on every node; in the middle of it the third node dies, and joins again.
        for machine in machines:
            machine.start_spool("--for", "15", "--jobs", "2")
        while len(relay.dots) < arguments.emails // 4:
            time.sleep(0.05)
        nodes[2].kill()
        print(f"killed node 3 after {len(relay.dots)} messages", flush=True)
        time.sleep(2)
        nodes[2].start(cluster)
        print(f"it has joined again, after {len(relay.dots)} messages", flush=True)
        for machine in machines:
            machine.wait()
        # What machines that lost their node had claimed, each settles itself; then whatever is left.
        now = int(time.time() * 1000)
        for ahead in (1, 3, 10, 30, 60, 120):
            for machine in machines:
                machine.start_spool("--once", "--now", str(now + ahead * 60000))
            for machine in machines:
                machine.wait()
        result, faults = reckon(nodes[0], relay, arguments.emails)
        left = int(nodes[0].sql("SELECT COUNT(*) FROM outbox", "posthouse")[0][0])
        if left:
            faults.insert(0, f"{left} copies are left in the outbox")
        for name in ("emails", "lost", "doubled", "uncertain"):
            print(f"{name:10} {result[name]}")
        faults += meet(machines, arguments.events)
        for fault in faults[:20]:
            print(f"FAULT {fault}")
    finally:
        for machine in locals().get("machines", []):
            for spool in machine.spools:
                spool.kill()
        for node in reversed(nodes):
            node.stop()
        shutil.rmtree(top, ignore_errors=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
