# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/json_test
TESTS += %D%/json_test
%C%_json_test_SOURCES = %D%/strict.c %D%/value.c %D%/view.c %D%/fields.c \
	%D%/lenient.c %D%/unknown.c \
	%D%/writer.c
%C%_json_test_LDADD = $(JSON_ROOM_LIBS) $(CRITERION_LIBS)
endif
