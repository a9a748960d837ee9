# SPDX-License-Identifier: MIT
# import: files of people
noinst_LIBRARIES += libimport.a
libimport_a_SOURCES = \
	%D%/batch.c %D%/batch.h \
	%D%/contacts.c %D%/contacts.h \
	%D%/file.c %D%/file.h \
	%D%/import.c %D%/import.h \
	%D%/names.c \
	%D%/request.c %D%/request.h \
	%D%/view.c %D%/view.h
libimport_a_CFLAGS = $(AM_CFLAGS)
IMPORT_LIBS = libimport.a $(CONSENT_LIBS)
