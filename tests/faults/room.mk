# SPDX-License-Identifier: MIT
# faults: the programs with crash points, and the proof that nothing is lost or doubled
fault_sources = lib/base/fault.c lib/db/transaction.c lib/service/journal.c lib/delivery/sender.c lib/delivery/message.c \
	lib/webhook/lease.c
fault_programs = %D%/posthouse.fcgi %D%/posthouse-spool %D%/posthouse-smtpd
check_PROGRAMS += $(fault_programs)
%C%_posthouse_fcgi_SOURCES = $(posthouse_fcgi_SOURCES) $(fault_sources)
%C%_posthouse_fcgi_CFLAGS = $(AM_CFLAGS) $(FCGI_CFLAGS) $(MARIADB_CFLAGS) -DENABLE_FAULTS
%C%_posthouse_fcgi_LDADD = $(posthouse_fcgi_LDADD)
%C%_posthouse_spool_SOURCES = $(posthouse_spool_SOURCES) $(fault_sources) lib/automation/batch.c \
	lib/automation/digest_stored.c lib/automation/execution_step.c lib/start/look.c lib/webhook/step_answers.c \
	lib/webhook/step_requests.c
%C%_posthouse_spool_CFLAGS = $(AM_CFLAGS) $(MARIADB_CFLAGS) -DENABLE_FAULTS
%C%_posthouse_spool_LDADD = $(posthouse_spool_LDADD)
%C%_posthouse_smtpd_SOURCES = $(posthouse_smtpd_SOURCES) lib/base/fault.c lib/db/transaction.c lib/received/take.c \
	smtpd/session.c
%C%_posthouse_smtpd_CFLAGS = $(AM_CFLAGS) $(MARIADB_CFLAGS) -DENABLE_FAULTS
%C%_posthouse_smtpd_LDADD = $(posthouse_smtpd_LDADD)
# Preloaded into a database server.
%D%/hold.so: %D%/hold.c
	$(AM_V_CC)$(MKDIR_P) %D% && $(CC) -O2 -shared -fPIC -o $@ $(srcdir)/%D%/hold.c -ldl
check_DATA += %D%/hold.so
CLEANFILES += %D%/hold.so
EXTRA_DIST += %D%/hold.c
EXTRA_DIST += %D%/broadcast.py %D%/cluster.py %D%/faults.py %D%/galera.py %D%/receiver.py %D%/relay.py %D%/upgrade.py
dist_check_SCRIPTS += %D%/short.sh %D%/relays.sh %D%/poison.py %D%/workflows.py %D%/consent.py %D%/settle.py %D%/door.py %D%/steps.py
TESTS += %D%/short.sh %D%/relays.sh %D%/poison.py %D%/workflows.py %D%/consent.py %D%/settle.py %D%/door.py %D%/steps.py

# Minutes long; FAULTS takes options of %D%/faults.py, such as --seed N.
faults: all
	$(MAKE) $(fault_programs)
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 '$(srcdir)/tests/faults/faults.py' $(FAULTS)
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 '$(srcdir)/tests/faults/faults.py' \
		--relays 2 --emails 20000 --kills 300 $(FAULTS)
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 '$(srcdir)/tests/faults/broadcast.py'
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 '$(srcdir)/tests/faults/poison.py' --long
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 '$(srcdir)/tests/faults/door.py' --long
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 '$(srcdir)/tests/faults/steps.py' --long
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 '$(srcdir)/tests/faults/upgrade.py' \
		--rows 100000 --kills 3

# posthouse schema migrate on 1,000,000 rows, while requests go on; UPGRADE takes options of %D%/upgrade.py.
upgrade: all
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 '$(srcdir)/tests/faults/upgrade.py' $(UPGRADE)

# A cluster of three nodes; GALERA takes options of %D%/galera.py.
galera: all
	$(MAKE) tests/bench/fill
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 '$(srcdir)/tests/faults/galera.py' $(GALERA)
.PHONY: faults galera upgrade
