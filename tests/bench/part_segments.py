# SPDX-License-Identifier: MIT
"""Segments: counts and pages of many people, by each kind of rule, in a small and in a large workspace."""
import json
import time

from instance import Instance

# An audience with half of them, a topic that a third has chosen, mailings to half of them, two events of every other one.
FILL = """\
USE posthouse;
SET @w = (SELECT id FROM workspace LIMIT 1), @a = UNHEX('{audience}'), @t = UNHEX('{topic}');
INSERT INTO person (id, workspace_id, email, address, properties, first_seen, last_seen, last_event, event_count, entered,
  seen, created, updated, agreed)
SELECT UNHEX(CONCAT(LPAD(HEX(1790000000000 + seq), 12, '0'), '7', SUBSTR(MD5(seq), 1, 3), '8', SUBSTR(MD5(seq), 4, 15))), @w,
  CONCAT('p', seq, '@example.org'), CONCAT('p', seq, '@example.org'),
  CONCAT('{{"plan":"', ELT(1 + seq % 4, 'pro', 'free', 'team', 'basic'), '","age":', seq % 90, '}}'), 1, 1, '', 0, 0, 1, 1, 1, 1
FROM seq_{first}_to_{last};
INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed, created, updated)
SELECT @a, address, id, @w, '', CRC32(id) % 10 > 0, 1, 1 FROM person
WHERE CRC32(address) % 2 = 0 ORDER BY address ON DUPLICATE KEY UPDATE updated = 1;
INSERT IGNORE INTO choice_part (workspace_id, person, target_id, is_topic, is_chosen, author, created)
SELECT @w, address, @t, 1, CRC32(id) % 3 > 0, 1, 1 FROM person WHERE CRC32(address) % 2 = 0 ORDER BY address;
INSERT IGNORE INTO person_activity SELECT workspace_id, address, 1, CRC32(address) % 3, 0, 0 FROM person
WHERE CRC32(address) % 2 = 0;
INSERT IGNORE INTO automation_event (id, workspace_id, contact_id, name, timestamp, properties, created)
SELECT UNHEX(CONCAT(SUBSTR(HEX(id), 1, 31), s.seq)), @w, id, ELT(s.seq, 'login', 'order'), 1, '{{}}', 1
FROM person JOIN seq_1_to_2 s WHERE CRC32(id) % 2 = 0;"""

# Each kind: rules that hold for some people, and rules that hold for nobody, so that a page looks at as many as it may.
KINDS = {
    "property": ([{"property": "plan", "operator": "equals", "value": "pro"}], [{"property": "plan", "operator": "equals", "value": "none"}]),
    "field": ([{"property": "contact.email", "operator": "contains", "value": "p1"}],
              [{"property": "contact.email", "operator": "contains", "value": "none"}]),
    "audience": ([{"audience": "AUDIENCE", "operator": "subscribed"}], [{"audience": "AUDIENCE", "operator": "pending"}]),
    "mailing": ([{"email": "opened", "operator": "did"}], [{"email": "bounced", "operator": "did"}]),
    "event": ([{"event": "login", "operator": "did"}], [{"event": "none", "operator": "did"}]),
}
# All in one list, but topics, which came later: its figures are to be compared.
KINDS["all kinds"] = tuple([{"match": "any", "rules": sum((kind[which] for kind in KINDS.values()), [])}] for which in (0, 1))
KINDS["topic"] = [{"topic": "TOPIC", "operator": "subscribed"}], [{"topic": "EMPTY", "operator": "subscribed"}]
# Two groups of which one has to hold: properties; an audience and a mailing or an event.
NESTED = [[KINDS["property"][which] + [{"property": "age", "operator": "greater_than", "value": 40}],
           KINDS["audience"][which] + [{"match": "any", "rules": KINDS["mailing"][which] + KINDS["event"][which]}]] for which in (0, 1)]
KINDS["nested"] = tuple([{"match": "any", "rules": [{"match": "all", "rules": rules} for rules in groups]}] for groups in NESTED)


def make(instance, names, kind, which):
    text = json.dumps(KINDS[kind][which])
    for name, own in names.items():
        text = text.replace(name, own)
    rules = json.loads(text)
    return instance.call("POST", "/v1/segments", {"name": kind, "rules": {"rules": rules}})["id"]


def took(rounds, ask):
    """The shortest time of some rounds, in seconds."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        ask()
        times.append(time.perf_counter() - begin)
    return min(times)


def measure(run, instance, names, size):
    """People counted in a second by each kind of rule; reports the largest size."""
    rates = {}
    for kind in KINDS:
        some = make(instance, names, kind, 0)
        rates[kind] = size / took(run.rounds, lambda: instance.call("GET", f"/v1/segments/{some}/count"))
        nobody = make(instance, names, kind, 1)
        page = took(5, lambda: instance.call("GET", f"/v1/segments/{nobody}/people"))
        run.report.value(f"GET a page of nobody by {kind}, of {size}", 1000 * page, "ms", goal=50, at_most=True)
        run.report.value(f"GET count by {kind}, of {size}", size / rates[kind], "s", goal=3, at_most=True)
    return rates


def segments(run):
    run.report.begin("Segments")
    small, large = (2000, 20000) if run.quick else (100000, 1000000)
    instance = Instance()
    try:
        instance.give_room(2048)
        names = {"AUDIENCE": instance.cli("audience", "create", "Bench")["id"]}
        for topic in ("TOPIC", "EMPTY"):
            names[topic] = instance.call("POST", "/v1/topics", {"name": topic, "opt_in": True})["id"]
        ids = {"audience": names["AUDIENCE"].replace("-", ""), "topic": names["TOPIC"].replace("-", "")}
        instance.sql(FILL.format(**ids, first=1, last=small))
        few = measure(run, instance, names, small)
        instance.sql(FILL.format(**ids, first=small + 1, last=large))
        many = measure(run, instance, names, large)
        for kind in KINDS:
            run.report.compare(f"people counted by {kind}, of {large}", [many[kind]], f"{small}", [few[kind]], goal=0.9)
    finally:
        instance.stop()
