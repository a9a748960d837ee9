# SPDX-License-Identifier: MIT
# broadcast: mailings to audiences and segments
noinst_LIBRARIES += libbroadcast.a
libbroadcast_a_SOURCES = \
	%D%/draft.c %D%/draft.h
libbroadcast_a_CFLAGS = $(AM_CFLAGS)
BROADCAST_LIBS = libbroadcast.a $(AUTOMATION_LIBS)
