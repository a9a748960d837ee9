# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/store_test
TESTS += %D%/store_test
%C%_store_test_SOURCES = \
	%D%/automation_lists.c \
	%D%/audience.c \
	%D%/body.c \
	%D%/broadcast_list.c \
	%D%/call.c \
	%D%/agreement_join.c %D%/choice_join.c \
	%D%/content.c \
	%D%/consent.c \
	%D%/contact.c \
	%D%/person_join.c \
	%D%/person_told.c \
	%D%/outbox_entries.c %D%/outbox_entries.h \
	%D%/domain.c \
	%D%/domain_claim.c \
	%D%/domain_key.c \
	%D%/email.c \
	%D%/email_read.c \
	%D%/event.c \
	%D%/execution_read.c \
	%D%/figure.c \
	%D%/idempotency.c \
	%D%/key.c \
	%D%/emails.c %D%/emails.h \
	%D%/limit.c \
	%D%/main.c \
	%D%/outbox.c \
	%D%/outbox_claim.c \
	%D%/fixture.c %D%/fixture.h \
	%D%/queue.c \
	%D%/report.c \
	%D%/reader.c \
	%D%/request_log.c \
	%D%/retention.c \
	%D%/schedule.c \
	%D%/schema.c \
	%D%/schema_change.c \
	%D%/server.c \
	%D%/suppression.c \
	%D%/template.c \
	%D%/turn.c \
	%D%/warmup.c \
	%D%/webhook.c \
	%D%/webhook_delivery.c \
	%D%/workspace.c
%C%_store_test_LDADD = $(SUPPORT_LIBS) $(STORE_LIBS)
# %D%/turn.c stops the clock
%C%_store_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=base_clock_boot
endif
