# SPDX-License-Identifier: MIT
# relay: relays, routes, destinations and their pace
noinst_LIBRARIES += librelay.a
librelay_a_SOURCES = \
	%D%/destination.c %D%/destination.h \
	%D%/pace.c %D%/pace.h \
	%D%/relay.c %D%/relay.h \
	%D%/route.c %D%/route.h \
	%D%/source.c %D%/source.h
librelay_a_CFLAGS = $(AM_CFLAGS)
RELAY_LIBS = librelay.a $(PERSON_LIBS)
