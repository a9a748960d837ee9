# SPDX-License-Identifier: MIT
if HAVE_CRITERION

check_PROGRAMS += %D%/db_test
TESTS += %D%/db_test
%C%_db_test_SOURCES = \
	%D%/main.c \
	%D%/ahead.c \
	%D%/columns.c \
	%D%/connection.c \
	%D%/deferred.c \
	%D%/execute.c \
	%D%/failure.c \
	%D%/galera.c \
	%D%/guard.c \
	%D%/proxied_statement.c \
	%D%/rows.c \
	%D%/statement.c \
	%D%/together.c \
	%D%/transaction.c
%C%_db_test_LDADD = $(SUPPORT_LIBS) $(DB_LIBS) $(PROCESS_LIBS)
endif
