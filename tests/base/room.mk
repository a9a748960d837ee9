# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/base_test
TESTS += %D%/base_test
%C%_base_test_SOURCES = \
	%D%/apart.c \
	%D%/array.c \
	%D%/bucket.c \
	%D%/budget.c \
	%D%/look.c \
	%D%/clock.c \
	%D%/columns.c \
	%D%/compress.c \
	%D%/confine.c \
	%D%/csv.c \
	%D%/hostname.c \
	%D%/kept.c \
	%D%/language.c \
	%D%/id.c \
	%D%/log.c \
	%D%/log_line.c \
	%D%/mailbox.c \
	%D%/network.c \
	%D%/pool.c \
	%D%/secret.c \
	%D%/settings.c \
	%D%/settings_doc.c \
	%D%/settings_table.c \
	%D%/startup.c \
	%D%/turns.c \
	%D%/cron.c %D%/wall_clock.c \
	tests/support/settings.c tests/support/settings.h
# %D%/turns.c sets a clock
%C%_base_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=base_clock_boot_ns
%C%_base_test_LDADD = tests/libsupport.a $(PROCESS_LIBS) $(CRITERION_LIBS)
endif
