# SPDX-License-Identifier: MIT
# db: MariaDB
noinst_LIBRARIES += libdb.a
libdb_a_SOURCES = \
	%D%/after_commit.c %D%/after_commit.h \
	%D%/prefetch.c %D%/prefetch.h \
	%D%/before_commit.c %D%/before_commit.h \
	%D%/columns.h \
	%D%/compound.c %D%/compound.h \
	%D%/connection.c %D%/connection.h \
	%D%/deferred.c %D%/deferred.h \
	%D%/execute.c %D%/execute.h \
	%D%/failure.c %D%/failure.h \
	%D%/galera.c %D%/galera.h \
	%D%/guard.h \
	%D%/note.h \
	%D%/precondition.c %D%/precondition.h \
	%D%/handle.c %D%/handle.h \
	%D%/rows.c %D%/rows.h \
	%D%/statement.c %D%/statement.h \
	%D%/retry.c %D%/retry.h \
	%D%/transaction.c %D%/transaction.h \
	%D%/value.c %D%/value.h
libdb_a_CFLAGS = $(AM_CFLAGS) $(MARIADB_CFLAGS)
DB_LIBS = libdb.a $(MARIADB_LIBS)
