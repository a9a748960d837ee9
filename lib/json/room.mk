# SPDX-License-Identifier: MIT
# json: bodies in, answers out
noinst_LIBRARIES += libjson.a
libjson_a_SOURCES = \
	%D%/alike.c %D%/alike.h \
	%D%/escape.c %D%/escape.h \
	%D%/extent.c %D%/extent.h \
	%D%/field.h %D%/fields.c %D%/fields.h \
	%D%/keys.c %D%/keys.h \
	%D%/kinds.c %D%/kinds.h \
	%D%/node.h \
	%D%/place.c %D%/place.h \
	%D%/plain.c %D%/plain.h \
	%D%/scan.c %D%/scan.h \
	%D%/strict.c %D%/strict.h \
	%D%/tree.c %D%/tree.h \
	%D%/unknown.c %D%/unknown.h \
	%D%/value.c %D%/value.h \
	%D%/writer.c %D%/writer.h
JSON_ROOM_LIBS = libjson.a $(BASE_LIBS)
