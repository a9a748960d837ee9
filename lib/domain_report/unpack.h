/* SPDX-License-Identifier: MIT */
/* Unpacks the files in which reports come. */
#ifndef DOMAIN_REPORT_UNPACK_H
#define DOMAIN_REPORT_UNPACK_H

#include <glib.h>
#include <stdbool.h>

enum domain_report_form {
	DOMAIN_REPORT_OTHER, /* no report, or no file of one */
	DOMAIN_REPORT_XML,
	DOMAIN_REPORT_JSON,
	DOMAIN_REPORT_GZIP,
	DOMAIN_REPORT_ZIP,
};

/* The form of a file by its first bytes. Blanks and a byte order mark may stand in front of text.
 */
enum domain_report_form domain_report_form_of(const void *data, gsize size);

/* The content of a gzip file, or of the first .xml of a zip file. *is_cut_r: the file breaks off,
   or is damaged behind what was read. INVALID with WHY when it has no such file, or is above a
   limit. The caller owns it. */
GByteArray *domain_report_unpack(
    enum domain_report_form form, GBytes *file, bool *is_cut_r, GError **error);

#endif
