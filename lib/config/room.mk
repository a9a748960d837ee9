# SPDX-License-Identifier: MIT
# config: settings, the log, and how a program starts
noinst_LIBRARIES += libconfig.a
libconfig_a_SOURCES = \
	%D%/log.c %D%/log.h \
	%D%/log_line.c %D%/log_line.h \
	%D%/settings.def \
	%D%/settings.c %D%/settings.h \
	%D%/settings_file.c %D%/settings_file.h \
	%D%/settings_pace.c %D%/settings_pace.h \
	%D%/settings_source.c %D%/settings_source.h \
	%D%/settings_relay.c %D%/settings_relay.h \
	%D%/settings_table.c %D%/settings_table.h \
	%D%/startup.c %D%/startup.h
libconfig_a_CFLAGS = $(AM_CFLAGS) $(CRYPTO_CFLAGS)
CONFIG_LIBS = libconfig.a $(TEXT_LIBS)

# The sample and the manual page of the settings are made from settings.def.
noinst_PROGRAMS += %D%/settings_doc
%C%_settings_doc_SOURCES = %D%/settings_doc.c
%C%_settings_doc_LDADD = $(CONFIG_LIBS)
EXTRA_DIST += apache/posthouse.conf.in man/posthouse.conf.5.in
dist_samples_DATA += apache/posthouse.conf
dist_man_MANS += man/posthouse.conf.5
CLEANFILES += apache/posthouse.conf man/posthouse.conf.5
apache/posthouse.conf: apache/posthouse.conf.in %D%/settings_doc$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) apache && %D%/settings_doc$(EXEEXT) sample $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@
man/posthouse.conf.5: man/posthouse.conf.5.in %D%/settings_doc$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) man && %D%/settings_doc$(EXEEXT) manual $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@
