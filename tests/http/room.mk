# SPDX-License-Identifier: MIT
EXTRA_DIST += %D%/dkim_dns.py
dist_check_SCRIPTS += %D%/servers.sh
TESTS += %D%/servers.sh

# http: the service as its clients meet it, through the real web servers
if HAVE_CRITERION
tests_http_common = \
	%D%/exchange.c %D%/exchange.h \
	%D%/judge.c \
	%D%/fixture.c %D%/fixture.h

check_PROGRAMS += %D%/http_test %D%/apache_test %D%/alone_test
TESTS += %D%/http_test %D%/apache_test %D%/alone_test
%C%_http_test_SOURCES = $(tests_http_common) \
	%D%/main.c \
	%D%/authentication.c \
	%D%/arrival.c %D%/arrival.h \
	%D%/audience.c %D%/audience.h \
	%D%/confirmation.c %D%/confirmation.h %D%/forms.c %D%/opt_in.c \
	%D%/people.c %D%/people_bulk.c %D%/people_consent.c %D%/people_random.c %D%/people_reach.c %D%/people_requests.c %D%/snooze.c %D%/consent.c %D%/properties.c %D%/segments.c %D%/audiences.c %D%/broadcast_attachments.c %D%/broadcast_trial.c %D%/broadcasts.c \
	%D%/automation.c %D%/automation.h \
	%D%/automation_contact_changes.c \
	%D%/automation_contacts.c \
	%D%/contact_list.c %D%/search.c \
	%D%/contact_model.c \
	%D%/contacts.c \
	%D%/dmarc.c %D%/domain_parts.c %D%/domain_routes.c %D%/domain_settings.c \
	%D%/domains.c \
	%D%/email.c %D%/email.h \
	%D%/email_addresses.c \
	%D%/email_attachments.c \
	%D%/email_batch.c \
	%D%/email_bodies.c \
	%D%/email_fields.c \
	%D%/email_headers.c \
	%D%/email_limits.c \
	%D%/email_message.c \
	%D%/email_list.c \
	%D%/email_read.c \
	%D%/email_schedule.c \
	%D%/email_variables.c \
	%D%/email_waiting.c \
	%D%/events.c \
	%D%/execution_emails.c \
	%D%/execution_steps.c \
	%D%/executions.c \
	%D%/idempotency.c \
	%D%/imports.c \
	%D%/guards.c \
	%D%/keys.c \
	%D%/limits.c \
	tests/fcgi/fake_io.c tests/fcgi/fake_io.h \
	%D%/manual.c \
	%D%/openapi.c %D%/openapi_names.c \
	%D%/openapi_path.c %D%/openapi_path.h \
	%D%/operation.c %D%/operation.h \
	%D%/schema.c %D%/schema.h \
	%D%/received.c \
	%D%/starts.c \
	%D%/stats.c \
	%D%/strict.c \
	%D%/template_preview.c \
	%D%/templates.c \
	%D%/tracking.c %D%/tracking.h \
	%D%/tracking_links.c \
	%D%/transport.c \
	%D%/unsubscribe.c \
	tests/mail/parsed.c tests/mail/parsed.h \
	%D%/person.c %D%/person.h \
	%D%/notes.c \
	%D%/invitations.c \
	%D%/providers.c \
	%D%/requests.c \
	%D%/routing.c \
	%D%/secrets.c \
	%D%/sessions.c \
	%D%/simulation.c \
	%D%/suppressions.c \
	%D%/users.c \
	%D%/versions.c \
	%D%/streams.c \
	%D%/waiting.c \
	%D%/webhook_deliveries.c \
	%D%/webhooks.c \
	%D%/workflow_runs.c \
	%D%/workflow_secrets.c \
	%D%/workflow_versions.c \
	%D%/workflows.c \
	%D%/workspace.c
%C%_http_test_LDFLAGS = $(KEPT_KEYS)
%C%_http_test_LDADD = $(FCGI_ROOM_LIBS) $(SUPPORT_LIBS) $(UPKEEP_LIBS) $(CURL_LIBS)

# Tests that depend on the web server
%C%_apache_test_SOURCES = $(tests_http_common) \
	%D%/main_apache.c \
	%D%/automation.c %D%/automation.h \
	%D%/automation_contact_changes.c \
	%D%/arrival.c %D%/arrival.h \
	%D%/automation_contacts.c \
	%D%/authentication.c \
	%D%/email.c %D%/email.h \
	%D%/routing.c \
	%D%/strict.c \
	%D%/tracking.c %D%/tracking.h \
	%D%/tracking_links.c \
	%D%/transport.c \
	tests/mail/parsed.c tests/mail/parsed.h
%C%_apache_test_LDFLAGS = $(KEPT_KEYS)
%C%_apache_test_LDADD = $(SUPPORT_LIBS) $(UPKEEP_LIBS) $(CURL_LIBS)

# Tests that change settings and break servers
%C%_alone_test_SOURCES = $(tests_http_common) \
	%D%/main_alone.c \
	%D%/alone.c %D%/alone.h \
	%D%/arrival.c %D%/arrival.h \
	%D%/audience.c %D%/audience.h \
	%D%/automation.c %D%/automation.h \
	%D%/automation_run.c %D%/stopping.c %D%/broadcast.c %D%/broadcast.h %D%/broadcast_run.c %D%/broadcast_told.c \
	%D%/sending_rules.c \
	%D%/consent_runs.c \
	%D%/delivery.c \
	%D%/domain_dns.c %D%/domain_tls.c %D%/domain_tracking.c \
	%D%/email.c %D%/email.h \
	%D%/email_fetched.c \
	%D%/forms_alone.c \
	%D%/import_files.c \
	%D%/log.c %D%/own_events.c %D%/own_starts.c %D%/confirmation.c %D%/confirmation.h \
	%D%/person.c %D%/person.h \
	%D%/removals.c \
	%D%/snooze_runs.c \
	%D%/requests_alone.c \
	%D%/segments_alone.c \
	%D%/sessions_alone.c \
	%D%/tracking.c %D%/tracking.h \
	%D%/trouble.c \
	%D%/unknown.c \
	%D%/webhook_tested.c \
	tests/resend/automation_run.c \
	tests/mail/parsed.c tests/mail/parsed.h
%C%_alone_test_LDFLAGS = $(KEPT_KEYS)
%C%_alone_test_LDADD = $(SUPPORT_LIBS) $(UPKEEP_LIBS) $(CURL_LIBS)
endif
