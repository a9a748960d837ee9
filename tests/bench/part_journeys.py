# SPDX-License-Identifier: MIT
"""Journeys: looks at people, starts for many, a wait that is released among many, and what they cost where nobody uses them."""
import subprocess
import time

from instance import Instance, program
from load import in_turns, requests_script, wrk
from part_http import EVENT

FILL = """\
USE posthouse;
INSERT INTO person (id, workspace_id, email, address, properties, first_seen, last_seen, last_event, event_count, entered,
  seen, is_made, created, updated, agreed)
SELECT UNHEX(CONCAT(LPAD(HEX(1790000000000 + seq), 12, '0'), '7', SUBSTR(MD5(seq), 1, 3), '8', SUBSTR(MD5(seq), 4, 15))),
  (SELECT id FROM workspace LIMIT 1), CONCAT('p', seq, '@example.org'), CONCAT('p', seq, '@example.org'),
  CONCAT('{"plan":"', IF(seq %% 10, 'free', 'pro'), '","age":', seq %% 90, '}'), 1, 1, '', 0, 0, 1, 1, 1, 1, 1
FROM seq_1_to_%d"""
# As many leave as enter.
CHANGE = ("UPDATE posthouse.person SET properties = JSON_SET(properties, '$.plan', IF(JSON_VALUE(properties, '$.plan') = 'pro',"
          " 'free', 'pro')) WHERE address REGEXP '^p[0-9]*(00|01)@' ORDER BY id LIMIT %d")
LOOKED = "SELECT ended - began FROM posthouse.workspace_look"
# The pages that hold the rows; the table reserves up to 4 MB more, however large it is.
SIZE = ("ANALYZE TABLE posthouse.segment_in; SELECT stat_value * @@innodb_page_size DIV GREATEST(1, (SELECT COUNT(*) FROM"
        " posthouse.segment_in)) FROM mysql.innodb_index_stats WHERE database_name = 'posthouse' AND table_name = 'segment_in'"
        " AND stat_name = 'n_leaf_pages'")
# What a start has to store for each person: a row of 200 bytes and one of 60 (rows.c), here by the database itself.
FLOOR_TABLES = """\
CREATE OR REPLACE TABLE posthouse.floor_long (id BIGINT PRIMARY KEY, text VARCHAR(200));
CREATE OR REPLACE TABLE posthouse.floor_short (id BIGINT PRIMARY KEY, text VARCHAR(60));
"""
FLOOR = """\
DELIMITER //
BEGIN NOT ATOMIC
  FOR i IN 0..%d DO
    START TRANSACTION;
    INSERT INTO posthouse.floor_long SELECT i * 500 + seq, REPEAT('x', 192) FROM posthouse.seq_1_to_500;
    INSERT INTO posthouse.floor_short SELECT i * 500 + seq, REPEAT('x', 52) FROM posthouse.seq_1_to_500;
    COMMIT;
  END FOR;
END //
DELIMITER ;"""
WATCHES = ("INSERT INTO posthouse.execution_watch (contact_id, event_name, property, hash, execution_id, kind, workspace_id)"
           " SELECT e.contact_id, 'paid', 'id', UNHEX(MD5(seq)), e.id, 1, e.workspace_id FROM posthouse.seq_1_to_%d JOIN"
           " (SELECT contact_id, id, workspace_id FROM posthouse.execution ORDER BY id LIMIT 1) e")


def workflow(instance, name, trigger, node=None):
    """A workflow that waits for a month, or at this node."""
    node = node or {"id": "w", "type": "wait", "data": {"duration": 30, "unit": "days"}}
    design = {"nodes": [{"id": "t", "type": "trigger", "data": trigger}, node], "edges": [{"source": "t", "target": node["id"]}]}
    return instance.call("POST", "/v1/workflows", {"name": name, "design": design, "status": "active"})["workflow_id"]


def hear(instance, n):
    """A workflow that hears of a segment; all but the first have a rule more."""
    rules = [{"property": "plan", "operator": "equals", "value": "pro"}]
    if n:
        rules.append({"property": "age", "operator": "greater_than", "value": n})
    segment = instance.call("POST", "/v1/segments", {"name": f"S{n}", "rules": {"rules": rules}})["id"]
    workflow(instance, f"Segment {n}", {"eventName": "segment.entered", "segmentId": segment})
    return segment


