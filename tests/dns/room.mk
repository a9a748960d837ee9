# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/dns_test
TESTS += %D%/dns_test
%C%_dns_test_SOURCES = \
	%D%/faulty.c %D%/faulty.h \
	%D%/main.c \
	%D%/reply.c \
	%D%/resolver.c
%C%_dns_test_LDADD = $(SUPPORT_LIBS) $(DNS_LIBS)
endif
