# SPDX-License-Identifier: MIT
# intake: SMTP as a server speaks it
noinst_LIBRARIES += libintake.a
libintake_a_SOURCES = \
	%D%/auth.c %D%/auth.h \
	%D%/command.c %D%/command.h \
	%D%/failure.c \
	%D%/host.h \
	%D%/input.c %D%/input.h \
	%D%/session.c %D%/session.h
libintake_a_CFLAGS = $(AM_CFLAGS)
INTAKE_LIBS = libintake.a $(MAIL_REPORT_LIBS)
