# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/intake_test
TESTS += %D%/intake_test
%C%_intake_test_SOURCES = %D%/session.c
%C%_intake_test_LDADD = $(INTAKE_LIBS) $(CRITERION_LIBS)
endif
