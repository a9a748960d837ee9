# SPDX-License-Identifier: MIT
# dns: TXT, MX and SOA look-ups
noinst_LIBRARIES += libdns.a
libdns_a_SOURCES = \
	%D%/question.c %D%/question.h \
	%D%/reply.c %D%/reply.h \
	%D%/resolver.c %D%/resolver.h
libdns_a_CFLAGS = $(AM_CFLAGS) $(CARES_CFLAGS)
DNS_LIBS = libdns.a $(CARES_LIBS) $(PROCESS_LIBS)
