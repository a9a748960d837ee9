# SPDX-License-Identifier: MIT
# topic: topics of mailings
noinst_LIBRARIES += libtopic.a
libtopic_a_SOURCES = %D%/topic.c %D%/topic.h
libtopic_a_CFLAGS = $(AM_CFLAGS)
TOPIC_LIBS = libtopic.a $(PROPERTY_LIBS)
