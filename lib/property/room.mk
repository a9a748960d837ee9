# SPDX-License-Identifier: MIT
# property: properties of people, their definitions and values
noinst_LIBRARIES += libproperty.a
libproperty_a_SOURCES = %D%/property.c %D%/property.h
libproperty_a_CFLAGS = $(AM_CFLAGS)
PROPERTY_LIBS = libproperty.a $(SERVICE_LIBS)
