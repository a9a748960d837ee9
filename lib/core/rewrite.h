/* SPDX-License-Identifier: MIT */
#ifndef CORE_REWRITE_H
#define CORE_REWRITE_H

#include <glib.h>

struct core;
struct store_email;
struct mail_links;

/* The html of an email as one recipient gets it, of which these are the links: with the pixel and
   with links that are told, where the email's tracking says so. Links to where one unsubscribes,
   ours or the sender's own, stay as they are. What is not to be tracked comes back as it is. The
   caller owns the result. */
GBytes *core_rewrite(const struct core *core, const struct store_email *email, guint recipient,
    GBytes *html, const struct mail_links *links);

#endif
