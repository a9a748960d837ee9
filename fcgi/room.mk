# SPDX-License-Identifier: MIT
# fcgi: the HTTP service. The library is all of it but main and io, for the tests too.
noinst_LIBRARIES += libfcgi_room.a
libfcgi_room_a_SOURCES = \
	%D%/audit.c %D%/audit.h \
	%D%/auth.c %D%/auth.h \
	%D%/batch.c %D%/batch.h \
	%D%/call.c %D%/call.h \
	%D%/exchange.c %D%/exchange.h \
	%D%/front.c %D%/front.h \
	%D%/large.c %D%/large.h \
	%D%/multipart.c %D%/multipart.h \
	%D%/rates.c %D%/rates.h \
	%D%/record.c %D%/record.h \
	%D%/reply.c %D%/reply.h \
	%D%/request.c %D%/request.h \
	%D%/request_log.c %D%/request_log.h \
	%D%/routes.c %D%/routes.h \
	%D%/sending.c %D%/sending.h \
	%D%/serve.c %D%/serve.h \
	%D%/session.c %D%/session.h \
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
	%D%/resend/events.c \
	%D%/resend/front.c %D%/resend/front.h \
	%D%/resend/handlers.h \
	%D%/resend/logs.c %D%/resend/logs.h \
	%D%/resend/metrics.c \
	%D%/resend/parts.c \
	%D%/resend/people.c \
	%D%/resend/preview.c %D%/resend/preview.h \
	%D%/resend/properties.c \
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
	%D%/handlers/handlers.h \
	%D%/handlers/audiences.c \
	%D%/handlers/audit.c \
	%D%/handlers/automation_contacts.c \
	%D%/handlers/broadcast_trial.c \
	%D%/handlers/broadcasts.c \
	%D%/handlers/contacts.c \
	%D%/handlers/creator.c \
	%D%/handlers/domain_parts.c \
	%D%/handlers/domains.c \
	%D%/handlers/download.c \
	%D%/handlers/email_message.c \
	%D%/handlers/email_view.c \
	%D%/handlers/email_waiting.c \
	%D%/handlers/emails.c \
	%D%/handlers/emails_batch.c \
	%D%/handlers/events.c \
	%D%/handlers/execution_steps.c \
	%D%/handlers/executions.c \
	%D%/handlers/import_files.c %D%/handlers/imports.c \
	%D%/handlers/keys.c \
	%D%/handlers/page.c \
	%D%/handlers/people.c \
	%D%/handlers/properties.c \
	%D%/handlers/topics.c %D%/handlers/looks.c \
	%D%/handlers/choices.c %D%/handlers/choices.h %D%/handlers/words.c %D%/handlers/words.h \
	%D%/handlers/confirm.c %D%/handlers/opt_in.c \
	%D%/handlers/form.c %D%/handlers/form_body.c %D%/handlers/form_body.h \
	%D%/handlers/form_page.c %D%/handlers/form_page.h %D%/handlers/forms.c \
	%D%/handlers/sheet.c %D%/handlers/sheet.h \
	%D%/handlers/providers.c \
	%D%/handlers/requests.c \
	%D%/handlers/segments.c \
	%D%/handlers/service.c \
	%D%/handlers/sessions.c \
	%D%/handlers/simulation.c \
	%D%/handlers/stats.c \
	%D%/handlers/suppressions.c \
	%D%/handlers/templates.c \
	%D%/handlers/tracking.c \
	%D%/handlers/unsubscribe.c \
	%D%/handlers/users.c \
	%D%/handlers/waiting.c \
	%D%/handlers/webhook_deliveries.c \
	%D%/handlers/webhooks.c \
	%D%/handlers/workflow_versions.c \
	%D%/handlers/workflows.c \
	%D%/handlers/workspace.c
libfcgi_room_a_CFLAGS = $(AM_CFLAGS) $(FCGI_CFLAGS)
FCGI_ROOM_LIBS = libfcgi_room.a $(BROADCAST_LIBS)


bin_cgidir = $(libexecdir)/posthouse
bin_cgi_PROGRAMS = posthouse.fcgi
posthouse_fcgi_SOURCES = %D%/main.c %D%/acceptor.c %D%/acceptor.h %D%/io.c %D%/io.h
posthouse_fcgi_CFLAGS = $(AM_CFLAGS) $(FCGI_CFLAGS)
posthouse_fcgi_LDADD = $(FCGI_ROOM_LIBS) $(FCGI_LIBS)
dist_man_MANS += man/posthouse.fcgi.8
