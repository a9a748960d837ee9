#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pool's first process is killed again and again while four clients send: the service is back after each kill, under
lighttpd, and with spawn-fcgi under a supervisor that starts it again. KILLS says how often (30)."""
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

KILLS = int(os.environ.get("KILLS", "30"))
BACK_S = 2  # what is promised
PATIENCE_S = 120  # what a busy machine may take on top of it before a kill counts as one too many
TOP = os.path.abspath(os.environ["srcdir"])
EMAIL = {"from": "a@posthouse.example", "to": "b@example.net", "subject": "S", "html": "<p>Hi"}


def quickstart(*arguments):
    environment = dict(os.environ, POSTHOUSE_BUILD=os.environ["builddir"])
    subprocess.run([os.path.join(TOP, "quickstart"), *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)


def children(parent):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(name))
    return sorted(found)


class House:
    def __init__(self, folder, server):
        self.folder = os.path.join(folder, server)
        quickstart("--dir", self.folder, "--port", "0", "--server", server, "--no-demo")
        with open(os.path.join(self.folder, "env")) as file:
            self.env = {key: value.strip("'\"") for key, value in (line.strip().split("=", 1) for line in file)}
        self.over = False
        self.accepted = 0
        self.threads = [threading.Thread(target=self.send) for _ in range(4)]

    def pid(self, name):
        with open(os.path.join(self.folder, "pids", name)) as file:
            return int(file.read().split()[0])

    def status(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.env["POSTHOUSE_URL"].partition("//")[2], timeout=120)
        try:
            connection.request(method, path, body, {"Authorization": "Bearer " + self.env["POSTHOUSE_KEY"]})
            return connection.getresponse().status
        except OSError:
            return 0
        except http.client.HTTPException:
            return 0
        finally:
            connection.close()

    def send(self):
        while not self.over:
            if self.status("POST", "/v1/emails", json.dumps(EMAIL)) == 201:
                self.accepted += 1

    def kill_often(self, victims):
        """Returns how long the service was away after each kill, in seconds."""
        away = []
        for thread in self.threads:
            thread.start()
        for _ in range(KILLS):
            for victim in victims()[:1]:
                try:
                    os.kill(victim, signal.SIGKILL)
                except ProcessLookupError:
                    pass  # the kill before ended it, and this is noticed only now
            start = time.monotonic()
            while self.status("GET", "/health") != 200 and time.monotonic() < start + BACK_S + PATIENCE_S:
                time.sleep(0.02)
            away.append(time.monotonic() - start)
            time.sleep(max(0, 0.3 - away[-1]))
        return away

    def end(self):
        self.over = True
        for thread in self.threads:
            if thread.is_alive():
                thread.join()
        quickstart("stop", "--dir", self.folder)


class Supervisor:
    """Starts the pool's script whenever it has ended, as a service manager does."""

    def __init__(self, house):
        self.script = os.path.join(house.folder, "server", "pool.sh")
        os.kill(house.pid("pool"), signal.SIGKILL)
        self.process = None
        self.over = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.over:
            self.process = subprocess.Popen(["sh", self.script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.process.wait()
            time.sleep(0.1)

    def victims(self):
        return [self.process.pid] if self.process and self.process.poll() is None else []

    def end(self):
        self.over = True
        self.process.terminate()
        self.thread.join()


def judge(name, away, accepted):
    late = [round(seconds, 2) for seconds in away if seconds > BACK_S]
    print(f"{name}: {len(away)} kills, longest {max(away):.2f} s, {accepted} emails accepted meanwhile")
    if late and max(late) > BACK_S + PATIENCE_S or len(late) > len(away) // 2 or accepted == 0:
        print(f"{name}\n\tgot:  away for {late} s, {accepted} emails accepted\n\twant: back within {BACK_S} s, some accepted")
        return False
    return True


def main():
    for command in ("lighttpd", "apache2", "spawn-fcgi", "mariadbd"):
        if not shutil.which(command, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            print(f"there is no {command} here")
            return 77
    good = True
    with tempfile.TemporaryDirectory() as folder:
        house = House(folder, "lighttpd")
        try:
            server = house.pid("server")
            good &= judge("lighttpd", house.kill_often(lambda: children(server)), house.accepted)
        finally:
            house.end()
        house = House(folder, "apache-proxy")
        supervisor = Supervisor(house)
        try:
            good &= judge("spawn-fcgi", house.kill_often(supervisor.victims), house.accepted)
        finally:
            supervisor.end()
            house.end()
    return 0 if good else 1


sys.exit(main())
