# SPDX-License-Identifier: MIT
# smtp: sessions with a relay
noinst_LIBRARIES += libsmtp.a
libsmtp_a_SOURCES = \
	%D%/connect.c %D%/connect.h \
	%D%/dialogue.c %D%/dialogue.h \
	%D%/envelope.c %D%/envelope.h \
	%D%/esmtp.c %D%/esmtp.h \
	%D%/exchange.c %D%/exchange.h \
	%D%/failure.c %D%/failure.h \
	%D%/gate.c %D%/gate.h \
	%D%/line.c %D%/line.h \
	%D%/login.c %D%/login.h \
	%D%/message.c %D%/message.h \
	%D%/probe.c %D%/probe.h \
	%D%/relay.c %D%/relay.h \
	%D%/session.c %D%/session.h \
	%D%/tls.c %D%/tls.h \
	%D%/token.c %D%/token.h \
	%D%/transfer.c %D%/transfer.h
libsmtp_a_CFLAGS = $(AM_CFLAGS) $(ESMTP_CFLAGS) $(CRYPTO_CFLAGS)
# %D%/connect.c has a connect, a poll and a write, which only sessions may take: with the C library in front, other calls
# of these do not bring it into a program.
SMTP_LIBS = -lc libsmtp.a $(ESMTP_LIBS) $(PROCESS_LIBS)
