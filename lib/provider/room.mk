# SPDX-License-Identifier: MIT
# provider: the requests in which providers report
noinst_LIBRARIES += libprovider.a
libprovider_a_SOURCES = \
	%D%/brevo.c \
	%D%/event.c %D%/event.h \
	%D%/forms.h \
	%D%/mailgun.c \
	%D%/postmark.c \
	%D%/provider.c %D%/provider.h \
	%D%/request.h \
	%D%/sendgrid.c \
	%D%/ses.c \
	%D%/signature.c %D%/signature.h \
	%D%/sns.c %D%/sns.h \
	%D%/standard.c
libprovider_a_CFLAGS = $(AM_CFLAGS) $(CRYPTO_CFLAGS)
PROVIDER_LIBS = libprovider.a $(JSON_ROOM_LIBS) $(PROCESS_LIBS)
