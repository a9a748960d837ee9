# SPDX-License-Identifier: MIT
# upkeep: what is removed when its time is over, and the page of metrics
noinst_LIBRARIES += libupkeep.a
libupkeep_a_SOURCES = \
	%D%/metrics_text.c %D%/metrics_text.h \
	%D%/retention.c %D%/retention.h
libupkeep_a_CFLAGS = $(AM_CFLAGS)
UPKEEP_LIBS = libupkeep.a $(WEBHOOK_LIBS)
