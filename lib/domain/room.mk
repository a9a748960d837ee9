# SPDX-License-Identifier: MIT
# domain: sending domains, their DNS and DNS checks
noinst_LIBRARIES += libdomain.a
libdomain_a_SOURCES = \
	%D%/bimi.c %D%/bimi.h \
	%D%/check_schedule.c %D%/check_schedule.h \
	%D%/dmarc.c %D%/dmarc.h \
	%D%/dns_check.c %D%/dns_check.h \
	%D%/dns_judge.c %D%/dns_judge.h \
	%D%/domain.c %D%/domain.h \
	%D%/receiving.c %D%/receiving.h \
	%D%/settings.c %D%/settings.h \
	%D%/spf.c %D%/spf.h \
	%D%/tracking.c %D%/tracking.h \
	%D%/view.c %D%/view.h \
	%D%/zone.c %D%/zone.h \
	%D%/zone_match.c %D%/zone_match.h
libdomain_a_CFLAGS = $(AM_CFLAGS)
DOMAIN_LIBS = libdomain.a $(FEEDBACK_LIBS)
