# SPDX-License-Identifier: MIT
# dmarc: what the world reports about a domain, and what to publish next
noinst_LIBRARIES += libdmarc.a
libdmarc_a_SOURCES = \
	%D%/advice.c %D%/advice.h \
	%D%/figures.c %D%/figures.h \
	%D%/policy.c %D%/policy.h \
	%D%/reading.c %D%/reading.h \
	%D%/record.c %D%/record.h
libdmarc_a_CFLAGS = $(AM_CFLAGS)
DMARC_LIBS = libdmarc.a $(DOMAIN_REPORT_LIBS) $(RECEIVED_LIBS)
