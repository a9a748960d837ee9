# SPDX-License-Identifier: MIT
noinst_LIBRARIES += libstore.a
libstore_a_SOURCES = \
	%D%/activity.c %D%/activity.h \
	%D%/agreement.c %D%/agreement.h \
	%D%/agreement_join.c %D%/agreement_join.h \
	%D%/attachment.c %D%/attachment.h \
	%D%/audience.c %D%/audience.h \
	%D%/audit.c %D%/audit.h \
	%D%/automation_event.c %D%/automation_event.h \
	%D%/automation_feedback.c %D%/automation_feedback.h \
	%D%/body.c %D%/body.h \
	%D%/broadcast.c %D%/broadcast.h \
	%D%/broadcast_attachment.c %D%/broadcast_attachment.h \
	%D%/broadcast_event.c %D%/broadcast_event.h \
	%D%/broadcast_join.c %D%/broadcast_join.h \
	%D%/broadcast_list.c %D%/broadcast_list.h \
	%D%/broadcast_mark.c %D%/broadcast_mark.h \
	%D%/broadcast_origin.c %D%/broadcast_origin.h \
	%D%/broadcast_part.c %D%/broadcast_part.h \
	%D%/broadcast_people.h \
	%D%/broadcast_recipient.c %D%/broadcast_recipient.h \
	%D%/call.c %D%/call.h \
	%D%/choice.c %D%/choice.h \
	%D%/choice_join.c %D%/choice_join.h \
	%D%/choice_part.c %D%/choice_part.h \
	%D%/cohort.c %D%/cohort.h \
	%D%/confirmation.c %D%/confirmation.h \
	%D%/consent.c %D%/consent.h \
	%D%/contact.c %D%/contact.h \
	%D%/contact_import.c %D%/contact_import.h \
	%D%/contact_inner.h \
	%D%/contact_make.c \
	%D%/contact_put.c \
	%D%/content.c %D%/content.h \
	%D%/copy.c %D%/copy.h \
	%D%/creator.c %D%/creator.h \
	%D%/domain.c %D%/domain.h \
	%D%/domain_claim.c \
	%D%/domain_key.c %D%/domain_key.h \
	%D%/domain_put.c \
	%D%/email.c %D%/email.h \
	%D%/email_join.c %D%/email_join.h \
	%D%/email_list.c \
	%D%/email_read.c \
	%D%/email_recipients.c %D%/email_recipients.h \
	%D%/erasure.c %D%/erasure.h \
	%D%/event.c %D%/event.h \
	%D%/event_insert.c \
	%D%/event_type.c %D%/event_type.h \
	%D%/execution.h \
	%D%/execution_read.c \
	%D%/execution_step.c %D%/execution_step.h \
	%D%/execution_write.c \
	%D%/figure.c %D%/figure.h \
	%D%/figure_fold.c \
	%D%/figure_hour.c %D%/figure_hour.h \
	%D%/figure_list.c \
	%D%/figure_sum.c %D%/figure_sum.h \
	%D%/figure_tag.c %D%/figure_tag.h \
	%D%/form.c %D%/form.h \
	%D%/idempotency.c %D%/idempotency.h \
	%D%/key.c %D%/key.h \
	%D%/limit.c %D%/limit.h \
	%D%/listing.c %D%/listing.h \
	%D%/load.c %D%/load.h \
	%D%/looks.c %D%/looks.h \
	%D%/membership.c %D%/membership.h \
	%D%/metric.c %D%/metric.h \
	%D%/opt_in.c %D%/opt_in.h \
	%D%/outbox.c %D%/outbox.h \
	%D%/outbox_claim.c \
	%D%/outbox_join.c %D%/outbox_join.h \
	%D%/people.c %D%/people.h \
	%D%/person.c %D%/person.h \
	%D%/person_event.c %D%/person_event.h \
	%D%/person_join.c %D%/person_join.h \
	%D%/person_move.c %D%/person_move.h \
	%D%/property.c %D%/property.h \
	%D%/provider.c %D%/provider.h \
	%D%/queue.c %D%/queue.h \
	%D%/quota.c %D%/quota.h \
	%D%/reader.c %D%/reader.h \
	%D%/reader_links.c %D%/reader_links.h \
	%D%/report.c %D%/report.h \
	%D%/request_log.c %D%/request_log.h \
	%D%/retention.c %D%/retention.h \
	%D%/route.c %D%/route.h \
	%D%/schedule.c %D%/schedule.h \
	%D%/schema.c %D%/schema.h \
	%D%/schema_change.c %D%/schema_change.h \
	%D%/search.c %D%/search.h \
	%D%/segment.c %D%/segment.h \
	%D%/server.c %D%/server.h \
	%D%/session.c %D%/session.h \
	%D%/sign_in.c %D%/sign_in.h \
	%D%/suppression.c %D%/suppression.h \
	%D%/suppression_join.c %D%/suppression_join.h \
	%D%/suppression_put.c \
	%D%/template.c %D%/template.h \
	%D%/template_change.c %D%/template_change.h \
	%D%/template_draft.c %D%/template_draft.h \
	%D%/template_use.c %D%/template_use.h \
	%D%/topic.c %D%/topic.h \
	%D%/turn.c %D%/turn.h \
	%D%/user.c %D%/user.h \
	%D%/warmup.c %D%/warmup.h \
	%D%/webhook.c %D%/webhook.h \
	%D%/webhook_claim.c %D%/webhook_claim.h \
	%D%/webhook_delivery.c %D%/webhook_delivery.h \
	%D%/webhook_forget.c %D%/webhook_forget.h \
	%D%/webhook_kept.c %D%/webhook_kept.h \
	%D%/webhook_tell.c %D%/webhook_tell.h \
	%D%/webhook_told.c %D%/webhook_told.h \
	%D%/workflow.c %D%/workflow.h \
	%D%/workflow_trigger.c \
	%D%/workspace.c %D%/workspace.h
libstore_a_CFLAGS = $(AM_CFLAGS)
STORE_LIBS = libstore.a $(DB_LIBS) $(PROCESS_LIBS)
