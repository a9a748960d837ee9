#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Posthouse on a Galera cluster of three nodes, with a web host and spools beside each, and HAProxy in front.

Emails come through HAProxy while each part fails in turn: how long does it take until emails are taken again, and until they leave again? Then
nodes are killed while an outbox is drained, and events of the same people come to all nodes at once. Nothing is lost or doubled. At last the
throughput with one, two and three nodes.
"""

import argparse
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from cluster import BUILD, PASSWORD, PROVIDER, Balancer, Client, Machine, Node, end_group, free_ports
from relay import Relay


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


def meet(node, machines, count):
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
    events, times, executions, counted = (int(cell) for cell in node.sql(
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


class Cluster:
    """nodes: how many; each machine has its own node if apart, else all have HAProxy's."""

    def __init__(self, count, apart):
        self.top = tempfile.mkdtemp(prefix="posthouse-galera.")
        os.chmod(self.top, 0o755)
        self.relay, self.balancer, self.machines = Relay(1), Balancer(self.top), []
        ports = free_ports(4 * count)
        self.nodes = [Node(self.top, i, ports[4 * i:4 * i + 4]) for i in range(count)]
        self.addresses = [f"127.0.0.1:{node.ports[1]}" for node in self.nodes]
        try:
            self.begin(apart)
        except BaseException:
            self.stop()
            raise

    def begin(self, apart):
        for i, node in enumerate(self.nodes):
            node.start(self.addresses, first=i == 0)
        self.nodes[0].sql(f"CREATE DATABASE posthouse CHARACTER SET utf8mb4; CREATE USER haproxy@'127.0.0.1'; CREATE USER posthouse@'127.0.0.1'"
                          f" IDENTIFIED BY '{PASSWORD}'; GRANT ALL ON posthouse.* TO posthouse@'127.0.0.1'")
        secret = "0123456789abcdef0123456789abcdef\n"
        self.machines = [Machine(self.top, node.number, secret, self.relay.port, node.ports[0] if apart else self.balancer.database_port)
                         for node in self.nodes]
        self.balancer.start(self.nodes, self.machines)
        first = self.machines[0]
        if not apart:
            time.sleep(3)  # HAProxy looks for the nodes
        for arguments in (("schema", "migrate"), ("workspace", "create", "galera"), ("user", "add", "user@galera.example"),
                          ("domain", "add", "galera.example"), ("domain", "trust", "galera.example")):
            first.run("posthouse", *arguments)
        self.key = first.run("posthouse", "key", "create", "--user", "user@galera.example").splitlines()[0]
        for machine in self.machines:
            machine.start_web()

    def fill(self, count):
        subprocess.run([os.path.join(BUILD, "tests/bench/fill"), self.machines[0].config, "", "spool@galera.example", str(count)], check=True)

    def await_web(self):
        """Until each web host is in HAProxy's list."""
        client, streak = Client(0, self.balancer.port, self.key), 0
        body = json.dumps({"from": "a@galera.example", "to": ["user@example.net"], "subject": "first", "html": "<p>x"})
        while streak < 20:
            got = client.ask(body, "first")
            streak = streak + 1 if got else 0
            time.sleep(0.1)
        time.sleep(4)
        return [got]

    def settle(self):
        """Whatever is left leaves."""
        now = int(time.time() * 1000)
        for ahead in (1, 3, 10, 30, 60, 120):
            for machine in self.machines:
                machine.start_spool("--once", "--now", str(now + ahead * 60000))
            for machine in self.machines:
                machine.wait()

    def judge(self, expected):
        result, faults = reckon(self.nodes[0], self.relay, expected)
        left = int(self.nodes[0].sql("SELECT COUNT(*) FROM outbox", "posthouse")[0][0])
        if left:
            faults.insert(0, f"{left} copies are left in the outbox")
        print("  ".join(f"{name} {result[name]}" for name in ("emails", "lost", "doubled", "uncertain")), flush=True)
        return faults

    def stop(self):
        for machine in self.machines:
            machine.kill_spools()
            machine.kill_web()
        self.balancer.kill()
        for node in reversed(self.nodes):
            if node.process:
                node.process.send_signal(signal.SIGCONT)
            node.stop()
        self.relay.down()
        shutil.rmtree(self.top, ignore_errors=True)


def longest_gap(times, begin, end):
    """The longest time between two neighbours, from begin to end."""
    times = sorted(moment for moment in times if begin <= moment <= end)
    return max((b - a for a, b in zip([begin, *times], [*times, end])), default=0)


def break_parts(cluster):
    """Each breaks one part and mends it again, so that the next finds all of them."""
    nodes, machines, relay, balancer = cluster.nodes, cluster.machines, cluster.relay, cluster.balancer

    def web():
        machines[0].kill_web()
        yield 10
        machines[0].start_web()

    def writer():
        nodes[0].kill()
        yield 15
        nodes[0].start(cluster.addresses)

    def other_node():
        nodes[2].kill()
        yield 10
        nodes[2].start(cluster.addresses)

    def hanging():
        nodes[0].process.send_signal(signal.SIGSTOP)
        yield 20
        nodes[0].process.send_signal(signal.SIGCONT)
        nodes[0].wait()

    def spool():
        machines[0].kill_spools()
        yield 5
        machines[0].start_spool("--for", "0", "--jobs", "1")

    def relay_down():
        relay.down()
        yield 5
        relay.up()

    def front():
        balancer.kill()
        yield 2
        balancer.start(nodes, machines)

    return (("a web host is killed", web), ("the node that all write to is killed", writer), ("another node is killed", other_node),
            ("the node that all write to hangs", hanging), ("the spools of a machine are killed", spool), ("the relay is away for 5 s", relay_down),
            ("HAProxy is away for 2 s", front))


