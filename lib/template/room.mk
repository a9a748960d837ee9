# SPDX-License-Identifier: MIT
# template: the language of templates
noinst_LIBRARIES += libtemplate.a
libtemplate_a_SOURCES = \
	%D%/blocks.c %D%/blocks.h \
	%D%/date.c %D%/date.h \
	%D%/filter.c %D%/filter.h \
	%D%/out.c %D%/out.h \
	%D%/outline.c %D%/outline.h \
	%D%/part.c %D%/part.h \
	%D%/render.c \
	%D%/scope.c %D%/scope.h \
	%D%/space.c %D%/space.h \
	%D%/tag.c %D%/tag.h \
	%D%/template.c %D%/template.h \
	%D%/value.c %D%/value.h
libtemplate_a_CFLAGS = $(AM_CFLAGS) $(GMIME_CFLAGS)
TEMPLATE_LIBS = libtemplate.a $(HTML_LIBS)
