# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/segment_test
TESTS += %D%/segment_test
%C%_segment_test_SOURCES = \
	%D%/activity.c \
	%D%/crowd.c %D%/crowd.h \
	%D%/main.c \
	%D%/oracle.c %D%/oracle.h \
	%D%/pass.c \
	%D%/people.c \
	%D%/random.c \
	%D%/rules.c \
	%D%/scan.c
%C%_segment_test_LDFLAGS = $(KEPT_KEYS)
%C%_segment_test_LDADD = $(SUPPORT_LIBS) $(SEGMENT_LIBS)
endif
