# SPDX-License-Identifier: MIT
# stream: streams of a workspace's mail, their pause and their pace
noinst_LIBRARIES += libstream.a
libstream_a_SOURCES = %D%/stream.c %D%/stream.h
libstream_a_CFLAGS = $(AM_CFLAGS)
STREAM_LIBS = libstream.a $(TOPIC_LIBS)
