# SPDX-License-Identifier: MIT
# cli: the admin program. The library is all of it but main, for the tests too.
noinst_LIBRARIES += libcli.a
libcli_a_SOURCES = \
	%D%/audience.c %D%/audience.h \
	%D%/call.c %D%/call.h \
	%D%/check.c %D%/check.h \
	%D%/check_database.c \
	%D%/check_relay.c \
	%D%/check_settings.c \
	%D%/check_spool.c \
	%D%/columns.c %D%/columns.h \
	%D%/contact.c %D%/contact.h \
	%D%/contact_erase.c \
	%D%/contact_import.c \
	%D%/count.c %D%/count.h \
	%D%/csv.c %D%/csv.h \
	%D%/doctor.c \
	%D%/domain.c \
	%D%/domain_show.c %D%/domain_show.h \
	%D%/email.c %D%/email.h \
	%D%/email_show.c \
	%D%/event.c \
	%D%/execution.c \
	%D%/formula.c %D%/formula.h \
	%D%/grammar.c %D%/grammar.h \
	%D%/help.c %D%/help.h \
	%D%/intake.c %D%/intake.h \
	%D%/key.c \
	%D%/maildir.c %D%/maildir.h \
	%D%/nouns.c %D%/nouns.h \
	%D%/outlet.c %D%/outlet.h \
	%D%/output.c %D%/output.h \
	%D%/page.c %D%/page.h \
	%D%/progress.c %D%/progress.h \
	%D%/report.c \
	%D%/schema.c \
	%D%/spool.c \
	%D%/suppression.c %D%/suppression.h \
	%D%/suppression_file.c \
	%D%/template.c \
	%D%/user.c \
	%D%/value.c %D%/value.h \
	%D%/words.c %D%/words.h \
	%D%/workflow.c %D%/workflow.h \
	%D%/workflow_check.c \
	%D%/workflow_file.c %D%/workflow_file.h \
	%D%/workflow_put.c \
	%D%/workflow_show.c \
	%D%/workflow_simulate.c \
	%D%/workspace.c \
	%D%/wrap.c %D%/wrap.h
libcli_a_CFLAGS = $(AM_CFLAGS) $(GIO_CFLAGS)
CLI_LIBS = libcli.a $(AUTOMATION_LIBS) $(CSV_LIBS) $(GIO_LIBS)

bin_PROGRAMS = posthouse
posthouse_SOURCES = %D%/main.c
posthouse_CFLAGS = $(AM_CFLAGS)
posthouse_LDADD = $(CLI_LIBS)
dist_man_MANS += man/posthouse.1
