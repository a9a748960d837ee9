# SPDX-License-Identifier: MIT
"""Segments: counts and pages of many people, by each kind of rule, in a small and in a large workspace."""
import time

from instance import Instance

# An audience with half of them, mailings to half of them, two events of every other one.
FILL = """\
SET @w = (SELECT id FROM posthouse.workspace LIMIT 1), @a = UNHEX('{audience}');
INSERT INTO posthouse.person (id, workspace_id, email, address, properties, first_seen, last_seen, last_event, event_count, entered,
  seen, created, updated)
SELECT UNHEX(CONCAT(LPAD(HEX(1790000000000 + seq), 12, '0'), '7', SUBSTR(MD5(seq), 1, 3), '8', SUBSTR(MD5(seq), 4, 15))), @w,
  CONCAT('p', seq, '@example.org'), CONCAT('p', seq, '@example.org'),
  CONCAT('{{"plan":"', ELT(1 + seq % 4, 'pro', 'free', 'team', 'basic'), '","age":', seq % 90, '}}'), 1, 1, '', 0, 0, 1, 1, 1
FROM seq_{first}_to_{last};
INSERT INTO posthouse.contact (audience_id, address, id, workspace_id, email, is_subscribed, created, updated)
SELECT @a, address, id, @w, '', CRC32(id) % 10 > 0, 1, 1 FROM posthouse.person
WHERE CRC32(address) % 2 = 0 ORDER BY address ON DUPLICATE KEY UPDATE updated = 1;
INSERT IGNORE INTO posthouse.person_activity SELECT workspace_id, address, 1, CRC32(address) % 3, 0, 0 FROM posthouse.person
WHERE CRC32(address) % 2 = 0;
INSERT IGNORE INTO posthouse.automation_event (id, workspace_id, contact_id, name, timestamp, properties, created)
SELECT UNHEX(CONCAT(SUBSTR(HEX(id), 1, 31), s.seq)), @w, id, ELT(s.seq, 'login', 'order'), 1, '{{}}', 1
FROM posthouse.person JOIN seq_1_to_2 s WHERE CRC32(id) % 2 = 0;"""

RULES = {
    "property": {"property": "plan", "operator": "equals", "value": "{pro}"},
    "audience": {"audience": "{audience}", "operator": "{subscribed}"},
    "mailing": {"email": "{opened}", "operator": "did"},
    "event": {"event": "{login}", "operator": "did"},
}
NOBODY = {"pro": "none", "subscribed": "pending", "opened": "bounced", "login": "none"}
SOME = {"pro": "pro", "subscribed": "subscribed", "opened": "opened", "login": "login"}


def make(instance, audience, kind, words):
    rule = {key: value.format(audience=audience, **words) for key, value in RULES[kind].items()}
    return instance.call("POST", "/v1/segments", {"name": kind, "rules": {"rules": [rule]}})["id"]


def took(rounds, ask):
    """The shortest time of some rounds, in seconds."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        ask()
        times.append(time.perf_counter() - begin)
    return min(times)


def measure(run, instance, audience, size):
    """People counted in a second by each kind of rule; reports the largest size."""
    rates = {}
    for kind in RULES:
        some = make(instance, audience, kind, SOME)
        rates[kind] = size / took(run.rounds, lambda: instance.call("GET", f"/v1/segments/{some}/count"))
        nobody = make(instance, audience, kind, NOBODY)
        page = took(5, lambda: instance.call("GET", f"/v1/segments/{nobody}/people"))
        run.report.value(f"GET a page of nobody by {kind}, of {size}", 1000 * page, "ms")
        run.report.value(f"GET count by {kind}, of {size}", size / rates[kind], "s")
    return rates


def segments(run):
    run.report.begin("Segments")
    small, large = (2000, 20000) if run.quick else (100000, 1000000)
    instance = Instance()
    try:
        instance.give_room(2048)
        audience = instance.cli("audience", "create", "Bench")["id"]
        instance.sql(FILL.format(audience=audience.replace("-", ""), first=1, last=small))
        few = measure(run, instance, audience, small)
        instance.sql(FILL.format(audience=audience.replace("-", ""), first=small + 1, last=large))
        many = measure(run, instance, audience, large)
        for kind in RULES:
            run.report.compare(f"people counted by {kind}, of {large}", [many[kind]], f"of {small}", [few[kind]], goal=0.9)
    finally:
        instance.stop()
