# SPDX-License-Identifier: MIT
# service: the resources of a process, keys, quotas, repeated requests, metrics
noinst_LIBRARIES += libservice.a
libservice_a_SOURCES = \
	%D%/creator.c %D%/creator.h \
	%D%/fetching.c %D%/fetching.h \
	%D%/heartbeat.c %D%/heartbeat.h \
	%D%/journal.c %D%/journal.h \
	%D%/key.c %D%/key.h \
	%D%/key_use.c %D%/key_use.h \
	%D%/large.c %D%/large.h \
	%D%/metrics.c %D%/metrics.h \
	%D%/once.c %D%/once.h \
	%D%/once_turn.c %D%/once_turn.h \
	%D%/quota.c %D%/quota.h \
	%D%/rates.c %D%/rates.h \
	%D%/request_history.c %D%/request_history.h \
	%D%/secret.c %D%/secret.h \
	%D%/service.c %D%/service.h \
	%D%/user.c %D%/user.h \
	%D%/workspace.c %D%/workspace.h
libservice_a_CFLAGS = $(AM_CFLAGS)
SERVICE_LIBS = libservice.a $(STORE_LIBS) $(MAIL_REPORT_LIBS) $(SMTP_LIBS) $(DNS_LIBS) $(FETCH_LIBS) $(PROVIDER_LIBS)
