/* SPDX-License-Identifier: MIT */
/* The URLs and addresses that identify a recipient of a message: pixel, links and unsubscribing. */
#ifndef LINK_TRACKING_H
#define LINK_TRACKING_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct store_email;
struct base_id;
struct config_settings;
struct link_token;
struct html_links;

/* The URL below which they all lie: [service] url, or NULL when that is not set. Then the functions
   that make a URL return NULL too. settings own it. */
const char *link_tracking_base(const struct config_settings *settings);

/* The same at another host, with its scheme, port and path; host NULL: at its own. The caller owns
   it. */
char *link_tracking_base_at(const struct config_settings *settings, const char *host);

/* Whether [service] url names this machine, as in a trial: then http is as good as https. */
bool link_tracking_is_local(const struct config_settings *settings);

/* Makes the URL by which a person confirms a membership (consent/opt_in.h), at a host; NULL: that
   of [service] url. The caller owns it. */
char *link_tracking_confirm_url(
    const struct service *service, const char *host, const struct base_id *confirmation);

/* Makes the URL of the page on which a recipient unsubscribes, at the host of the email's links.
   The caller owns it. */
char *link_tracking_unsubscribe_url(
    const struct service *service, const struct store_email *email, guint number);

/* The value of {{unsubscribe_url}} for clients that read the email back: the URL of the only
   recipient (whose token answers lose, link/token_cut.h), or the reference itself when each
   recipient has a different one. NULL where its contents have no references. The caller owns it. */
char *link_tracking_shown_url(const struct service *service, const struct store_email *email);

/* Makes the address at the sending domain that a recipient can write to in order to unsubscribe.
   NULL when a relay of its route has a return path, since the domain then receives no mail. The
   caller owns it.
 */
char *link_tracking_unsubscribe_address(
    const struct service *service, const struct store_email *email, guint number);

/* Puts the pixel and the tracked links of one recipient into an email's html, as the email's
   tracking asks for, and before that its parameters (link/utm.h) into the links. links are the
   links of html. Links to unsubscribe pages, ours or the sender's own, stay as they are; so does
   html that needs neither. The caller owns the result. */
GBytes *link_tracking_rewrite(const struct service *service, const struct store_email *email,
    guint recipient, GBytes *html, const struct html_links *links);

#endif
