# SPDX-License-Identifier: MIT
# mail: addresses, templates, messages, signatures
noinst_LIBRARIES += libmail.a
libmail_a_SOURCES = \
	%D%/addr_spec.c \
	%D%/address.c %D%/address.h \
	%D%/canonical.c %D%/canonical.h \
	%D%/cid.c %D%/cid.h \
	%D%/dkim.c %D%/dkim.h \
	%D%/dkim_key.c %D%/dkim_key.h \
	%D%/encoding.c %D%/encoding.h \
	%D%/failure.c %D%/failure.h \
	%D%/failure_words.c %D%/failure_words.h \
	%D%/field.c %D%/field.h \
	%D%/flow.c %D%/flow.h \
	%D%/header.c %D%/header.h \
	%D%/html.c %D%/html.h \
	%D%/images.c %D%/images.h \
	%D%/links.c %D%/links.h \
	%D%/message.c %D%/message.h \
	%D%/nesting.c %D%/nesting.h \
	%D%/part.c %D%/part.h \
	%D%/raw.c %D%/raw.h \
	%D%/report.c %D%/report.h \
	%D%/report_general.c \
	%D%/report_parse.c \
	%D%/report_pattern.c \
	%D%/structured.c %D%/structured.h \
	%D%/tags.c %D%/tags.h \
	%D%/template.c %D%/template.h \
	%D%/template_blocks.c %D%/template_blocks.h \
	%D%/template_date.c %D%/template_date.h \
	%D%/template_filter.c %D%/template_filter.h \
	%D%/template_out.c %D%/template_out.h \
	%D%/template_part.c %D%/template_part.h \
	%D%/template_render.c \
	%D%/template_scope.c %D%/template_scope.h \
	%D%/template_space.c %D%/template_space.h \
	%D%/template_tag.c %D%/template_tag.h \
	%D%/template_value.c %D%/template_value.h \
	%D%/slots.c %D%/slots.h \
	%D%/steering.c %D%/steering.h \
	%D%/template_outline.c %D%/template_outline.h \
	%D%/textpart.c %D%/textpart.h \
	%D%/wire.c %D%/wire.h \
	%D%/wire_field.c
libmail_a_CFLAGS = $(AM_CFLAGS) $(GMIME_CFLAGS) $(GUMBO_CFLAGS) $(CRYPTO_CFLAGS)
MAIL_LIBS = libmail.a $(GMIME_LIBS) $(GUMBO_LIBS) $(PROCESS_LIBS)
