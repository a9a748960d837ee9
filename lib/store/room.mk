# SPDX-License-Identifier: MIT
noinst_LIBRARIES += libstore.a
libstore_a_SOURCES = \
	%D%/audience.c %D%/audience.h \
	%D%/automation_contact.h %D%/automation_event.h %D%/execution.h %D%/workflow.h \
	%D%/automation_contact_write.c %D%/automation_contact_write.h \
	%D%/automation_event_write.c %D%/automation_event_write.h \
	%D%/automation_feedback.c %D%/automation_feedback.h \
	%D%/feedback_queue.c %D%/feedback_queue.h \
	%D%/execution_wait.c %D%/execution_wait.h \
	%D%/execution_write.c %D%/execution_write.h \
	%D%/workflow_task.c %D%/workflow_task.h \
	%D%/workflow_trigger.c %D%/workflow_trigger.h \
	%D%/workflow_write.c %D%/workflow_write.h \
	%D%/automation_contact_read.c %D%/automation_event_read.c \
	%D%/execution_newest.c %D%/execution_newest.h \
	%D%/execution_read.c %D%/execution_row.c %D%/execution_row.h \
	%D%/execution_email.h %D%/execution_email_read.c %D%/workflow_read.c \
	%D%/body.c %D%/body.h \
	%D%/contact.c %D%/contact.h \
	%D%/choice.c %D%/choice.h \
	%D%/consent.c %D%/consent.h \
	%D%/contact_put.c \
	%D%/outbox_entry.c %D%/outbox_entry.h \
	%D%/contact_subscribe.c \
	%D%/creator.c %D%/creator.h \
	%D%/domain.c %D%/domain.h \
	%D%/domain_check.c %D%/domain_check.h \
	%D%/domain_claim.c %D%/domain_claim.h \
	%D%/domain_key.c %D%/domain_key.h \
	%D%/domain_read.c \
	%D%/email.c %D%/email.h \
	%D%/email_list.c \
	%D%/email_read.c \
	%D%/erasure.c %D%/erasure.h \
	%D%/erasure_automation.c \
	%D%/erasure_contacts.c \
	%D%/event.c %D%/event.h %D%/event_list.c \
	%D%/idempotency.c %D%/idempotency.h \
	%D%/key.c %D%/key.h \
	%D%/limit.c %D%/limit.h \
	%D%/listing.c %D%/listing.h \
	%D%/outbox.c %D%/outbox.h %D%/outbox_claim.c %D%/outbox_hold.c \
	%D%/outbox_waiting.c \
	%D%/quota.c %D%/quota.h \
	%D%/report.c %D%/report.h \
	%D%/reader.c %D%/reader.h \
	%D%/retention.c %D%/retention.h \
	%D%/schema.c %D%/schema.h \
	%D%/server.c %D%/server.h \
	%D%/suppression.c %D%/suppression.h \
	%D%/template.c %D%/template.h \
	%D%/turn.c %D%/turn.h \
	%D%/warmup.c %D%/warmup.h \
	%D%/workspace.c %D%/workspace.h
libstore_a_CFLAGS = $(AM_CFLAGS)
STORE_LIBS = libstore.a $(DB_LIBS) $(BASE_LIBS)
