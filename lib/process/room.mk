# SPDX-License-Identifier: MIT
# process: pools of processes, their locks and confinement
noinst_LIBRARIES += libprocess.a
libprocess_a_SOURCES = \
	%D%/handover.c %D%/handover.h \
	%D%/isolate.c %D%/isolate.h \
	%D%/kept.c %D%/kept.h \
	%D%/limit.c %D%/limit.h \
	%D%/lock.c %D%/lock.h \
	%D%/pool.c %D%/pool.h \
	%D%/seccomp.c %D%/seccomp.h
libprocess_a_CFLAGS = $(AM_CFLAGS)
PROCESS_LIBS = libprocess.a $(CONFIG_LIBS)
