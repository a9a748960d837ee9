# SPDX-License-Identifier: MIT
# fcgi: the HTTP service. The library is all of it but main and io, for the tests too.
noinst_LIBRARIES += libfcgi_room.a
libfcgi_room_a_SOURCES = \
	%D%/api/alone.c %D%/api/alone.h \
	%D%/api/audit.c %D%/api/audit.h \
	%D%/api/auth.c %D%/api/auth.h \
	%D%/api/batch.c %D%/api/batch.h \
	%D%/api/context.c %D%/api/context.h \
	%D%/api/edit.c %D%/api/edit.h \
	%D%/api/transaction.c %D%/api/transaction.h \
	%D%/api/front.c %D%/api/front.h \
	%D%/api/heavy.c %D%/api/heavy.h \
	%D%/http/multipart.c %D%/http/multipart.h \
	%D%/http/record.c %D%/http/record.h \
	%D%/http/reply.c %D%/http/reply.h \
	%D%/http/request.c %D%/http/request.h \
	%D%/api/request_log.c %D%/api/request_log.h \
	%D%/api/routes.c %D%/api/routes.h \
	%D%/api/sending.c %D%/api/sending.h \
	%D%/api/gather.c %D%/api/gather.h \
	%D%/api/host.c %D%/api/host.h \
	%D%/api/session.c %D%/api/session.h \
	%D%/resend/api_keys.c \
	%D%/resend/attachments.c \
	%D%/resend/automation_runs.c \
	%D%/resend/automations.c \
	%D%/resend/broadcast_results.c \
	%D%/resend/broadcasts.c \
	%D%/resend/contact_imports.c \
	%D%/resend/contacts.c \
	%D%/resend/domains.c \
	%D%/resend/email.c %D%/resend/email.h \
	%D%/resend/email_view.c \
	%D%/resend/emails.c \
	%D%/resend/emails_batch.c \
	%D%/resend/error.c %D%/resend/error.h \
	%D%/resend/limits.h \
	%D%/resend/events.c \
	%D%/resend/front.c %D%/resend/front.h \
	%D%/resend/handlers.h \
	%D%/resend/logs.c %D%/resend/logs.h \
	%D%/resend/metrics.c \
	%D%/resend/parts.c \
	%D%/resend/people.c \
	%D%/resend/preview.c %D%/resend/preview.h \
	%D%/resend/properties.c \
	%D%/resend/receiving.c \
	%D%/resend/segments.c \
	%D%/resend/steps.c %D%/resend/steps.h \
	%D%/resend/steps_back.c \
	%D%/resend/steps_check.c \
	%D%/resend/steps_words.c %D%/resend/steps_words.h \
	%D%/resend/suppressions.c \
	%D%/resend/templates.c \
	%D%/resend/topics.c \
	%D%/resend/webhook_events.c \
	%D%/resend/webhooks.c \
	%D%/v1/handlers.h \
	%D%/v1/routes.c \
	%D%/v1/audiences.c \
	%D%/v1/audit.c \
	%D%/v1/automation_contacts.c \
	%D%/v1/broadcast_trial.c \
	%D%/v1/broadcasts.c \
	%D%/v1/contacts.c \
	%D%/v1/creator.c \
	%D%/v1/domain_parts.c \
	%D%/v1/domain_settings.c \
	%D%/v1/domain_routes.c \
	%D%/v1/dmarc.c \
	%D%/v1/domains.c \
	%D%/public/download.c %D%/public/received_download.c \
	%D%/v1/received.c \
	%D%/v1/email_message.c \
	%D%/v1/email_view.c \
	%D%/v1/email_waiting.c \
	%D%/v1/emails.c \
	%D%/v1/emails_batch.c \
	%D%/v1/events.c \
	%D%/v1/execution_steps.c \
	%D%/v1/executions.c \
	%D%/v1/import_files.c %D%/v1/imports.c \
	%D%/v1/keys.c \
	%D%/v1/named_list.c %D%/v1/named_list.h \
	%D%/v1/page.c \
	%D%/v1/people.c \
	%D%/v1/people_bulk.c \
	%D%/v1/properties.c \
	%D%/v1/topics.c %D%/v1/branding.c \
	%D%/public/choices.c %D%/public/choices.h %D%/public/words.c %D%/public/words.h \
	%D%/public/confirm.c %D%/v1/opt_in.c \
	%D%/public/form.c %D%/public/form_body.c %D%/public/form_body.h \
	%D%/public/form_page.c %D%/public/form_page.h %D%/v1/forms.c \
	%D%/public/sheet.c %D%/public/sheet.h \
	%D%/v1/providers.c \
	%D%/v1/requests.c \
	%D%/v1/secrets.c \
	%D%/v1/streams.c \
	%D%/v1/segments.c \
	%D%/v1/service.c \
	%D%/v1/sessions.c \
	%D%/v1/simulation.c \
	%D%/v1/sending_rules.c \
	%D%/v1/snooze.c \
	%D%/v1/starts.c \
	%D%/v1/stats.c \
	%D%/v1/suppressions.c \
	%D%/v1/templates.c \
	%D%/public/tracking.c \
	%D%/public/unsubscribe.c \
	%D%/v1/notes.c \
	%D%/v1/users.c \
	%D%/v1/versions.c \
	%D%/v1/waiting.c \
	%D%/v1/webhook_deliveries.c \
	%D%/v1/webhooks.c \
	%D%/v1/workflow_versions.c \
	%D%/v1/workflows.c \
	%D%/v1/workspace.c
libfcgi_room_a_CFLAGS = $(AM_CFLAGS) $(FCGI_CFLAGS)
FCGI_ROOM_LIBS = libfcgi_room.a libstart.a $(BROADCAST_LIBS)


bin_cgidir = $(libexecdir)/posthouse
bin_cgi_PROGRAMS = posthouse.fcgi
posthouse_fcgi_SOURCES = %D%/main.c %D%/http/acceptor.c %D%/http/acceptor.h %D%/http/io.c %D%/http/io.h \
	%D%/http/storer.c %D%/http/storer.h
posthouse_fcgi_CFLAGS = $(AM_CFLAGS) $(FCGI_CFLAGS)
posthouse_fcgi_LDADD = $(FCGI_ROOM_LIBS) $(FCGI_LIBS)
dist_man_MANS += man/posthouse.fcgi.8
