# SPDX-License-Identifier: MIT
# resend: the front /resend as its clients meet it, through a real web server
dist_check_SCRIPTS += %D%/client.sh %D%/examples.sh %D%/recorded.sh
TESTS += %D%/client.sh %D%/examples.sh %D%/recorded.sh
EXTRA_DIST += %D%/clients/replay.py %D%/clients/record.py %D%/clients/anymail.jsonl %D%/clients/go.jsonl %D%/clients/laravel.jsonl \
	%D%/clients/dotnet.jsonl %D%/clients/elixir.jsonl %D%/clients/java.jsonl %D%/clients/rust.jsonl \
	%D%/clients/php.jsonl %D%/clients/python.jsonl %D%/clients/rails.jsonl %D%/clients/ruby.jsonl %D%/clients/symfony.jsonl
EXTRA_DIST += \
	%D%/client/adapters.mjs \
	%D%/client/cli.mjs \
	%D%/client/mcp.mjs \
	%D%/client/methods.mjs \
	%D%/client/older.mjs \
	%D%/client/package-lock.json \
	%D%/client/package.json \
	%D%/client/peers.mjs \
	%D%/client/record.mjs \
	%D%/client/run.mjs \
	%D%/matrix.py

if HAVE_CRITERION
check_PROGRAMS += %D%/resend_test %D%/alone_test
TESTS += %D%/resend_test %D%/alone_test
%C%_resend_test_SOURCES = \
	$(tests_http_common) \
	%D%/main.c \
	%D%/api_keys.c \
	%D%/attachments.c \
	%D%/automations.c \
	%D%/batch.c \
	%D%/clients.c \
	%D%/conventions.c \
	%D%/domains.c \
	%D%/email_read.c \
	%D%/emails.c \
	%D%/events.c \
	%D%/habits.c \
	%D%/letter.c %D%/letter.h \
	%D%/parts.c \
	%D%/people.c \
	%D%/receiving.c \
	%D%/segments.c \
	%D%/suppressions.c \
	%D%/table.c \
	%D%/templates.c \
	%D%/topics.c \
	%D%/unserved.h \
	%D%/webhooks.c \
	tests/fcgi/fake_io.c tests/fcgi/fake_io.h \
	tests/http/arrival.c tests/http/arrival.h \
	tests/mail/parsed.c tests/mail/parsed.h
%C%_resend_test_LDFLAGS = $(KEPT_KEYS)
%C%_resend_test_LDADD = $(FCGI_ROOM_LIBS) $(SUPPORT_LIBS) $(UPKEEP_LIBS) $(CURL_LIBS)

# Tests that change settings and break servers
%C%_alone_test_SOURCES = \
	$(tests_http_common) \
	%D%/alone.c \
	%D%/automation_run.c \
	%D%/broadcasts.c \
	%D%/contact_imports.c \
	%D%/logs.c \
	%D%/webhooks_told.c \
	tests/http/alone.c tests/http/alone.h \
	tests/http/arrival.c tests/http/arrival.h \
	tests/http/email.c tests/http/email.h \
	tests/http/main_alone.c \
	tests/http/tracking.c tests/http/tracking.h \
	tests/mail/parsed.c tests/mail/parsed.h
%C%_alone_test_LDFLAGS = $(KEPT_KEYS)
%C%_alone_test_LDADD = $(SUPPORT_LIBS) $(UPKEEP_LIBS) $(CURL_LIBS)
endif
