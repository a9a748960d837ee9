# SPDX-License-Identifier: MIT
"""What was measured: rows with their floors and goals, as text, JSON and a table for a document."""
import dataclasses
import json
import os
import platform
import statistics
import subprocess
import time


@dataclasses.dataclass
class Row:
    """One figure. The goal is for the ratio to the floor, or for the value itself where there is no floor."""
    part: str
    name: str
    value: float
    unit: str
    floor_name: str = None
    floor: float = None
    ratio: float = None
    lowest: float = None  # of the ratios of all rounds
    highest: float = None
    goal: float = None
    at_most: bool = False  # the goal is an upper limit
    reached: bool = None
    note: str = ""

    def judge(self):
        if self.goal is not None:
            figure = round(self.value if self.ratio is None else self.ratio, 2)
            self.reached = figure <= self.goal if self.at_most else figure >= self.goal
        return self

    def goal_text(self):
        if self.goal is None:
            return ""
        return ("≤ " if self.at_most else "≥ ") + (figure(self.goal, self.unit) if self.ratio is None else f"{self.goal:g}")

    def reached_text(self):
        return {None: "", True: "yes", False: "no"}[self.reached]

    def ratio_text(self):
        if self.ratio is None:
            return ""
        spread = "" if self.lowest is None or self.lowest == self.highest else f" ({self.lowest:.2f} to {self.highest:.2f})"
        return f"{self.ratio:.2f}{spread}" if self.ratio >= 0.1 else f"{self.ratio:.3f}"


def figure(value, unit):
    if unit in ("/s", "µs"):
        return f"{value:,.0f}{' ' if unit == 'µs' else ''}{unit}"
    return f"{value:.3g} {unit}"


class Report:
    def __init__(self, arguments):
        self.rows = []
        self.series = {}  # name: {connections: rate}
        self.part = ""
        self.machine = machine()
        self.how = {"seconds": arguments.seconds, "rounds": arguments.rounds, "quick": arguments.quick}

    def begin(self, part):
        self.part = part
        print(f"\n{part}\n{'':46} {'measured':>12} {'floor':>12}  ratio", flush=True)

    def compare(self, name, ours, floor_name, floor, unit="/s", goal=None, at_most=False, note=""):
        """ours, floor: a figure for each round."""
        ratios = [a / b for a, b in zip(ours, floor)]
        value, least = statistics.median(ours), statistics.median(floor)
        self.add(Row(self.part, name, value, unit, floor_name, least, value / least, min(ratios), max(ratios), goal, at_most,
                     note=note))
        return value

    def value(self, name, value, unit, goal=None, at_most=False, note=""):
        self.add(Row(self.part, name, value, unit, goal=goal, at_most=at_most, note=note))
        return value

    def left_out(self, name, why):
        print(f"{name}: left out: {why}", flush=True)

    def add(self, row):
        self.rows.append(row.judge())
        floor = "" if row.floor is None else figure(row.floor, row.unit)
        line = f"{row.name:46} {figure(row.value, row.unit):>12} {floor:>12}"
        if row.ratio is not None:
            line += f"  {row.ratio_text()} of {row.floor_name}"
        if row.goal is not None:
            line += f"; goal {row.goal_text()}: {'reached' if row.reached else 'MISSED'}"
        print(line + (f"; {row.note}" if row.note else ""), flush=True)

    def write_json(self, path):
        rows = [dataclasses.asdict(row) for row in self.rows]
        with open(path, "w") as file:
            json.dump({"machine": self.machine, "how": self.how, "rows": rows, "concurrency": self.series}, file, indent=1,
                      ensure_ascii=False)
            file.write("\n")

    def write_markdown(self, path):
        with open(path, "w") as file:
            file.write(self.told() + "\n")
            part = None
            for row in self.rows:
                if row.part != part:
                    part = row.part
                    file.write(f"\n| {part} | measured | floor | ratio | goal | reached |\n|---|---|---|---|---|---|\n")
                floor = "" if row.floor is None else f"{row.floor_name}: {figure(row.floor, row.unit)}"
                name = row.name + (f" ({row.note})" if row.note else "")
                file.write(f"| {name} | {figure(row.value, row.unit)} | {floor} | {row.ratio_text()} | {row.goal_text()} |"
                           f" {row.reached_text()} |\n")

    def told(self):
        """On what machine, how and under which load."""
        m, h, end = self.machine, self.how, os.getloadavg()[0]
        rounds = "One round of 1 s, a trial" if h["quick"] else f"Medians of {h['rounds']} rounds of {h['seconds']} s"
        return (f"{m['date']}, {m['cores']} cores of {m['processor']}, Linux {m['kernel']}, MariaDB {m['database']}, commit"
                f" {m['commit']}. {rounds}. Load average before the run {m['load']:.1f}, at its end {end:.1f}.")


def output_of(*command, cwd=None):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=cwd).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine():
    with open("/proc/cpuinfo") as file:
        models = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return {"date": time.strftime("%Y-%m-%d"), "processor": models[0] if models else platform.machine(),
            "cores": len(os.sched_getaffinity(0)), "kernel": platform.release(),
            "database": output_of("mariadbd", "--version").partition("Ver ")[2].partition("-")[0] or "unknown",
            "commit": output_of("git", "describe", "--always", "--dirty", cwd=os.path.dirname(os.path.abspath(__file__))),
            "load": os.getloadavg()[0]}
