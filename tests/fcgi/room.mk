# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/fcgi_test
TESTS += %D%/fcgi_test
%C%_fcgi_test_SOURCES = \
	fcgi/http/acceptor.c fcgi/http/storer.c \
	%D%/acceptor.c \
	%D%/fake_io.c %D%/fake_io.h \
	%D%/gather.c \
	%D%/gather_reads.c \
	%D%/audit.c \
	%D%/heavy.c \
	%D%/main.c \
	%D%/record.c \
	%D%/reply.c \
	%D%/request.c \
	%D%/routes.c \
	%D%/serve.c \
	%D%/storer.c \
	%D%/waiting.c %D%/waiting.h
%C%_fcgi_test_LDADD = $(FCGI_ROOM_LIBS) $(SUPPORT_LIBS) $(UPKEEP_LIBS)
# %D%/serve.c lets five seconds go by, and %D%/heavy.c twenty
%C%_fcgi_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=base_clock_boot -Wl,--wrap=base_clock_boot_ns

check_PROGRAMS += %D%/program/program_test
TESTS += %D%/program/program_test
%C%_program_program_test_SOURCES = \
	%D%/program/cgi.c \
	%D%/program/client.c \
	%D%/program/heavy.c \
	%D%/program/large.c \
	%D%/program/main.c \
	%D%/program/memory.c \
	%D%/program/pool.c \
	%D%/program/fixture.c %D%/program/fixture.h \
	%D%/program/stop.c \
	%D%/program/storer.c \
	%D%/program/trouble.c
%C%_program_program_test_LDFLAGS = $(KEPT_KEYS)
%C%_program_program_test_LDADD = $(SUPPORT_LIBS) $(UPKEEP_LIBS)
endif
