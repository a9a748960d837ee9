# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/cli_test
TESTS += %D%/cli_test
%C%_cli_test_SOURCES = \
	%D%/audience.c \
	%D%/backup.c \
	%D%/backup_load.c \
	%D%/broadcast.c \
	%D%/broken.c %D%/broken.h \
	%D%/call.c \
	%D%/commands.c \
	%D%/contact.c \
	%D%/contact_many.c \
	%D%/demo.c %D%/dmarc.c \
	%D%/doctor.c \
	%D%/doctor_broken.c \
	%D%/doctor_dns.c \
	%D%/doctor_relay.c \
	%D%/domain.c \
	%D%/email.c \
	%D%/grammar.c \
	%D%/import.c \
	%D%/main.c \
	%D%/manual.c \
	%D%/news.c %D%/news.h \
	%D%/office.h \
	%D%/program.c %D%/program.h \
	%D%/provider.c \
	%D%/receive.c \
	%D%/report.c \
	%D%/sendmail.c \
	%D%/spool.c \
	%D%/suppression.c \
	%D%/person.c \
	%D%/property.c \
	%D%/secret.c \
	%D%/segment.c \
	%D%/sending.c \
	%D%/start.c \
	%D%/stats.c \
	%D%/stream.c \
	%D%/template.c \
	%D%/text.c \
	%D%/topic.c \
	%D%/value.c \
	%D%/webhook.c \
	%D%/workflow.c \
	%D%/workflow_file.c \
	tests/lib/posting.c tests/lib/posting.h \
	tests/lib/fixture.c tests/lib/fixture.h
%C%_cli_test_LDADD = $(SUPPORT_LIBS) $(CLI_LIBS)
EXTRA_%C%_cli_test_DEPENDENCIES = posthouse posthouse-spool
endif
EXTRA_DIST += \
	%D%/imports/brevo.csv \
	%D%/imports/excel.csv \
	%D%/imports/excel_unicode.txt \
	%D%/imports/google.csv \
	%D%/imports/hubspot.csv \
	%D%/imports/klaviyo.csv \
	%D%/imports/listmonk.csv \
	%D%/imports/mailchimp.csv \
	%D%/imports/mailchimp_cleaned.csv \
	%D%/imports/mailchimp_fields.csv \
	%D%/imports/mailchimp_unsubscribed.csv \
	%D%/imports/outlook_spanish.csv \
	%D%/imports/outlook.csv \
	%D%/imports/outlook_german.csv \
	%D%/imports/resend.csv \
	%D%/imports/sendgrid.csv
