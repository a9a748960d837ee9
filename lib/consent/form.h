/* SPDX-License-Identifier: MIT */
/* Forms by which people join an audience: their checks, and their use. */
#ifndef CONSENT_FORM_H
#define CONSENT_FORM_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "json/view.h"

struct service;
struct submit_sending;
struct db;
struct store_form;

/* The members of a form (struct store_form): id, url, name, audience_id, topics, fields,
   redirect_url, origins, double_opt_in, per_network, created, updated. The context is struct
   service. */
extern const struct json_view consent_form_view;

/* Check the parts of a form, NULL: none. The result is the JSON array to store; the caller owns it.
   INVALID "Topic not found"; "fields[0] must be first_name, last_name or the key of a property". */
char *consent_form_topics(
    struct db *db, const struct base_id *workspace, const char *const *ids, GError **error);
char *consent_form_fields(
    struct db *db, const struct base_id *workspace, const char *const *keys, GError **error);

/* Checks an address to go on to; "" is none. INVALID "redirect_url must be an http or https URL".
 */
bool consent_form_check_redirect(const char *url, GError **error);

/* Checks the sites whose scripts may use a form: http or https origins, which are then in the form
   that browsers send. The result is the JSON array to store; the caller owns it. INVALID
   "origins[0] must be an origin, such as https://www.example.com". */
char *consent_form_origins(const char *const *origins, GError **error);

/* The value of Access-Control-Allow-Origin for a request with this Origin (NULL: none): "*", or the
   origin that the form names; NULL: none may read the answer. It lives as long as form and origin.
   */
const char *consent_form_allows(const struct store_form *form, const char *origin);

/* The public address of a form. The caller owns it. */
char *consent_form_url(const struct service *service, const struct base_id *id);

/* The time at which the page of a form is shown, authentic. The caller owns it. */
char *consent_form_stamp(const struct service *service, const struct base_id *form);

/* Whether a text is such a time of this form, LIMIT_FORM_AGE_MIN_MS to LIMIT_FORM_AGE_MAX_MS ago.
 */
bool consent_form_stamp_is_good(
    const struct service *service, const struct base_id *form, const char *text);

/* Counts a submission from an IP address. LIMITED when its network has used up the form's
   per_network; then *wait_ms_r is the rest of the hour. */
bool consent_form_count(struct service *service, const struct store_form *form, const char *ip,
    gint64 *wait_ms_r, GError **error);

/* A submission. All borrowed; NULL where there is none. */
struct consent_form_entry {
	const char *email, *address; /* as given, and of person_contact_address */
	GHashTable *values;	     /* name → text: of the form's fields */
	const GPtrArray *topics;     /* texts: ids of topics that are wanted */
	const char *language;	     /* BCP 47, of the browser */
	const char *ip, *user_agent;
};

/* Takes a submission: as far as the form and the person's state ask for it, stores a membership and
   a mail by which the person confirms. *mail_r is that mail, for service_once_finish, or NULL. The
   caller frees it with service_once_free. */
bool consent_form_submit(struct service *service, const struct store_form *form,
    const struct consent_form_entry *entry, struct submit_sending **mail_r, GError **error);

#endif
