#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Plays the hostile tenant, recipient, relay, DNS server and web server against a running installation in 512 MB, while
another tenant works on. Prints each attempt, what came of it, and how long the other tenant waited, alone and meanwhile.

After each attempt the other tenant's requests work, all processes live, the memory has sufficed, and no row is there in part.
"""

import argparse
import concurrent.futures
import shutil
import signal
import statistics
import sys
import time
import traceback

import names
import recipient
import relay
import tenant
import web
from house import LIMIT_BYTES, House, step_back

ACTORS = {"tenant": tenant, "recipient": recipient, "relay": relay, "names": names, "web": web}
SAMPLES = 15  # of each method at least, before the other tenant's times say anything
REPEATS = 3  # other programs of the machine make noise: the best one counts
LONG_FACTOR = 2  # the short form runs beside other tests, so it does not judge how long requests wait
STALL_MS = {True: 2000, False: 90000}  # no single request waits as long, in the long form, in the short one
NO_WAIT_MS = 2  # less than this is no wait


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


class Times:
    """How long the other tenant's requests took: medians and 95th percentiles, in ms."""

    def __init__(self, samples):
        self.taken = {method: [took for name, took, _ in samples if name == method] for method in ("GET", "POST")}
        self.refused = sorted({status for _, _, status in samples if status not in (200, 201)})

    def enough(self):
        return all(len(taken) >= SAMPLES for taken in self.taken.values())

    def median(self, method):
        return statistics.median(self.taken[method]) if self.taken[method] else 0

    def longest(self):
        return max((took for taken in self.taken.values() for took in taken), default=0)

    def __str__(self):
        return ", ".join(f"{method} {self.median(method):.1f} ({percentile(taken, 0.95):.1f})" if taken else f"{method} -"
                         for method, taken in self.taken.items())

    def factor(self, alone):
        return max((self.median(method) / max(alone.median(method), 0.1) for method in self.taken
                    if self.median(method) > alone.median(method) + NO_WAIT_MS), default=1.0)

    def excess(self, alone):
        return max(self.median(method) - alone.median(method) for method in self.taken)


class Runner:
    def __init__(self, house):
        self.house = house
        self.faults = []
        self.alone = None

    def measure_alone(self):
        begin = time.monotonic()
        end = begin + self.house.scale(2, 5)
        while time.monotonic() < end or not Times(self.house.samples(begin, time.monotonic())).enough():
            time.sleep(0.1)
            if time.monotonic() > end + 60:
                break
        self.alone = Times(self.house.samples(begin, time.monotonic()))

    def attack(self, act, want):
        """Once, or as often as it takes to see the other tenant's times. Returns what came of it and those."""
        begin = time.monotonic()
        while True:
            try:
                got = act(self.house)
            except Exception as error:
                traceback.print_exc()
                got = f"{type(error).__name__}: {error}"
            times = Times(self.house.samples(begin, time.monotonic()))
            if not self.house.long or not matches(got, want) or times.enough() or time.monotonic() > begin + 20:
                return got, times

    def still_works(self):
        begin = time.monotonic()
        while time.monotonic() < begin + self.house.scale(240, 30):
            done = {(method, status) for method, _, status in self.house.samples(begin, time.monotonic())}
            if {("GET", 200), ("POST", 201)} <= done:
                return True
            time.sleep(0.02)
        return False

    def row(self, actor, name, act, want):
        house, wrong = self.house, []
        before, kills = set(house.must_live()), house.cgroup.kills()
        house.peak = 0
        got, times = self.attack(act, want)
        for _ in range(REPEATS - 1 if house.long else 0):
            if times.factor(self.alone) <= LONG_FACTOR or not matches(got, want):
                break
            self.measure_alone()
            got, again = self.attack(act, want)
            times = min(times, again, key=lambda each: each.factor(self.alone))
        factor = times.factor(self.alone) if times.enough() else 1.0
        if not matches(got, want):
            wrong.append(f"wanted {want}")
        if not self.still_works():
            wrong.append("the other tenant is not served any more")
        if times.refused:
            wrong.append(f"the other tenant was answered {times.refused}")
        if house.long and factor > LONG_FACTOR and times.excess(self.alone) > NO_WAIT_MS:
            wrong.append(f"the other tenant waited {factor:.1f} times as long as alone ({self.alone})")
        if times.longest() > STALL_MS[house.long]:
            wrong.append(f"a request of the other tenant waited {times.longest() / 1000:.1f} s")
        if dead := sorted(before - set(house.must_live())):
            wrong.append(f"processes have died: {dead}")
        if house.cgroup.kills() > kills or house.peak > LIMIT_BYTES:
            wrong.append(f"{house.cgroup.kills() - kills} processes were killed for their memory")
        wrong += house.halves()
        print(f"{'FAULT' if wrong else 'ok   '} {actor}: {name}: {got} | {house.peak >> 20} MB | {times} | × {factor:.1f}", flush=True)
        for line in wrong:
            print(f"      {line}", flush=True)
            self.faults.append(f"{actor}: {name}: {line}")


def matches(got, want):
    return got == want if isinstance(want, str) else got in want


def outside():
    """What the installation talks to, in threads that have stepped back."""
    with concurrent.futures.ThreadPoolExecutor(1, initializer=step_back) as pool:
        return pool.submit(lambda: (relay.Relay(), names.Names(), web.Web())).result()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="smaller numbers, and only what is quick: for make check")
    parser.add_argument("--only", choices=sorted(ACTORS), action="append", help="the attempts of this actor")
    parser.add_argument("--attempt", help="only those whose name has this in it")
    arguments = parser.parse_args()
    for program in ("lighttpd", "mariadbd", "openssl", "curl"):
        if not shutil.which(program, path="/usr/sbin:/sbin:/usr/bin:/bin:/usr/local/bin"):
            print(f"there is no {program} here")
            return 77
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))  # nothing is left running
    begin = time.monotonic()
    faults = ["it did not come to the end"]
    house = House(not arguments.short)
    try:
        house.start(*outside())
        step_back()
        runner = Runner(house)
        runner.measure_alone()
        how = "by a cgroup, together" if house.cgroup.path else "by ulimit -v, each"
        print(f"web server, pool and spool are limited to {LIMIT_BYTES >> 20} MB {how}; ms are medians (95th percentiles)")
        print(f"      the other tenant alone: {runner.alone}", flush=True)
        for actor in arguments.only or ACTORS:
            module = ACTORS[actor]
            for name, act, want in module.ATTEMPTS + (getattr(module, "LONG", []) if house.long else []):
                if not arguments.attempt or arguments.attempt in name:
                    runner.row(actor, name, act, want)
        faults = runner.faults
    finally:
        house.stop()
    print(f"{len(faults)} faults, {time.monotonic() - begin:.0f} s")
    for line in faults:
        print("FAULT", line)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
