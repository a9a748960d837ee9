# SPDX-License-Identifier: MIT
# spool: what cron starts
sbin_PROGRAMS = posthouse-spool
posthouse_spool_SOURCES = %D%/main.c %D%/worker.c %D%/worker.h
posthouse_spool_CFLAGS = $(AM_CFLAGS)
posthouse_spool_LDADD = libstart.a $(BROADCAST_LIBS)
dist_man_MANS += man/posthouse-spool.8
