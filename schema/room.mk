# SPDX-License-Identifier: MIT
# schema: the numbered steps, and the tables as they are, which lib/store/schema.c holds as two tables
schema_steps = \
	%D%/0001-workspace.sql %D%/0002-key.sql %D%/0003-domain.sql %D%/0004-body.sql \
	%D%/0005-template.sql %D%/0006-email.sql %D%/0007-event.sql %D%/0008-outbox.sql \
	%D%/0009-idempotency.sql %D%/0010-verification.sql %D%/0011-warmup.sql \
	%D%/0020-audience.sql %D%/0021-suppression.sql %D%/0022-erasure.sql \
	%D%/0030-workflow.sql %D%/0031-execution.sql %D%/0040-report.sql %D%/0041-tracking.sql \
	%D%/0050-entered.sql %D%/0051-visits.sql %D%/0060-limit.sql %D%/0061-quota.sql \
	%D%/0063-turn.sql %D%/0067-deaths.sql %D%/0068-execution-deaths.sql \
	%D%/0070-event-pages.sql %D%/0071-hearsay.sql %D%/0074-choice.sql %D%/0075-chosen.sql \
	%D%/0076-trace.sql %D%/0077-opened.sql %D%/0080-webhook.sql %D%/0085-idempotency.sql \
	%D%/0087-lists.sql %D%/0088-batch.sql %D%/0090-relay.sql %D%/0091-pace.sql \
	%D%/0092-warmup-limits.sql %D%/0094-provider.sql %D%/0096-metric.sql %D%/0098-test.sql \
	%D%/0100-region.sql %D%/0101-key-use.sql %D%/0102-sender.sql \
	%D%/0104-template-draft.sql %D%/0105-suppression-source.sql \
	%D%/0106-contact-newest.sql %D%/0110-person.sql %D%/0112-property.sql \
	%D%/0113-consent.sql %D%/0120-webhook-form.sql %D%/0121-resend-log.sql \
	%D%/0122-event-type.sql %D%/0123-automation.sql %D%/0124-contact-import.sql \
	%D%/0126-template-layout.sql %D%/0128-role.sql %D%/0129-session.sql %D%/0130-audit.sql \
	%D%/0131-event-name.sql %D%/0132-execution-step.sql %D%/0134-figure.sql \
	%D%/0135-counted.sql %D%/0138-choice-author.sql %D%/0139-email-topic.sql \
	%D%/0140-page.sql %D%/0142-opt-in.sql %D%/0143-confirmation.sql %D%/0144-form.sql \
	%D%/0145-segment.sql %D%/0146-activity.sql %D%/0147-cohort.sql %D%/0150-broadcast.sql \
	%D%/0151-broadcast-recipient.sql %D%/0152-broadcast-decide.sql \
	%D%/0153-broadcast-recipient-size.sql %D%/0154-broadcast-health.sql \
	%D%/0155-webhook-topic.sql %D%/0157-broadcast-rules.sql %D%/0158-api-call.sql \
	%D%/0162-outbox-bulk.sql %D%/0163-broadcast-recipient-kept.sql \
	%D%/0165-email-content.sql %D%/0185-outbox-turn.sql %D%/0187-choice-target.sql \
	%D%/0188-broadcast-resend.sql %D%/0205-invitation.sql \
	%D%/0206-sign-in-slow.sql %D%/0210-workspace-name.sql \
	%D%/0215-import-turn.sql %D%/0250-person-agreed.sql \
	%D%/0260-feedback-due.sql %D%/0261-form-origins.sql \
	%D%/0265-person-name.sql %D%/0266-template-preview.sql \
	%D%/0275-webhook-person.sql %D%/0280-import.sql \
	%D%/0285-broadcast-lacks-link.sql %D%/0286-broadcast-attachment.sql %D%/0295-person-named.sql \
	%D%/0305-template-version.sql %D%/0306-broadcast-version.sql %D%/0307-workflow-version-author.sql %D%/0308-note.sql \
	%D%/0330-domain-receiving.sql %D%/0331-receiving-route.sql %D%/0332-received.sql %D%/0333-received-event.sql \
	%D%/0334-webhook-received.sql %D%/0350-secret.sql %D%/0360-start.sql %D%/0361-execution-start.sql \
	%D%/0380-workflow-heard.sql \
	%D%/0381-feedback-own.sql \
	%D%/0382-segment-look.sql \
	%D%/0383-workflow-schedule.sql \
	%D%/0384-workflow-included.sql \
	%D%/0385-execution-end.sql \
	%D%/0386-workflow-key.sql \
	%D%/0387-execution-watch.sql \
	%D%/0388-digest.sql \
	%D%/0390-step-given.sql \
	%D%/0391-step-request.sql \
	%D%/0395-sending-rule.sql \
	%D%/0396-workspace-sending.sql \
	%D%/0397-sending-place.sql \
	%D%/0398-email-sending.sql \
	%D%/0400-snooze.sql \
	%D%/0405-stream.sql \
	%D%/0410-domain-settings.sql \
	%D%/0411-domain-tracking.sql \
	%D%/0415-domain-report.sql \
	%D%/0420-figure-replied.sql %D%/0421-recipient-replied.sql \
	%D%/0460-heard-goal.sql %D%/0470-heard-goal-within.sql \
	%D%/0471-event-tree.sql %D%/0472-event-recipient.sql \
	%D%/0473-outbox-due.sql %D%/0474-outbox-ready.sql \
	%D%/0484-recipient-sent.sql \
	%D%/0485-recipient-listed.sql %D%/0486-recipient-status.sql %D%/0487-event-time.sql \
	%D%/0488-webhook-recipient.sql \
	%D%/0490-email-sent.sql %D%/0491-email-key.sql \
	%D%/0492-place-email.sql %D%/0493-outbox-key.sql \
	%D%/0495-received-automatic.sql %D%/0496-received-automatic.sql \
	%D%/0497-recipient-status.sql %D%/0499-recipient-listed.sql \
	%D%/0509-digest-opened.sql
# In an order in which foreign keys find their tables.
schema_now = \
	%D%/now/schema.sql %D%/now/workspace.sql %D%/now/domain.sql %D%/now/content.sql %D%/now/email.sql \
	%D%/now/provider.sql %D%/now/received.sql %D%/now/person.sql %D%/now/consent.sql %D%/now/automation.sql %D%/now/broadcast.sql \
	%D%/now/sending.sql \
	%D%/now/webhook.sql %D%/now/figure.sql
EXTRA_DIST += $(schema_steps) $(schema_now) %D%/embed.awk
BUILT_SOURCES += %D%/steps.h
CLEANFILES += %D%/steps.h
%D%/steps.h: $(schema_steps) $(schema_now) %D%/embed.awk %D%/room.mk
	$(AM_V_GEN)$(MKDIR_P) schema && cd $(srcdir) && \
		$(AWK) -f %D%/embed.awk $(schema_steps) $(schema_now) >$(abs_builddir)/$@.tmp && \
		mv $(abs_builddir)/$@.tmp $(abs_builddir)/$@

dist_check_SCRIPTS += %D%/now.py
TESTS += %D%/now.py

# After a new step: brings schema/now to what the steps make, and shows the difference. It needs MariaDB.
schema-now:
	srcdir='$(abs_top_srcdir)' '$(srcdir)/%D%/now.py' write
.PHONY: schema-now
