#!/bin/sh
# SPDX-License-Identifier: MIT
# The rules and the dashboard are well-formed, and name no metric that does not exist.
set -eu

cd "${srcdir:-$(dirname "$0")/..}"
python3 - <<'END'
import json, re
known = set(re.findall(r'"(posthouse_\w+)"', open("lib/upkeep/metrics_text.c").read()))
rules, dashboard = open("contrib/prometheus/posthouse.rules.yml").read(), open("contrib/grafana/posthouse.json").read()
assert json.loads(dashboard)["panels"]
for name in re.findall(r"posthouse_\w+", rules + dashboard):
    assert re.sub(r"_(total|bucket|count|sum|info)$", "", name) in known, f"no metric {name}"
END
command -v promtool >/dev/null || {
	echo "promtool is missing (Debian: prometheus)"
	exit 77
}
promtool check rules contrib/prometheus/posthouse.rules.yml
