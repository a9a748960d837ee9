# SPDX-License-Identifier: MIT
# delivery: attempts, retries and outcomes of messages
noinst_LIBRARIES += libdelivery.a
libdelivery_a_SOURCES = \
	%D%/attempt_log.c %D%/attempt_log.h \
	%D%/bounce.c %D%/bounce.h \
	%D%/delivery.c %D%/delivery.h \
	%D%/message.c %D%/message.h \
	%D%/outcome.c %D%/outcome.h \
	%D%/outcome_rows.c %D%/outcome_rows.h \
	%D%/pacing.c %D%/pacing.h \
	%D%/part.c %D%/part.h \
	%D%/recover.c %D%/recover.h \
	%D%/sender.c %D%/sender.h \
	%D%/sending.c %D%/sending.h \
	%D%/stream.c %D%/stream.h \
	%D%/warmup.c %D%/warmup.h
libdelivery_a_CFLAGS = $(AM_CFLAGS)
DELIVERY_LIBS = libdelivery.a libsending.a $(EMAIL_LIBS)
