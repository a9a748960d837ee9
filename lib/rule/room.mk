# SPDX-License-Identifier: MIT
# rule: the language of rules of segments and workflows
noinst_LIBRARIES += librule.a
librule_a_SOURCES = \
	%D%/event_name.c %D%/event_name.h \
	%D%/operator.c %D%/operator.h \
	%D%/properties.c %D%/properties.h
librule_a_CFLAGS = $(AM_CFLAGS)
RULE_LIBS = librule.a $(JSON_ROOM_LIBS)
