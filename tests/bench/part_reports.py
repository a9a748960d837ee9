# SPDX-License-Identifier: MIT
"""Reports about a domain: how long one of 10,000 records takes to be recorded, and 400 days of them to be answered."""
import os
import subprocess
import time

from instance import Instance, program

RECORD = ("<record><row><source_ip>10.{0}.{1}.{2}</source_ip><count>1</count><policy_evaluated><disposition>none</disposition>"
          "<dkim>pass</dkim><spf>fail</spf></policy_evaluated></row><identifiers><header_from>{3}</header_from></identifiers>"
          "<auth_results><dkim><domain>{3}</domain><selector>x</selector><result>pass</result></dkim></auth_results></record>")
MAIL = ("From: d@example.net\r\n\r\n<feedback><report_metadata><org_name>Bench</org_name><email>d@example.net</email>"
        "<report_id>{0}</report_id><date_range><begin>{1}</begin><end>{2}</end></date_range></report_metadata>"
        "<policy_published><domain>{3}</domain><p>none</p></policy_published>{4}</feedback>")
# 4 reporters about 10 sources on each day.
FILL = """\
INSERT INTO posthouse.dmarc_source (workspace_id, domain_id, day, report_id, source, fate, reporter, verified, messages, passed,
 dkim_aligned, spf_aligned, quarantined, rejected, begin, end)
SELECT d.workspace_id, d.id, {today} - days.seq, UNHEX(LPAD(HEX(1000 * r.seq + days.seq), 32, '0')), CONCAT('192.0.2.', s.seq), 1,
 CONCAT('Reporter ', r.seq), 1, 10, 10, 10, 0, 0, 0, ({today} - days.seq) * 86400000, ({today} - days.seq) * 86400000 + 1
FROM posthouse.domain d JOIN posthouse.seq_0_to_399 days JOIN posthouse.seq_1_to_4 r JOIN posthouse.seq_1_to_10 s
WHERE d.name = '{domain}';
ANALYZE TABLE posthouse.dmarc_source"""


def seconds(act):
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


class Reports:
    def __init__(self, instance, records):
        self.instance, self.records, self.given = instance, records, 0
        self.name = instance.env["POSTHOUSE_DOMAIN"]
        self.id = next(d["id"] for d in instance.call("GET", "/v1/domains")["domains"] if d["name"] == self.name)
        shown = instance.call("GET", f"/v1/domains/{self.id}")
        self.address = next(r["value"] for r in shown["dns_records"] if r["name"] == "_dmarc").split("mailto:")[1]
        self.today = int(time.time()) // 86400

    def give(self):
        """Records one report."""
        self.given += 1
        begin = self.today * 86400
        records = "".join(RECORD.format(i >> 16, i >> 8 & 255, i & 255, self.name) for i in range(self.records))
        mail = MAIL.format(self.given, begin, begin + 86399, self.name, records)
        command = [program("posthouse"), "receive", "--recipient", self.address]
        return seconds(lambda: subprocess.run(command, input=mail, text=True, check=True, env=self.instance.env,
                                              stdout=subprocess.DEVNULL))

    def ask(self, group):
        path = f"/v1/domains/{self.id}/dmarc?group_by={group}&from={(self.today - 399) * 86400000}"
        return 1000 * seconds(lambda: self.instance.call("GET", path))


def figures(run, r, name, unit, goal, acts):
    """How long it takes, and how much of that the processors work for it, which a busy machine changes little."""
    children, servers = os.times(), sum(r.instance.spent().values())
    took = [act() for act in acts]
    worked = sum(r.instance.spent().values()) - servers + sum(os.times()[2:4]) - sum(children[2:4])
    run.report.compare(name, took, "the goal", [goal] * len(took), unit=unit, goal=1, at_most=True)
    run.report.value(f"{name}, processor time", worked / len(acts) * (1000 if unit == "ms" else 1), unit, goal=goal, at_most=True)


def reports(run):
    records = 500 if run.quick else 10000
    run.report.begin("Reports about a domain")
    instance = Instance()
    try:
        instance.give_room()
        r = Reports(instance, records)
        figures(run, r, f"a report of {records} records", "s", 1, [r.give for _ in range(run.rounds)])
        instance.sql("TRUNCATE posthouse.dmarc_source")
        instance.sql(FILL.format(today=r.today, domain=r.name))
        for group in ("source", "day", "reporter"):
            r.ask(group)
            figures(run, r, f"400 days by {group}", "ms", 50, [lambda: r.ask(group)] * 4 * run.rounds)
    finally:
        instance.stop()
