# SPDX-License-Identifier: MIT
# bench: what things cost, beside the least that they could
EXTRA_PROGRAMS = %D%/claim %D%/fill %D%/floor_http %D%/floor_smtp \
	%D%/journal %D%/paced %D%/rows %D%/steps %D%/webhooks
%C%_claim_SOURCES = %D%/claim.c
%C%_claim_LDADD = $(STORE_LIBS)
%C%_fill_SOURCES = %D%/fill.c
%C%_fill_LDADD = $(UPKEEP_LIBS)
%C%_journal_SOURCES = %D%/journal.c
%C%_journal_LDADD = $(UPKEEP_LIBS)
%C%_paced_SOURCES = %D%/paced.c
%C%_paced_LDADD = $(GLIB_LIBS)
%C%_rows_SOURCES = %D%/rows.c
%C%_rows_LDADD = $(AUTOMATION_LIBS)
%C%_steps_SOURCES = %D%/steps.c
%C%_steps_LDADD = $(AUTOMATION_LIBS)
%C%_webhooks_SOURCES = %D%/webhooks.c
%C%_webhooks_LDADD = $(UPKEEP_LIBS)
%C%_floor_smtp_SOURCES = %D%/floor_smtp.c
%C%_floor_smtp_LDADD = $(MAIL_REPORT_LIBS)
%C%_floor_http_SOURCES = %D%/floor_http.c
%C%_floor_http_LDADD = $(FCGI_LIBS) $(MARIADB_LIBS)
CLEANFILES += $(EXTRA_PROGRAMS)
EXTRA_DIST += %D%/bench.py %D%/instance.py %D%/load.py %D%/part_automation.py %D%/part_broadcasts.py %D%/part_claims.py \
	%D%/part_contacts.py %D%/part_drain.py %D%/part_figures.py %D%/part_http.py %D%/part_import.py %D%/part_journeys.py %D%/part_life.py %D%/part_pace.py %D%/part_pages.py %D%/part_reports.py %D%/part_search.py %D%/part_segments.py %D%/part_sending.py %D%/part_smtpd.py %D%/part_stored.py %D%/part_streams.py %D%/part_webhooks.py %D%/plot.py %D%/report.py \
	%D%/fastify/package.json %D%/fastify/package-lock.json %D%/fastify/server.mjs
dist_check_SCRIPTS += %D%/report_test.py
TESTS += %D%/report_test.py

# Takes most of an hour; BENCH takes options of %D%/bench.py, such as --quick, or names of parts, such as http.
bench: all
	$(MAKE) $(EXTRA_PROGRAMS)
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 -B '$(srcdir)/tests/bench/bench.py' $(BENCH)
.PHONY: bench