def look(instance, size):
    """The seconds of a look with so many changes."""
    instance.sql(CHANGE % (size // 1000))
    instance.settle()
    instance.sql("UPDATE posthouse.workspace_look SET next_at = 0")
    instance.spool()
    return int(instance.sql(LOOKED)[0]) / 1000


def looks(run, instance, size):
    segment = hear(instance, 0)
    instance.spool()
    instance.spool()

    def count():
        begin = time.perf_counter()
        instance.call("GET", f"/v1/segments/{segment}/count")
        return time.perf_counter() - begin
    rounds = min(run.rounds, 3)
    one, counted = in_turns(rounds, lambda: look(instance, size), count)
    run.report.compare(f"look at {size} people, people a second", [size / s for s in one], "count of the same rules",
                       [size / s for s in counted], goal=0.5)
    run.report.value(f"look at {size} people", min(one), "s", goal=10, at_most=True)
    run.report.value("bytes for each who is in a segment", int(instance.sql(SIZE)[-1]), "bytes", goal=80, at_most=True)
    for n in range(1, 10):
        hear(instance, n)
    instance.spool()
    instance.spool()
    ten = [look(instance, size) for _ in range(rounds)]
    run.report.value("a look for ten segments, in times of one", min(ten) / min(one), "times", goal=5, at_most=True)


def timed(action):
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def floors(instance, size):
    """The seconds of a client that inserts the rows, and of the database that fills the tables with them."""
    def client():
        subprocess.run([program("tests/bench/rows"), instance.env["POSTHOUSE_CONFIG"], str(size)], check=True)
    took = []
    for action in client, lambda: instance.sql(FLOOR % (size // 500 - 1)):
        instance.sql(FLOOR_TABLES)
        instance.settle()
        took.append(timed(action))
    return took


def starts(run, instance, size):
    everybody = instance.call("POST", "/v1/segments", {"name": "All", "rules": {"rules": [
        {"property": "plan", "operator": "exists"}]}})["id"]
    target = workflow(instance, "Start", {"eventName": "workflow.started"})
    client, database = floors(instance, size)
    instance.settle()
    start = instance.call("POST", f"/v1/workflows/{target}/executions", {"segment_id": everybody})["id"]
    begin = time.perf_counter()
    while instance.call("GET", f"/v1/workflows/{target}/starts/{start}")["status"] in ("pending", "running"):
        instance.spool()
    took = time.perf_counter() - begin
    run.report.compare(f"start for {size}, people a second", [size / took], "rows of 200 and of 60 bytes", [size / client], goal=0.5)
    run.report.compare(f"start for {size}, people a second", [size / took], "such rows, by the database", [size / database])
    run.report.value(f"start for {size}", took, "s", goal=300, at_most=True)


def release(run, instance, count):
    """Events a second that release one wait each."""
    rule = {"property": "event.id", "operator": "equals", "value": {"var": "event.id"}}
    workflow(instance, "Order", {"eventName": "order", "dedupe_window": 0},
             {"id": "v", "type": "wait_for_event", "data": {"eventName": "paid", "filter": {"rules": [rule]}}})
    serial = 0

    def events(others):
        nonlocal serial
        instance.sql("TRUNCATE posthouse.execution_watch")
        first, serial = serial, serial + count
        for n in range(first, serial):
            event(instance, "order", n)
        instance.spool()
        if others:
            instance.sql(WATCHES % others)
        # The database does so by itself some seconds later.
        instance.sql("ANALYZE TABLE posthouse.execution_watch PERSISTENT FOR ALL")
        begin = time.perf_counter()
        for n in range(first, serial):
            event(instance, "paid", n)
        return count / (time.perf_counter() - begin)
    alone, among = in_turns(run.rounds, lambda: events(0), lambda: events(10000))
    run.report.compare("event that releases one of 10000 waits of its person", among, "one of few", alone, goal=0.9)


def event(instance, name, number):
    instance.call("POST", "/v1/events", {"event_name": name, "email": "ann@example.net", "properties": {"id": number}})


class Unused:
    """An instance in which nobody hears anything."""

    def __init__(self, **build):
        self.instance = Instance("limits.workflows=0", **build)
        self.instance.give_room(512)
        audience = self.instance.call("POST", "/v1/audiences", {"name": "A"})["id"]
        self.instance.call("POST", "/v1/people", {"email": "ann@example.net"})
        script = lambda *of: requests_script(self.instance.dir, *of)
        self.scripts = {
            "POST event without workflow": script("events", "POST", ["/v1/events"], EVENT),
            "POST contact": script("contacts", "POST", [f"/v1/audiences/{audience}/contacts"], '{"email": "{n}@example.net"}'),
            "PATCH of a person": script("people", "PATCH", ["/v1/people/ann@example.net"], '{"properties": {"n": "{n}"}}'),
        }

    def ask(self, run, name):
        return wrk(self.instance.url, run.seconds, self.instance.auth, self.scripts[name])


def unused(run):
    """Beside the version before, in one run."""
    sides = []
    try:
        sides += [Unused()]
        sides += [Unused(build=run.before)]
        for name in sides[0].scripts:
            ours, before = in_turns(run.rounds, *(lambda side=side: side.ask(run, name) for side in sides))
            run.report.compare(f"{name}, where nobody hears", ours, "the version before", before, goal=0.97)
    finally:
        for side in sides:
            side.instance.stop()


def journeys(run):
    run.report.begin("Journeys")
    size = 20000 if run.quick else 1000000
    instance = Instance("limits.workflows=0", "automation.look_every=60")
    try:
        instance.give_room(2048)
        release(run, instance, 20 if run.quick else 200)
        instance.sql(FILL % size)
        looks(run, instance, size)
        starts(run, instance, size)
    finally:
        instance.stop()
    if run.before:
        unused(run)
