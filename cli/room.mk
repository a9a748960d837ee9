# SPDX-License-Identifier: MIT
# cli: the admin program. The library is all of it but main, for the tests too.
noinst_LIBRARIES += libcli.a
libcli_a_SOURCES = \
	%D%/archive.c %D%/archive.h \
	%D%/audience.c %D%/audience.h \
	%D%/audit.c %D%/audit.h \
	%D%/backup.c %D%/backup.h \
	%D%/broadcast.c \
	%D%/call.c %D%/call.h \
	%D%/check.c \
	%D%/check_bimi.c \
	%D%/check_database.c \
	%D%/check_domain.c \
	%D%/check_hardening.c \
	%D%/check_log.c %D%/check_looks.c \
	%D%/check_provider.c \
	%D%/check_receiving.c \
	%D%/check_relay.c \
	%D%/check_sender.c \
	%D%/check_smtpd.c \
	%D%/check_spool.c \
	%D%/check_web.c \
	%D%/contact.c \
	%D%/demo.c %D%/demo.h %D%/demo_things.c %D%/demo_year.c \
	%D%/dmarc.c \
	%D%/doctor.c %D%/doctor.h \
	%D%/domain.c \
	%D%/dump.c %D%/dump.h \
	%D%/email.c %D%/email.h \
	%D%/event.c %D%/event.h \
	%D%/execution.c \
	%D%/export.c %D%/export.h %D%/export_people.c %D%/export_people.h \
	%D%/grammar.c %D%/grammar.h \
	%D%/help.c %D%/help.h \
	%D%/import.c %D%/import.h %D%/import_people.c %D%/import_people.h \
	%D%/key.c \
	%D%/maildir.c %D%/maildir.h \
	%D%/metrics.c \
	%D%/output.c %D%/output.h \
	%D%/person.c %D%/person.h \
	%D%/provider.c \
	%D%/property.c %D%/topic.c %D%/form.c \
	%D%/secret.c \
	%D%/start.c %D%/start.h \
	%D%/segment.c \
	%D%/sending.c \
	%D%/progress.c %D%/progress.h \
	%D%/receive.c %D%/receive.h \
	%D%/received.c \
	%D%/report.c \
	%D%/route.c \
	%D%/restore.c \
	%D%/schema.c \
	%D%/sendmail.c %D%/sendmail.h %D%/sendmail_session.c %D%/sendmail_store.c \
	%D%/spool.c \
	%D%/stats.c \
	%D%/stream.c \
	%D%/suppression.c \
	%D%/suppression_words.c %D%/suppression_words.h \
	%D%/template.c \
	%D%/text.c %D%/text.h \
	%D%/user.c \
	%D%/words.c %D%/words.h \
	%D%/value.c %D%/value.h \
	%D%/webhook.c \
	%D%/workflow.c \
	%D%/workflow_file.c %D%/workflow_file.h %D%/workflow_find.c %D%/workflow_find.h \
	%D%/workspace.c
libcli_a_CFLAGS = $(AM_CFLAGS)
CLI_LIBS = libcli.a $(INTAKE_LIBS) libstart.a $(BROADCAST_LIBS)

bin_PROGRAMS = posthouse
posthouse_SOURCES = %D%/main.c
posthouse_CFLAGS = $(AM_CFLAGS)
posthouse_LDADD = $(CLI_LIBS)

# posthouse(1) is made of its template and of the grammar.
noinst_PROGRAMS += %D%/manual_doc
%C%_manual_doc_SOURCES = %D%/manual_doc.c
%C%_manual_doc_LDADD = $(CLI_LIBS)
EXTRA_DIST += man/posthouse.1.in
dist_man_MANS += man/posthouse.1
CLEANFILES += man/posthouse.1
man/posthouse.1: man/posthouse.1.in %D%/manual_doc$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) man && %D%/manual_doc$(EXEEXT) $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@
