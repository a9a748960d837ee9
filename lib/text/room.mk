# SPDX-License-Identifier: MIT
# text: host names, languages, time zones, CSV and other forms of text
noinst_LIBRARIES += libtext.a
libtext_a_SOURCES = \
	%D%/cron.c %D%/cron.h \
	%D%/csv.c %D%/csv.h \
	%D%/hostname.c %D%/hostname.h \
	%D%/language.c %D%/language.h \
	%D%/mailbox.c %D%/mailbox.h \
	%D%/network.c %D%/network.h \
	%D%/time_zone.c %D%/time_zone.h \
	%D%/wall_clock.c %D%/wall_clock.h \
	%D%/width.c %D%/width.h
libtext_a_CFLAGS = $(AM_CFLAGS) $(CRYPTO_CFLAGS) $(PSL_CFLAGS) $(IDN_CFLAGS)
TEXT_LIBS = libtext.a $(CSV_LIBS) $(PSL_LIBS) $(IDN_LIBS) $(BASE_LIBS)
