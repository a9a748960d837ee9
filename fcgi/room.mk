# SPDX-License-Identifier: MIT
# fcgi: the HTTP service. The library is all of it but main and io, for the tests too.
noinst_LIBRARIES += libfcgi_room.a
libfcgi_room_a_SOURCES = \
	%D%/auth.c %D%/auth.h \
	%D%/client.c %D%/client.h \
	%D%/large.c %D%/large.h \
	%D%/location.c %D%/location.h \
	%D%/call.h \
	%D%/handlers/audiences.c %D%/handlers/audiences.h \
	%D%/handlers/automation_contacts.c %D%/handlers/automation_contacts.h \
	%D%/handlers/events.c %D%/handlers/events.h \
	%D%/handlers/execution_emails.c %D%/handlers/execution_emails.h \
	%D%/handlers/executions.c %D%/handlers/executions.h \
	%D%/handlers/workflows.c %D%/handlers/workflows.h \
	%D%/handlers/avatar.c %D%/handlers/avatar.h \
	%D%/handlers/contacts.c %D%/handlers/contacts.h \
	%D%/handlers/creator_view.c %D%/handlers/creator_view.h \
	%D%/handlers/domain_view.c %D%/handlers/domain_view.h \
	%D%/handlers/domains.c %D%/handlers/domains.h \
	%D%/handlers/email_view.c %D%/handlers/email_view.h \
	%D%/handlers/emails.c %D%/handlers/emails.h \
	%D%/handlers/health.c %D%/handlers/health.h \
	%D%/handlers/idempotency.c %D%/handlers/idempotency.h \
	%D%/handlers/override.c %D%/handlers/override.h \
	%D%/handlers/page.c %D%/handlers/page.h \
	%D%/handlers/suppressions.c %D%/handlers/suppressions.h \
	%D%/handlers/tracking.c %D%/handlers/tracking.h \
	%D%/handlers/unsubscribe.c %D%/handlers/unsubscribe.h \
	%D%/handlers/notice.c %D%/handlers/notice.h \
	%D%/handlers/templates.c %D%/handlers/templates.h \
	%D%/rates.c %D%/rates.h \
	%D%/reply.c %D%/reply.h \
	%D%/request.c %D%/request.h \
	%D%/router.c %D%/router.h \
	%D%/routes.c %D%/routes.h \
	%D%/serve.c %D%/serve.h
libfcgi_room_a_CFLAGS = $(AM_CFLAGS)
FCGI_ROOM_LIBS = libfcgi_room.a $(AUTOMATION_LIBS)

dist_pkgdata_DATA = openapi.json
dist_man_MANS += man/posthouse-api.7

bin_cgidir = $(libexecdir)/posthouse
bin_cgi_PROGRAMS = posthouse.fcgi
posthouse_fcgi_SOURCES = %D%/main.c %D%/acceptor.c %D%/acceptor.h %D%/io.c %D%/io.h
posthouse_fcgi_CFLAGS = $(AM_CFLAGS) $(FCGI_CFLAGS)
posthouse_fcgi_LDADD = $(FCGI_ROOM_LIBS) $(FCGI_LIBS)
dist_man_MANS += man/posthouse.fcgi.8
