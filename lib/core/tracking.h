/* SPDX-License-Identifier: MIT */
/* The addresses by which readers of a message are known: its pixel, its links, and where to
   unsubscribe. */
#ifndef CORE_TRACKING_H
#define CORE_TRACKING_H

#include <glib.h>

struct core;
struct store_email;
struct base_id;
struct base_settings;
struct core_token;

/* Where these addresses lie. [service] url, or NULL where it has not been set: then there are no
   such addresses, and all that follow give NULL but for the last one. */
const char *core_tracking_base(const struct base_settings *settings);

/* For a token of the kind TOKEN_OPEN or TOKEN_CLICK (with its destination). The caller owns it. */
char *core_tracking_url(
    const struct core *core, const struct core_token *token, const char *destination);

/* The page on which a recipient unsubscribes. The caller owns it. */
char *core_tracking_unsubscribe_url(
    const struct core *core, const struct base_id *email, guint number);

/* What {{unsubscribe_url}} gives to those who read the email back: the only recipient's URL, or the
   reference itself where each recipient has another. The caller owns it. */
char *core_tracking_shown_url(const struct core *core, const struct store_email *email);

/* An address at the sending domain to which a recipient may write for the same; NULL where [smtp]
   return_path is set, since that domain receives no mail then. The caller owns it. */
char *core_tracking_unsubscribe_address(
    const struct core *core, const struct store_email *email, guint number);

#endif
