# SPDX-License-Identifier: MIT
# json: bodies in, answers out
noinst_LIBRARIES += libjson.a
libjson_a_SOURCES = \
	%D%/fields.c %D%/fields.h \
	%D%/lenient.c %D%/lenient.h \
	%D%/merge.c %D%/merge.h \
	%D%/node.h \
	%D%/place.c %D%/place.h \
	%D%/scan.c %D%/scan.h \
	%D%/strict.c %D%/strict.h \
	%D%/unknown.c %D%/unknown.h \
	%D%/value.c %D%/value.h \
	%D%/view.c %D%/view.h \
	%D%/writer.c %D%/writer.h
JSON_ROOM_LIBS = libjson.a $(PROCESS_LIBS)
