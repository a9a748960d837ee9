# SPDX-License-Identifier: MIT
# segment: rules that choose people
noinst_LIBRARIES += libsegment.a
libsegment_a_SOURCES = \
	%D%/group.c %D%/group.h \
	%D%/leaf.c %D%/leaf.h \
	%D%/pass.c %D%/pass.h \
	%D%/reader.c %D%/reader.h \
	%D%/fact_set.c %D%/fact_set.h \
	%D%/rules.c %D%/rules.h \
	%D%/scan.c %D%/scan.h \
	%D%/segment.c %D%/segment.h \
	%D%/turn.c %D%/turn.h
libsegment_a_CFLAGS = $(AM_CFLAGS)
SEGMENT_LIBS = libsegment.a $(RULE_LIBS) $(UPKEEP_LIBS)
