# SPDX-License-Identifier: MIT
# email: an email from its request to its message
noinst_LIBRARIES += libemail.a
libemail_a_SOURCES = \
	%D%/attachment.c %D%/attachment.h \
	%D%/compose.c %D%/compose.h \
	%D%/draft.c %D%/draft.h \
	%D%/draft_cache.c %D%/draft_cache.h \
	%D%/draft_content.c %D%/draft_content.h \
	%D%/event_view.c %D%/event_view.h \
	%D%/figures.c %D%/figures.h \
	%D%/keyring.c %D%/keyring.h \
	%D%/moment.c %D%/moment.h \
	%D%/prefetch.c %D%/prefetch.h \
	%D%/purpose.c %D%/purpose.h \
	%D%/raw.c %D%/raw.h \
	%D%/schedule.c %D%/schedule.h \
	%D%/spam.c %D%/spam.h \
	%D%/submission.c %D%/submission.h \
	%D%/test_address.c %D%/test_address.h \
	%D%/watched.c %D%/watched.h
libemail_a_CFLAGS = $(AM_CFLAGS)
EMAIL_LIBS = libemail.a $(LINK_LIBS)
