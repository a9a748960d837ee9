# SPDX-License-Identifier: MIT
# config: settings, the log, and how a program starts
noinst_LIBRARIES += libconfig.a
libconfig_a_SOURCES = \
	%D%/log.c %D%/log.h \
	%D%/log_line.c %D%/log_line.h \
	%D%/settings.c %D%/settings.h \
	%D%/settings_file.c %D%/settings_file.h \
	%D%/settings_pace.c %D%/settings_pace.h \
	%D%/settings_relay.c %D%/settings_relay.h \
	%D%/settings_table.c %D%/settings_table.h \
	%D%/startup.c %D%/startup.h
libconfig_a_CFLAGS = $(AM_CFLAGS) $(CRYPTO_CFLAGS)
CONFIG_LIBS = libconfig.a $(TEXT_LIBS)
