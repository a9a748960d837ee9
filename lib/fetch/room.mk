# SPDX-License-Identifier: MIT
# fetch: attachments by URL, and posts to webhooks
noinst_LIBRARIES += libfetch.a
libfetch_a_SOURCES = \
	%D%/ask.c %D%/ask.h \
	%D%/curl.c %D%/curl.h \
	%D%/fetch.c %D%/fetch.h \
	%D%/address_policy.c %D%/address_policy.h \
	%D%/post.c %D%/post.h \
	%D%/transfer.c %D%/transfer.h \
	%D%/url.c %D%/url.h
libfetch_a_CFLAGS = $(AM_CFLAGS) $(CURL_CFLAGS)
FETCH_LIBS = libfetch.a $(PROCESS_LIBS)
