# SPDX-License-Identifier: MIT
# webhook: posts events to the URLs of customers
noinst_LIBRARIES += libwebhook.a
libwebhook_a_SOURCES = \
	%D%/batch.c %D%/batch.h \
	%D%/lease.c %D%/lease.h \
	%D%/notice.c %D%/notice.h \
	%D%/payload.c %D%/payload.h \
	%D%/request.c %D%/request.h \
	%D%/step_answers.c %D%/step_answers.h \
	%D%/step_headers.c %D%/step_headers.h \
	%D%/compat.c %D%/compat.h \
	%D%/schedule.c %D%/schedule.h \
	%D%/step_requests.c %D%/step_requests.h \
	%D%/send.c %D%/send.h \
	%D%/test.c \
	%D%/webhook.c %D%/webhook.h
libwebhook_a_CFLAGS = $(AM_CFLAGS)
WEBHOOK_LIBS = libwebhook.a $(DMARC_LIBS)
