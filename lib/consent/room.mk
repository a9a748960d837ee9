# SPDX-License-Identifier: MIT
# consent: subscriptions, opt-in, forms, unsubscribing
noinst_LIBRARIES += libconsent.a
libconsent_a_SOURCES = \
	%D%/bulk.c %D%/bulk.h \
	%D%/consent.c %D%/consent.h \
	%D%/form.c %D%/form.h \
	%D%/opt_in.c %D%/opt_in.h \
	%D%/opt_in_mail.c \
	%D%/parts.c %D%/parts.h \
	%D%/unsubscribe.c %D%/unsubscribe.h
libconsent_a_CFLAGS = $(AM_CFLAGS)
CONSENT_LIBS = libconsent.a $(SUBMIT_LIBS)
