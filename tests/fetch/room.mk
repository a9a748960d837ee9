# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/fetch_test %D%/own_test
dist_check_SCRIPTS += %D%/own.sh
TESTS += %D%/fetch_test %D%/own.sh
%C%_fetch_test_SOURCES = \
	%D%/fetch.c %D%/guard.c %D%/hops.c \
	%D%/names.c %D%/names.h %D%/post.c %D%/transfer.c %D%/url.c
%C%_fetch_test_LDADD = $(SUPPORT_LIBS) $(FETCH_LIBS) $(CURL_LIBS)
%C%_own_test_SOURCES = %D%/own.c %D%/names.c %D%/names.h
%C%_own_test_LDADD = $(SUPPORT_LIBS) $(FETCH_LIBS) $(CURL_LIBS)
endif
