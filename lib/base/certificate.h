/* SPDX-License-Identifier: MIT */
/* Certificates in files. */
#ifndef BASE_CERTIFICATE_H
#define BASE_CERTIFICATE_H

#include <glib.h>
#include <stdbool.h>

/* The end of the first certificate in a PEM file, epoch ms. FAILED, with a sentence, when it cannot
   be read. */
bool base_certificate_end(const char *path, gint64 *end_r, GError **error);

/* Whether the private key in a PEM file is that of the first certificate in another, or the same,
   PEM file. FAILED, with a sentence, when it is not, or when one of them cannot be read. */
bool base_certificate_fits(const char *path, const char *key_path, GError **error);

#endif
