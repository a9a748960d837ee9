# SPDX-License-Identifier: MIT
# html: the html of emails, its links, images and text
noinst_LIBRARIES += libhtml.a
libhtml_a_SOURCES = \
	%D%/flow.c %D%/flow.h \
	%D%/html.c %D%/html.h \
	%D%/images.c %D%/images.h \
	%D%/links.c %D%/links.h \
	%D%/nesting.c %D%/nesting.h \
	%D%/slots.c %D%/slots.h \
	%D%/tags.c %D%/tags.h \
	%D%/textpart.c %D%/textpart.h
libhtml_a_CFLAGS = $(AM_CFLAGS) $(GUMBO_CFLAGS) $(GMIME_CFLAGS)
HTML_LIBS = libhtml.a $(GUMBO_LIBS) $(MAIL_LIBS)
