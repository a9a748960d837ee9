/* SPDX-License-Identifier: MIT */
/* The references of html to parts of its message: cid: URLs (RFC 2392). */
#ifndef MAIL_CID_H
#define MAIL_CID_H

#include <glib.h>
#include <stdbool.h>

/* Looks for references to ids in the tags and styles of html. An id without an @ has "@domain"
   behind it in the message, as its grammar asks for (RFC 2045 section 7), so it gets one in the
   references, too: readers compare both as they stand. named_r[i] tells whether html names ids[i];
   a NULL in ids is named nowhere. The caller owns the result, which has *size_r bytes; NULL: html
   stays as it is. */
char *mail_cid_complete(const char *html, gsize size, const char *const *ids, guint count,
    const char *domain, bool *named_r, gsize *size_r);

/* The id as it stands in the message. The caller owns it. */
char *mail_cid_full(const char *id, const char *domain);

#endif
