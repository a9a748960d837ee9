# SPDX-License-Identifier: MIT
"""Workflows: events beside many workflows, and steps while few and many executions wait."""
import subprocess

from instance import Instance, program
from load import in_turns, requests_script, wrk
from part_http import EVENT, workflow

FLOOR_JOBS = ("CREATE TABLE posthouse.floor_job (id BINARY(16) PRIMARY KEY, text VARCHAR(200), ready_at BIGINT, KEY (ready_at));"
              "CREATE TABLE posthouse.floor_done (id BINARY(16) PRIMARY KEY, text VARCHAR(200))")
FILL_JOBS = ("TRUNCATE posthouse.floor_job; TRUNCATE posthouse.floor_done;"
             "INSERT INTO posthouse.floor_job SELECT UNHEX(LPAD(HEX(seq), 32, '0')),"
             " 'a row of about the size of a small event', seq FROM posthouse.seq_1_to_%d")
WAITING = ("TRUNCATE posthouse.execution; TRUNCATE posthouse.execution_wait; TRUNCATE posthouse.person;"
           "TRUNCATE posthouse.execution_step;"
           "INSERT INTO posthouse.person (id, workspace_id, email, address, properties, first_seen, last_seen, last_event,"
           " event_count, created, updated) SELECT UNHEX(LPAD(HEX(seq), 32, '0')), w.workspace_id, CONCAT(seq, '@example.com'),"
           " CONCAT(seq, '@example.com'), '{}', 1, 1, 'order', 1, 1, 1 FROM posthouse.seq_1_to_%d JOIN posthouse.workflow w"
           " WHERE w.name = 'Bench';"
           "INSERT INTO posthouse.execution (id, workspace_id, workflow_id, contact_id, event_id, email, version, status, step_id,"
           " step_count, step_time, ready_at, created, updated) SELECT UNHEX(LPAD(HEX(seq), 32, '0')), w.workspace_id, w.id,"
           " UNHEX(LPAD(HEX(seq), 32, '0')), UNHEX(LPAD(HEX(seq), 32, '0')), CONCAT(seq, '@example.com'), 1, IF(seq > %d, 2, 1),"
           " 't', 1, UNIX_TIMESTAMP() * 1000, IF(seq > %d, 4000000000000 + seq, seq), 1, 1"
           " FROM posthouse.seq_1_to_%d JOIN posthouse.workflow w WHERE w.name = 'Bench'")
DUE = ("TRUNCATE posthouse.execution_wait; TRUNCATE posthouse.execution_step; UPDATE posthouse.execution SET status = 1, step_id = 't', step_count = 1, ready_at = 1,"
       " wait_until = NULL WHERE id <= UNHEX(LPAD(HEX(%d), 32, '0'))")
NO_OTHERS = "DELETE FROM posthouse.workflow_trigger WHERE event_name LIKE 'other%'"
OTHERS = ("INSERT INTO posthouse.workflow_trigger SELECT workspace_id, CONCAT('other ', SUBSTR(name, 7)), id, 1"
          " FROM posthouse.workflow WHERE name LIKE 'Other%'")


def steps(instance, mode, count):
    """Steps in a second."""
    instance.settle()
    out = subprocess.run([program("tests/bench/steps"), instance.env["POSTHOUSE_CONFIG"], mode, "4"], check=True,
                         capture_output=True, text=True).stdout
    return count / float(out)


def step(run, instance, count):
    def floor():
        instance.sql(FILL_JOBS % count)
        return steps(instance, "floor", count)

    def engine():
        instance.sql(WAITING % (count, count, count, count))
        return steps(instance, "engine", count)
    least, ours = in_turns(run.rounds, floor, engine)
    run.report.compare("steps to a wait for an event, 4 jobs", ours, "claim, insert, update", least, goal=0.5)


def waiting(run, instance, count):
    sizes = (1000, 20000) if run.quick else (1000, 1000000)

    def engine():
        instance.sql(DUE % count)
        return steps(instance, "engine", count)
    rates = []
    for size in sizes:
        instance.sql(WAITING % (size + count, count, count, size + count))
        rates += in_turns(run.rounds, engine)
    run.report.compare(f"steps while {sizes[1]} executions wait", rates[1], f"{sizes[0]}", rates[0], goal=0.9)


def events(run, instance):
    script = requests_script(instance.dir, "events", "POST", ["/v1/events"], EVENT)
    count = 50 if run.quick else 1000
    for n in range(count):
        workflow(instance, f"Other {n}", f"other {n}")

    def beside(others):
        instance.sql(NO_OTHERS + (";" + OTHERS if others else ""))
        return wrk(instance.url, run.seconds, instance.auth, script)
    none, many = in_turns(run.rounds, lambda: beside(False), lambda: beside(True))
    run.report.compare(f"POST event beside {count} other workflows", many, "none", none, goal=0.9)


def automation(run):
    run.report.begin("Workflows")
    instance = Instance("limits.workflows=0")
    try:
        instance.give_room(1024)
        instance.sql(FLOOR_JOBS)
        workflow(instance, "Bench")
        events(run, instance)
        count = 2000 if run.quick else 20000
        step(run, instance, count)
        waiting(run, instance, count)
    finally:
        instance.stop()