def fail(arguments):
    """Emails through HAProxy, while each part fails."""
    cluster = Cluster(3, apart=False)
    try:
        ids = set(cluster.await_web())
        for machine in cluster.machines:
            machine.start_spool("--for", "0", "--jobs", "1")
        clients = [Client(i, cluster.balancer.port, cluster.key, pause=0.05) for i in range(1, 5)]
        for client in clients:
            client.start()
        time.sleep(5)
        print(f"{'part':40} {'taken again':>12} {'left again':>12} {'repeated':>10}")
        for name, part in break_parts(cluster):
            steps, begin, before = part(), time.monotonic(), sum(client.troubles for client in clients)
            time.sleep(next(steps))
            for _ in steps:
                pass
            time.sleep(6)
            end = time.monotonic()
            taken = longest_gap([moment for client in clients for moment in client.done], begin, end)
            left = longest_gap([dot.time for dot in cluster.relay.dots], begin, end)
            print(f"{name:40} {taken:10.1f} s {left:10.1f} s {sum(client.troubles for client in clients) - before:10}", flush=True)
        for client in clients:
            client.end()
            ids.update(client.ids)
        for machine in cluster.machines:
            for spool in machine.spools:
                end_group(spool, signal.SIGTERM)
            machine.spools.clear()
        cluster.settle()
        accepted = 1 + sum(len(client.ids) for client in clients)
        faults = cluster.judge(accepted)
        if len(ids) != accepted:
            faults.append(f"{accepted} requests were answered with {len(ids)} emails")
        return faults
    finally:
        cluster.stop()


def drain(arguments):
    """A full outbox, spools on each node, and a node that dies and joins again; then events of the same people."""
    cluster = Cluster(3, apart=True)
    try:
        cluster.fill(arguments.emails)
        for machine in cluster.machines:
            machine.start_spool("--for", "15", "--jobs", "2")
        while len(cluster.relay.dots) < arguments.emails // 4:
            time.sleep(0.05)
        cluster.nodes[2].kill()
        print(f"killed node 3 after {len(cluster.relay.dots)} messages", flush=True)
        time.sleep(2)
        cluster.nodes[2].start(cluster.addresses)
        print(f"it has joined again, after {len(cluster.relay.dots)} messages", flush=True)
        for machine in cluster.machines:
            machine.wait()
        cluster.settle()
        faults = cluster.judge(arguments.emails)
        return faults + meet(cluster.nodes[0], cluster.machines, arguments.events)
    finally:
        cluster.stop()


def measure(count, apart, seconds, emails):
    """Emails taken a second through HAProxy, and messages that leave a second, with so many nodes and machines."""
    cluster = Cluster(count, apart)
    try:
        cluster.await_web()
        clients = [Client(i, cluster.balancer.port, cluster.key) for i in range(1, 13)]
        for client in clients:
            client.start()
        time.sleep(2)
        begin = time.monotonic()
        time.sleep(seconds)
        end = time.monotonic()
        for client in clients:
            client.end()
        taken = sum(begin <= moment <= end for client in clients for moment in client.done) / seconds
        waiting = int(cluster.nodes[0].sql("SELECT COUNT(*) FROM outbox", "posthouse")[0][0])
        cluster.fill(max(emails - waiting, 0))
        waiting, sent = max(emails, waiting), len(cluster.relay.dots)
        begin = time.monotonic()
        for machine in cluster.machines:
            machine.start_spool("--once", "--jobs", "2")
        for machine in cluster.machines:
            machine.wait()
        left = (len(cluster.relay.dots) - sent) / (cluster.relay.dots[-1].time - begin)
        how = "each machine writes to its node" if apart else "all write to one node"
        print(f"{count} node{'s' if count > 1 else ' '} {how:32} {taken:8.0f} emails taken/s {left:8.0f} messages left/s", flush=True)
    finally:
        cluster.stop()


def throughput(arguments):
    for count, apart in ((1, False), (2, False), (3, False), (2, True), (3, True)):
        measure(count, apart, arguments.seconds, arguments.emails)
    return []


PARTS = {"fail": fail, "drain": drain, "throughput": throughput}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all, if none is named")
    parser.add_argument("--emails", type=int, default=3000, help="in the outbox that is drained")
    parser.add_argument("--events", type=int, default=100, help="of each of two clients on each node")
    parser.add_argument("--seconds", type=int, default=10, help="of load in each measurement of the throughput")
    arguments = parser.parse_args()
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for need in (PROVIDER, "wsrep_sst_rsync", "rsync", "haproxy", "lighttpd"):
        if not shutil.which(need) and not os.path.exists(need):
            sys.exit(f"galera: {need} is missing: install the packages mariadb-server, galera-4, rsync, haproxy and lighttpd")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all that runs is stopped
    faults = []
    for name in arguments.parts or PARTS:
        print(f"-- {name}", flush=True)
        faults += PARTS[name](arguments)
    for fault in faults[:20]:
        print(f"FAULT {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
