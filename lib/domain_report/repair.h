/* SPDX-License-Identifier: MIT */
/* Makes XML of what programs take for it, for a parser that allows no faults. */
#ifndef DOMAIN_REPORT_REPAIR_H
#define DOMAIN_REPORT_REPAIR_H

#include <glib.h>
#include <stdbool.h>

/* The faults that were found, as bits. */
enum domain_report_fault {
	REPAIR_BYTES = 1,  /* bytes that are no UTF-8, and characters that XML has not */
	REPAIR_MARKUP = 2, /* "<" and "&" that begin nothing */
	REPAIR_SCHEMA = 4, /* elements of an XML schema */
};

/* Takes a piece of the result; false stops. */
typedef bool (*domain_report_sink)(const char *piece, gsize size, void *context);

/* Passes text to sink in pieces: elements without attributes, whose names have no prefix, and
   text, in UTF-8. Comments, processing instructions and elements of a schema are left out. Takes
   time in proportion to size. INVALID with WHY when it has a DOCTYPE or the like; *faults_r: bits
   of enum domain_report_fault. */
bool domain_report_repair(const char *text, gsize size, domain_report_sink sink, void *context,
    guint *faults_r, GError **error);

#endif
