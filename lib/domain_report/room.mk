# SPDX-License-Identifier: MIT
# domain_report: what receivers report about a domain
noinst_LIBRARIES += libdomain_report.a
libdomain_report_a_SOURCES = \
	%D%/aggregate.c \
	%D%/find.c \
	%D%/read.h \
	%D%/repair.c %D%/repair.h \
	%D%/report.c %D%/report.h \
	%D%/tls.c \
	%D%/unpack.c %D%/unpack.h \
	%D%/write.c
libdomain_report_a_CFLAGS = $(AM_CFLAGS) $(EXPAT_CFLAGS) $(ZLIB_CFLAGS)
DOMAIN_REPORT_LIBS = libdomain_report.a $(EXPAT_LIBS) $(ZLIB_LIBS)
