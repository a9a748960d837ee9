# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/smtp_test
TESTS += %D%/smtp_test
%C%_smtp_test_SOURCES = \
	%D%/connect.c \
	%D%/content.c \
	%D%/dialogue.c \
	%D%/envelope.c \
	%D%/failure.c \
	%D%/failure_auth.c \
	%D%/failure_case.c %D%/failure_case.h \
	%D%/failure_tls.c \
	%D%/gate.c \
	%D%/interrupt.c \
	%D%/message.c \
	%D%/probe.c \
	%D%/sending.c %D%/sending.h \
	%D%/session.c \
	%D%/token.c
%C%_smtp_test_LDADD = $(SUPPORT_LIBS) $(SMTP_LIBS)
endif
