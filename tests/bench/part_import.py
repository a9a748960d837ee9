# SPDX-License-Identifier: MIT
"""Imports: posthouse contact import beside LOAD DATA, which puts the same rows into tables that are alike."""
import os
import time

from instance import Instance
from load import in_turns

HEADER = "email,first_name,last_name,is_subscribed,language,plan,age\r\n"
ROW = "{0:07}.person@example{1}.com,First {0},Last,{2},en,{3},{4}\r\n"
# The columns that an import fills. Ids are made in the order of the rows, as those of the service are.
LOAD = """\
CREATE DATABASE IF NOT EXISTS floor;
CREATE OR REPLACE TABLE floor.person LIKE posthouse.person;
CREATE OR REPLACE TABLE floor.contact LIKE posthouse.contact;
SET @w = UNHEX(REPEAT('01', 16)), @a = UNHEX(REPEAT('02', 16)), @n = 0, @m = 0;
LOAD DATA INFILE '{path}' INTO TABLE floor.contact FIELDS TERMINATED BY ',' LINES TERMINATED BY '\\r\\n' IGNORE 1 LINES
(@email, @first, @last, @subscribed, @language, @plan, @age)
SET audience_id = @a, address = @email, id = UNHEX(CONCAT(LPAD(HEX(@n := @n + 1), 16, '0'), LEFT(MD5(@n), 16))), workspace_id = @w,
  email = '', is_subscribed = @subscribed = 'true', created = 1, updated = 1, source = 3;
LOAD DATA INFILE '{path}' INTO TABLE floor.person FIELDS TERMINATED BY ',' LINES TERMINATED BY '\\r\\n' IGNORE 1 LINES
(@email, first_name, last_name, @subscribed, language, @plan, @age)
SET id = UNHEX(CONCAT(LPAD(HEX(@m := @m + 1), 16, '0'), LEFT(MD5(@m), 16))), workspace_id = @w, email = @email, address = @email,
  properties = CONCAT('{{"plan":"', @plan, '","age":', @age, '}}'), first_seen = 0, last_seen = 0, last_event = '', event_count = 0,
  entered = 0, seen = 0, created = 1, updated = 1;"""


def write(folder, count):
    """Emails in no order, for that is how they come."""
    path = os.path.join(folder, "import.csv")
    with open(path, "w", newline="") as file:
        file.write(HEADER)
        for i in range(count):
            file.write(ROW.format((i * 7919) % count, i % 500, "true" if i % 10 else "false", ("pro", "free", "team")[i % 3], i % 90))
    os.chmod(path, 0o644)
    return path


def rate(count, act):
    begin = time.perf_counter()
    act()
    return count / (time.perf_counter() - begin)


def take(instance, path, audience=None):
    audience = audience or instance.cli("audience", "create", "Bench")["id"]
    instance.cli("contact", "import", audience, path, "--properties")
    return audience


def fresh(run, instance, path, count):
    def ours():
        instance.sql("TRUNCATE posthouse.person; TRUNCATE posthouse.contact")
        instance.settle()
        return rate(count, lambda: take(instance, path))

    def load():
        instance.settle()
        return rate(count, lambda: instance.sql(LOAD.format(path=path)))

    rates, floors = in_turns(run.rounds, ours, load)
    run.report.compare("contact import, new people", rates, "LOAD DATA", floors, goal=0.9)
    run.report.value("contact import, new people, best round", max(rates), "/s", goal=50000)


def known(run, instance, path, count):
    run.report.value("contact import, people of another audience", rate(count, lambda: take(instance, path)), "/s")
    audience = take(instance, path)
    run.report.value("contact import, the same once more", rate(count, lambda: take(instance, path, audience)), "/s")
    instance.sql("TRUNCATE posthouse.person")
    run.report.value("person import, new people", rate(count, lambda: instance.cli("person", "import", path, "--properties")), "/s")


def imports(run):
    run.report.begin("Imports")
    count = 20000 if run.quick else 200000
    instance = Instance()
    try:
        instance.give_room(1024)
        path = write(instance.dir, count)
        os.chmod(instance.dir, 0o755)
        fresh(run, instance, path, count)
        known(run, instance, path, count)
    finally:
        instance.stop()
