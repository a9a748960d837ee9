# SPDX-License-Identifier: MIT
EXTRA_DIST += %D%/check.sh %D%/memory.sh %D%/npm.sh %D%/tsan.c %D%/tsan.h

if HAVE_CRITERION
# What the suites of several rooms need: a private MariaDB, a proxy that breaks its connections,
# an HTTP server that breaks all rules, a scripted SMTP server, settings.
check_LIBRARIES += tests/libsupport.a
tests_libsupport_a_SOURCES = \
	%D%/db.c %D%/db.h \
	%D%/dkim.c %D%/keep.h \
	%D%/deliveries.c %D%/deliveries.h \
	%D%/fcgi_client.c %D%/fcgi_client.h \
	%D%/figures.c %D%/figures.h \
	%D%/hooks.c %D%/hooks.h \
	%D%/house.c %D%/house.h \
	%D%/http_server.c %D%/http_server.h \
	%D%/manual.c %D%/manual.h \
	%D%/instance.c %D%/instance.h \
	%D%/mariadb.c %D%/mariadb.h \
	%D%/nsd.c %D%/nsd.h \
	%D%/program.c %D%/program.h \
	%D%/proxy.c %D%/proxy.h \
	%D%/incoming.c %D%/incoming.h \
	%D%/receiver.c %D%/receiver.h \
	%D%/settings.c %D%/settings.h \
	%D%/smtp_peer.c %D%/smtp_peer.h \
	%D%/smtp_server.c %D%/smtp_server.h %D%/steps.h
# Tests share their DKIM keys (dkim.c).
KEPT_KEYS = $(AM_LDFLAGS) -Wl,--wrap=mail_dkim_generate -Wl,-u,__wrap_mail_dkim_generate
SUPPORT_LIBS = tests/libsupport.a $(MARIADB_LIBS) $(CRITERION_LIBS)
endif
