# SPDX-License-Identifier: MIT
# sending: when mailings may leave, and how many a person gets
noinst_LIBRARIES += libsending.a
libsending_a_SOURCES = \
	%D%/cap.c %D%/cap.h \
	%D%/hours.c %D%/hours.h \
	%D%/rules.c %D%/rules.h
libsending_a_CFLAGS = $(AM_CFLAGS)
