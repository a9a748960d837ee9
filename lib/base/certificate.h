/* SPDX-License-Identifier: MIT */
/* Certificates in files. */
#ifndef BASE_CERTIFICATE_H
#define BASE_CERTIFICATE_H

#include <glib.h>
#include <stdbool.h>

/* The end of the first certificate in a PEM file, epoch ms. FAILED, with a sentence, when it cannot
   be read. */
bool base_certificate_end(const char *path, gint64 *end_r, GError **error);

#endif
