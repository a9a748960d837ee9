# SPDX-License-Identifier: MIT
# received: mail that comes in
noinst_LIBRARIES += libreceived.a
libreceived_a_SOURCES = \
	%D%/authentication.c %D%/authentication.h \
	%D%/door.h \
	%D%/forward.c %D%/forward.h \
	%D%/mail.c %D%/mail.h \
	%D%/message.c %D%/message.h \
	%D%/reader.c %D%/reader.h \
	%D%/reply.c %D%/reply.h \
	%D%/route.c %D%/route.h \
	%D%/rule.c %D%/rule.h \
	%D%/take.c \
	%D%/view.c %D%/view.h
libreceived_a_CFLAGS = $(AM_CFLAGS)
RECEIVED_LIBS = libreceived.a $(DOMAIN_LIBS)
