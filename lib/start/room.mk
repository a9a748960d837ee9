# SPDX-License-Identifier: MIT
# start: workflows that are begun for one person or for many by request
noinst_LIBRARIES += libstart.a
libstart_a_SOURCES = \
	%D%/begin.c %D%/begin.h \
	%D%/order.c %D%/order.h \
	%D%/run.c %D%/run.h \
	%D%/look.c %D%/look.h \
	%D%/tick.c %D%/tick.h
libstart_a_CFLAGS = $(AM_CFLAGS)
