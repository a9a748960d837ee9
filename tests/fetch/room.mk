# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/fetch_test
TESTS += %D%/fetch_test
%C%_fetch_test_SOURCES = \
	%D%/fetch.c %D%/guard.c %D%/hops.c \
	%D%/names.c %D%/names.h %D%/transfer.c %D%/url.c
%C%_fetch_test_CFLAGS = $(AM_CFLAGS) $(CURL_CFLAGS) $(CRYPTO_CFLAGS) $(CRITERION_CFLAGS)
%C%_fetch_test_LDADD = $(SUPPORT_LIBS) $(FETCH_LIBS) $(CURL_LIBS)
endif
