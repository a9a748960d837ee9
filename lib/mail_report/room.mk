# SPDX-License-Identifier: MIT
# mail_report: what delivery reports and replies of servers say
noinst_LIBRARIES += libmail_report.a
libmail_report_a_SOURCES = \
	%D%/failure.c %D%/failure.h \
	%D%/failure_words.c %D%/failure_words.h \
	%D%/general.c \
	%D%/parse.c \
	%D%/pattern.c \
	%D%/report.c %D%/report.h
libmail_report_a_CFLAGS = $(AM_CFLAGS) $(GMIME_CFLAGS)
MAIL_REPORT_LIBS = libmail_report.a $(TEMPLATE_LIBS)
