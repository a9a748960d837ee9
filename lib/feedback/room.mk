# SPDX-License-Identifier: MIT
# feedback: reports of servers and providers
noinst_LIBRARIES += libfeedback.a
libfeedback_a_SOURCES = \
	%D%/broadcast_health.c %D%/broadcast_health.h \
	%D%/provider.c %D%/provider.h \
	%D%/provider_match.c %D%/provider_match.h \
	%D%/provider_record.c %D%/provider_record.h \
	%D%/report.c %D%/report.h \
	%D%/report_match.c %D%/report_match.h
libfeedback_a_CFLAGS = $(AM_CFLAGS)
FEEDBACK_LIBS = libfeedback.a $(IMPORT_LIBS)
