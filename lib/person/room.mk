# SPDX-License-Identifier: MIT
# person: people, their properties, choices and history
noinst_LIBRARIES += libperson.a
libperson_a_SOURCES = \
	%D%/choose.c %D%/choose.h \
	%D%/contact.c %D%/contact.h \
	%D%/contact_field.c %D%/contact_field.h \
	%D%/erase.c %D%/erase.h \
	%D%/history.c %D%/history.h \
	%D%/person.c %D%/person.h \
	%D%/property_text.c %D%/property_text.h \
	%D%/snooze.c %D%/snooze.h \
	%D%/suppress.c %D%/suppress.h \
	%D%/suppressed.c %D%/suppressed.h \
	%D%/view.c %D%/view.h
libperson_a_CFLAGS = $(AM_CFLAGS)
PERSON_LIBS = libperson.a $(AUDIENCE_LIBS)
