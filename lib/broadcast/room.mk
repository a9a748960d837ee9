# SPDX-License-Identifier: MIT
# broadcast: mailings to audiences and segments
noinst_LIBRARIES += libbroadcast.a
libbroadcast_a_SOURCES = \
	%D%/content.c %D%/content.h \
	%D%/draft.c %D%/draft.h \
	%D%/leave.c %D%/leave.h \
	%D%/model.c %D%/model.h \
	%D%/start.c %D%/start.h
libbroadcast_a_CFLAGS = $(AM_CFLAGS)
BROADCAST_LIBS = libbroadcast.a $(AUTOMATION_LIBS)
