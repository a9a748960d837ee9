# SPDX-License-Identifier: MIT
# mail: addresses, fields, parts, messages and their signatures
noinst_LIBRARIES += libmail.a
libmail_a_SOURCES = \
	%D%/addr_spec.c \
	%D%/address.c %D%/address.h \
	%D%/canonical.c %D%/canonical.h \
	%D%/charset.c %D%/charset.h \
	%D%/cid.c %D%/cid.h \
	%D%/dkim.c %D%/dkim.h \
	%D%/dkim_verify.c %D%/dkim_verify.h \
	%D%/dkim_key.c %D%/dkim_key.h \
	%D%/encoding.c %D%/encoding.h \
	%D%/field.c %D%/field.h \
	%D%/header.c %D%/header.h \
	%D%/message.c %D%/message.h \
	%D%/incoming.c %D%/incoming.h \
	%D%/part.c %D%/part.h \
	%D%/reply.c \
	%D%/raw.c %D%/raw.h \
	%D%/steering.c %D%/steering.h \
	%D%/structured.c %D%/structured.h \
	%D%/tag_list.c %D%/tag_list.h \
	%D%/wire.c %D%/wire.h \
	%D%/wire_field.c \
	%D%/words.c %D%/words.h
libmail_a_CFLAGS = $(AM_CFLAGS) $(GMIME_CFLAGS) $(CRYPTO_CFLAGS)
MAIL_LIBS = libmail.a $(GMIME_LIBS) $(PROCESS_LIBS)
