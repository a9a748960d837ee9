/* SPDX-License-Identifier: MIT */
/* Tokens that act for a person are cut out of all that others read: who reads an email back must
   not press its links.

   Cut are tokens that confirm, unsubscribe or open a person's choices (/t/s, /t/u, and the address
   to which a person writes to unsubscribe), URLs to download (/t/a), and links to sign in. One of
   the first three kinds is known by its signature, so it is found wherever it stands: behind
   percent-encoded slashes, in the query of another URL, or across the soft line breaks of
   quoted-printable; and texts that only look like one stay. */
#ifndef LINK_TOKEN_CUT_H
#define LINK_TOKEN_CUT_H

#include <glib.h>

struct base_secret;

#define TOKEN_CUT "\xe2\x80\xa6" /* stands for a token: "/t/u/…" */

/* The text with TOKEN_CUT for each such token; NULL when it has none. A click link whose
   destination has one loses its destination. secret NULL: there are no tokens yet. The caller owns
   it. */
GString *link_token_cut(const struct base_secret *secret, const char *text, gsize size);

/* The same, but URLs to download stay: for an answer that is to have them. */
GString *link_token_cut_but_downloads(
    const struct base_secret *secret, const char *text, gsize size);

/* As link_token_cut for a message (RFC 5322): the contents of base64 are looked at, too. */
GString *link_token_cut_message(const struct base_secret *secret, const char *text, gsize size);

#endif
