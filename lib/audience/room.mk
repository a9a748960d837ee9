# SPDX-License-Identifier: MIT
# audience: audiences, lists of contacts
noinst_LIBRARIES += libaudience.a
libaudience_a_SOURCES = %D%/audience.c %D%/audience.h
libaudience_a_CFLAGS = $(AM_CFLAGS)
AUDIENCE_LIBS = libaudience.a $(STREAM_LIBS)
