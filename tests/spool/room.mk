# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/spool_test
TESTS += %D%/spool_test
%C%_spool_test_SOURCES = \
	%D%/asking.c %D%/asking.h \
	%D%/broadcast_people.c \
	%D%/broadcast_times.c \
	%D%/broadcast_variants.c \
	%D%/broadcasts.c \
	%D%/depot.c %D%/depot.h \
	%D%/mailing.c %D%/mailing.h \
	%D%/main.c \
	%D%/program.c \
	%D%/looks.c \
	%D%/sending.c \
	%D%/starts.c \
	%D%/step_answers.c \
	%D%/step_requests.c \
	%D%/telling.c %D%/telling.h \
	%D%/trees.c \
	%D%/webhook_failures.c \
	%D%/webhooks.c \
	%D%/workflows.c
%C%_spool_test_LDFLAGS = $(KEPT_KEYS)
%C%_spool_test_LDADD = $(SUPPORT_LIBS) libstart.a $(BROADCAST_LIBS)
endif
