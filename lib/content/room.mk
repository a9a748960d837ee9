# SPDX-License-Identifier: MIT
# content: stored templates, variables, and what an email is made of
noinst_LIBRARIES += libcontent.a
libcontent_a_SOURCES = \
	%D%/content.c %D%/content.h \
	%D%/defaults.c %D%/defaults.h \
	%D%/derive.c %D%/derive.h \
	%D%/footer.c %D%/footer.h \
	%D%/preview.c %D%/preview.h \
	%D%/template.c %D%/template.h \
	%D%/template_draft.c %D%/template_draft.h \
	%D%/template_fill.c %D%/template_fill.h \
	%D%/template_link.c %D%/template_link.h \
	%D%/template_preview.c %D%/template_preview.h \
	%D%/template_render.c %D%/template_render.h \
	%D%/template_use.c %D%/template_use.h \
	%D%/template_variables.c %D%/template_variables.h \
	%D%/text.c %D%/text.h \
	%D%/unfilled.c %D%/unfilled.h \
	%D%/variables.c %D%/variables.h
libcontent_a_CFLAGS = $(AM_CFLAGS)
CONTENT_LIBS = libcontent.a $(RELAY_LIBS)
