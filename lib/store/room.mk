# SPDX-License-Identifier: MIT
noinst_LIBRARIES += libstore.a
libstore_a_SOURCES = \
	%D%/automation/digest.c %D%/automation/digest.h \
	%D%/automation/event.c %D%/automation/event.h \
	%D%/automation/event_type.c %D%/automation/event_type.h \
	%D%/automation/execution.h \
	%D%/automation/execution_read.c \
	%D%/automation/execution_step.c %D%/automation/execution_step.h \
	%D%/automation/execution_write.c \
	%D%/automation/feedback.c %D%/automation/feedback.h \
	%D%/automation/heard.c %D%/automation/heard.h \
	%D%/automation/keyed.c %D%/automation/keyed.h \
	%D%/automation/step_request.c %D%/automation/step_request.h \
	%D%/automation/own.c %D%/automation/own.h \
	%D%/automation/tick.c %D%/automation/tick.h \
	%D%/automation/look.c %D%/automation/look.h \
	%D%/automation/secret.c %D%/automation/secret.h \
	%D%/automation/start.c %D%/automation/start.h %D%/automation/start_status.h \
	%D%/automation/watch.c %D%/automation/watch.h \
	%D%/automation/workflow.c %D%/automation/workflow.h \
	%D%/automation/workflow_trigger.c \
	%D%/broadcast/attachment.c %D%/broadcast/attachment.h \
	%D%/broadcast/broadcast.c %D%/broadcast/broadcast.h \
	%D%/broadcast/engagement.c %D%/broadcast/engagement.h \
	%D%/broadcast/engagement_links.c %D%/broadcast/engagement_links.h \
	%D%/broadcast/event.c %D%/broadcast/event.h \
	%D%/broadcast/join.c %D%/broadcast/join.h \
	%D%/broadcast/list.c %D%/broadcast/list.h \
	%D%/broadcast/mark.c %D%/broadcast/mark.h \
	%D%/broadcast/origin.c %D%/broadcast/origin.h \
	%D%/broadcast/part.c %D%/broadcast/part.h \
	%D%/broadcast/people.h \
	%D%/broadcast/recipient.c %D%/broadcast/recipient.h \
	%D%/broadcast/segment.c %D%/broadcast/segment.h \
	%D%/broadcast/status.h \
	%D%/broadcast/version.c %D%/broadcast/version.h \
	%D%/common/edit.c %D%/common/edit.h \
	%D%/common/finished.c %D%/common/finished.h \
	%D%/common/found.c %D%/common/found.h \
	%D%/common/listing.c %D%/common/listing.h \
	%D%/common/load.c %D%/common/load.h \
	%D%/common/metric.c %D%/common/metric.h \
	%D%/common/pages.c %D%/common/pages.h \
	%D%/common/rows.c %D%/common/rows.h \
	%D%/common/schema.c %D%/common/schema.h \
	%D%/common/schema_change.c %D%/common/schema_change.h \
	%D%/common/search.c %D%/common/search.h \
	%D%/common/server.c %D%/common/server.h \
	%D%/common/settle.c %D%/common/settle.h \
	%D%/common/turn.c %D%/common/turn.h \
	%D%/consent/act.c %D%/consent/act.h \
	%D%/consent/agreement.c %D%/consent/agreement.h \
	%D%/consent/agreement_join.c %D%/consent/agreement_join.h \
	%D%/consent/choice.c %D%/consent/choice.h \
	%D%/consent/choice_join.c %D%/consent/choice_join.h \
	%D%/consent/choice_part.c %D%/consent/choice_part.h \
	%D%/consent/confirmation.c %D%/consent/confirmation.h \
	%D%/consent/consent.c %D%/consent/consent.h \
	%D%/consent/form.c %D%/consent/form.h \
	%D%/consent/opt_in.c %D%/consent/opt_in.h \
	%D%/consent/snooze.c %D%/consent/snooze.h \
	%D%/consent/suppression.c %D%/consent/suppression.h \
	%D%/consent/suppression_join.c %D%/consent/suppression_join.h \
	%D%/consent/suppression_put.c \
	%D%/consent/topic.c %D%/consent/topic.h \
	%D%/domain/claim.c \
	%D%/domain/domain.c %D%/domain/domain.h \
	%D%/domain/key.c %D%/domain/key.h \
	%D%/domain/put.c %D%/domain/status.h \
	%D%/domain/report.c %D%/domain/report.h \
	%D%/domain/settings.c %D%/domain/settings.h \
	%D%/email/attachment.c %D%/email/attachment.h \
	%D%/email/body.c %D%/email/body.h \
	%D%/email/columns.h \
	%D%/email/content.c %D%/email/content.h \
	%D%/email/email.c %D%/email/email.h \
	%D%/email/event.c %D%/email/event.h \
	%D%/email/event_insert.c \
	%D%/email/key.h \
	%D%/email/join.c %D%/email/join.h \
	%D%/email/list.c \
	%D%/email/read.c \
	%D%/email/status.c %D%/email/status.h \
	%D%/email/stream.c %D%/email/stream.h \
	%D%/email/recipients.c %D%/email/recipients.h \
	%D%/feedback/provider.c %D%/feedback/provider.h \
	%D%/feedback/report.c %D%/feedback/report.h \
	%D%/figure/figure.c %D%/figure/figure.h \
	%D%/figure/fold.c \
	%D%/figure/hour.c %D%/figure/hour.h \
	%D%/figure/list.c \
	%D%/figure/sum.c %D%/figure/sum.h \
	%D%/figure/tag.c %D%/figure/tag.h \
	%D%/outbox/claim.c \
	%D%/outbox/join.c %D%/outbox/join.h %D%/outbox/key.h \
	%D%/outbox/outbox.c %D%/outbox/outbox.h \
	%D%/outbox/place.c %D%/outbox/place.h \
	%D%/outbox/queue.c %D%/outbox/queue.h \
	%D%/outbox/relay_copy.c %D%/outbox/relay_copy.h \
	%D%/outbox/route.c %D%/outbox/route.h \
	%D%/outbox/schedule.c %D%/outbox/schedule.h \
	%D%/outbox/sending.c %D%/outbox/sending.h \
	%D%/outbox/stream.c %D%/outbox/stream.h \
	%D%/outbox/warmup.c %D%/outbox/warmup.h \
	%D%/person/activity.c %D%/person/activity.h \
	%D%/person/audience.c %D%/person/audience.h \
	%D%/person/contact.c %D%/person/contact.h \
	%D%/person/contact_inner.h \
	%D%/person/contact_make.c \
	%D%/person/contact_put.c \
	%D%/person/email.c %D%/person/email.h \
	%D%/person/event.c %D%/person/event.h \
	%D%/person/import.c %D%/person/import.h \
	%D%/person/join.c %D%/person/join.h \
	%D%/person/membership.c %D%/person/membership.h \
	%D%/person/move.c %D%/person/move.h \
	%D%/person/people.c %D%/person/people.h \
	%D%/person/people_scan.c %D%/person/people_scan.h \
	%D%/person/person.c %D%/person/person.h \
	%D%/person/property.c %D%/person/property.h \
	%D%/received/event.c %D%/received/event.h \
	%D%/received/received.c %D%/received/received.h \
	%D%/received/route.c %D%/received/route.h \
	%D%/template/change.c %D%/template/change.h \
	%D%/template/draft.c %D%/template/draft.h \
	%D%/template/template.c %D%/template/template.h \
	%D%/template/keep.c %D%/template/keep.h \
	%D%/template/use.c %D%/template/use.h \
	%D%/template/version.c %D%/template/version.h \
	%D%/upkeep/erasure.c %D%/upkeep/erasure.h \
	%D%/upkeep/retention.c %D%/upkeep/retention.h \
	%D%/webhook/claim.c %D%/webhook/claim.h \
	%D%/webhook/delivery.c %D%/webhook/delivery.h \
	%D%/webhook/enqueue.c %D%/webhook/enqueue.h \
	%D%/webhook/erase.c %D%/webhook/erase.h \
	%D%/webhook/event_data.c %D%/webhook/event_data.h \
	%D%/webhook/retention.c %D%/webhook/retention.h \
	%D%/webhook/webhook.c %D%/webhook/webhook.h \
	%D%/workspace/audit.c %D%/workspace/audit.h \
	%D%/workspace/audit_name.c %D%/workspace/audit_name.h \
	%D%/workspace/creator.c %D%/workspace/creator.h \
	%D%/workspace/idempotency.c %D%/workspace/idempotency.h \
	%D%/workspace/key.c %D%/workspace/key.h \
	%D%/workspace/limit.c %D%/workspace/limit.h \
	%D%/workspace/note.c %D%/workspace/note.h \
	%D%/workspace/preference_page.c %D%/workspace/preference_page.h \
	%D%/workspace/quota.c %D%/workspace/quota.h \
	%D%/workspace/request_history.c %D%/workspace/request_history.h \
	%D%/workspace/request_log.c %D%/workspace/request_log.h \
	%D%/workspace/session.c %D%/workspace/session.h \
	%D%/workspace/sign_in.c %D%/workspace/sign_in.h \
	%D%/workspace/user.c %D%/workspace/user.h \
	%D%/workspace/workspace.c %D%/workspace/workspace.h
libstore_a_CFLAGS = $(AM_CFLAGS)
STORE_LIBS = libstore.a $(DB_LIBS) $(PROCESS_LIBS)
