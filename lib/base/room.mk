# SPDX-License-Identifier: MIT
# base: what every room needs
noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	%D%/apart.c %D%/apart.h \
	%D%/array.h \
	%D%/bucket.c %D%/bucket.h \
	%D%/budget.c %D%/budget.h \
	%D%/charset.c %D%/charset.h \
	%D%/clock.c %D%/clock.h \
	%D%/columns.c %D%/columns.h \
	%D%/compress.c %D%/compress.h \
	%D%/confine.c %D%/confine.h \
	%D%/csv.c %D%/csv.h \
	%D%/error.c %D%/error.h \
	%D%/fault.c %D%/fault.h \
	%D%/hostname.c %D%/hostname.h \
	%D%/id.c %D%/id.h \
	%D%/language.c %D%/language.h \
	%D%/limits.h %D%/scope.h \
	%D%/lock.c %D%/lock.h \
	%D%/look.c %D%/look.h \
	%D%/log_line.c %D%/log_line.h \
	%D%/log.c %D%/log.h \
	%D%/mailbox.c %D%/mailbox.h \
	%D%/network.c %D%/network.h \
	%D%/pool.c %D%/pool.h \
	%D%/secret.c %D%/secret.h \
	%D%/settings.c %D%/settings.h \
	%D%/settings_file.c %D%/settings_file.h \
	%D%/settings_pace.c %D%/settings_pace.h \
	%D%/settings_relay.c %D%/settings_relay.h \
	%D%/settings_table.c %D%/settings_table.h \
	%D%/startup.c %D%/startup.h \
	%D%/time_zone.c %D%/time_zone.h
libbase_a_CFLAGS = $(AM_CFLAGS) $(CRYPTO_CFLAGS) $(PSL_CFLAGS) $(IDN_CFLAGS) $(ZSTD_CFLAGS)
BASE_LIBS = libbase.a $(CSV_LIBS) $(CRYPTO_LIBS) $(PSL_LIBS) $(IDN_LIBS) $(ZSTD_LIBS) $(GLIB_LIBS)
