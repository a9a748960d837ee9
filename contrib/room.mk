# SPDX-License-Identifier: MIT
# contrib: for programs around Posthouse
contribdir = $(docdir)/contrib
dist_contrib_DATA = %D%/prometheus/posthouse.rules.yml %D%/grafana/posthouse.json
