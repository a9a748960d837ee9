# SPDX-License-Identifier: MIT
# smtpd: takes messages by SMTP
noinst_LIBRARIES += libsmtpd_room.a
libsmtpd_room_a_SOURCES = \
	%D%/fields.c %D%/fields.h \
	%D%/listen.c %D%/listen.h \
	%D%/login.c %D%/login.h \
	%D%/pool.c %D%/pool.h \
	%D%/receipt.c \
	%D%/session.c %D%/session.h \
	%D%/submit.c \
	%D%/tls.c %D%/tls.h \
	%D%/transaction.h \
	%D%/wire.c %D%/wire.h
libsmtpd_room_a_CFLAGS = $(AM_CFLAGS)
SMTPD_ROOM_LIBS = libsmtpd_room.a libintake.a $(DMARC_LIBS)

sbin_PROGRAMS += posthouse-smtpd
posthouse_smtpd_SOURCES = %D%/main.c
posthouse_smtpd_CFLAGS = $(AM_CFLAGS)
posthouse_smtpd_LDADD = $(SMTPD_ROOM_LIBS)
dist_man_MANS += man/posthouse-smtpd.8
