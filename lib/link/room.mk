# SPDX-License-Identifier: MIT
# link: tokens, tracked links, opens and clicks
noinst_LIBRARIES += liblink.a
liblink_a_SOURCES = \
	%D%/engagement.c %D%/engagement.h \
	%D%/link_check.c %D%/link_check.h \
	%D%/own_address.c %D%/own_address.h \
	%D%/return_path.c %D%/return_path.h \
	%D%/robot.c %D%/robot.h \
	%D%/token.c %D%/token.h \
	%D%/token_cut.c %D%/token_cut.h \
	%D%/tracking.c %D%/tracking.h \
	%D%/utm.c %D%/utm.h
liblink_a_CFLAGS = $(AM_CFLAGS)
LINK_LIBS = liblink.a $(CONTENT_LIBS)
