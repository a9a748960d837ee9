# SPDX-License-Identifier: MIT
# core: what happens to an email
noinst_LIBRARIES += libcore.a
libcore_a_SOURCES = \
	%D%/attachment.c %D%/attachment.h \
	%D%/attempt.c %D%/attempt.h \
	%D%/batch.c %D%/batch.h \
	%D%/bounce.c %D%/bounce.h \
	%D%/compose.c %D%/compose.h \
	%D%/choose.c %D%/choose.h \
	%D%/consent.c %D%/consent.h \
	%D%/contact.c %D%/contact.h \
	%D%/contact_import.c %D%/contact_import.h \
	%D%/history.c %D%/history.h \
	%D%/person.c %D%/person.h %D%/person_view.c %D%/person_view.h \
	%D%/content.c %D%/content.h \
	%D%/core.c %D%/core.h \
	%D%/deliver.c %D%/deliver.h \
	%D%/derive.c %D%/derive.h \
	%D%/destination.c %D%/destination.h \
	%D%/dns_check.c %D%/dns_check.h \
	%D%/domain.c %D%/domain.h \
	%D%/domain_view.c %D%/domain_view.h \
	%D%/draft.c %D%/draft.h \
	%D%/engagement.c %D%/engagement.h \
	%D%/erase.c %D%/erase.h \
	%D%/event_view.c %D%/event_view.h \
	%D%/figures.c %D%/figures.h \
	%D%/metrics.c %D%/metrics.h \
	%D%/metrics_text.c \
	%D%/import.c %D%/import.h %D%/import_batch.c %D%/import_batch.h \
	%D%/journal.c %D%/journal.h \
	%D%/key.c %D%/key.h \
	%D%/keyring.c %D%/keyring.h \
	%D%/message.c %D%/message.h \
	%D%/moment.c %D%/moment.h \
	%D%/provider.c %D%/provider.h \
	%D%/provider_match.c %D%/provider_match.h \
	%D%/provider_record.c %D%/provider_record.h \
	%D%/form.c %D%/form.h \
	%D%/opt_in.c %D%/opt_in.h %D%/opt_in_mail.c \
	%D%/part.c %D%/part.h \
	%D%/pace.c %D%/pace.h \
	%D%/pacing.c %D%/pacing.h \
	%D%/quota.c %D%/quota.h \
	%D%/raw.c %D%/raw.h \
	%D%/record.c %D%/record.h \
	%D%/recover.c %D%/recover.h \
	%D%/relay.c %D%/relay.h \
	%D%/report.c %D%/report.h \
	%D%/request.c %D%/request.h \
	%D%/return_path.c %D%/return_path.h \
	%D%/run.c %D%/run.h \
	%D%/schedule.c %D%/schedule.h \
	%D%/sendmail.c %D%/sendmail.h \
	%D%/sender.c %D%/sender.h \
	%D%/sign_in.c %D%/sign_in.h \
	%D%/submission.c %D%/submission.h \
	%D%/submit.c %D%/submit.h \
	%D%/suppress.c %D%/suppress.h \
	%D%/template.c %D%/template.h \
	%D%/test_address.c %D%/test_address.h \
	%D%/template_draft.c %D%/template_draft.h \
	%D%/template_fill.c %D%/template_fill.h \
	%D%/template_link.c %D%/template_link.h \
	%D%/template_render.c %D%/template_render.h \
	%D%/template_variables.c %D%/template_variables.h \
	%D%/tidy.c %D%/tidy.h \
	%D%/token.c %D%/token.h \
	%D%/tracking.c %D%/tracking.h \
	%D%/unsubscribe.c %D%/unsubscribe.h \
	%D%/variables.c %D%/variables.h \
	%D%/warmup.c %D%/warmup.h \
	%D%/webhook.c %D%/webhook.h \
	%D%/webhook_hold.c %D%/webhook_hold.h \
	%D%/webhook_notice.c %D%/webhook_notice.h \
	%D%/webhook_payload.c %D%/webhook_payload.h \
	%D%/webhook_resend.c %D%/webhook_resend.h \
	%D%/webhook_request.c %D%/webhook_request.h \
	%D%/webhook_schedule.c %D%/webhook_schedule.h \
	%D%/webhook_send.c %D%/webhook_send.h \
	%D%/webhook_test.c \
	%D%/webhook_unit.c %D%/webhook_unit.h \
	%D%/workspace.c %D%/workspace.h \
	%D%/zone.c %D%/zone.h \
	%D%/zone_match.c %D%/zone_match.h
libcore_a_CFLAGS = $(AM_CFLAGS)
CORE_LIBS = libcore.a $(STORE_LIBS) $(MAIL_LIBS) $(SMTP_LIBS) $(DNS_LIBS) $(FETCH_LIBS) $(PROVIDER_LIBS)
