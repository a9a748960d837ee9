/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_AUTOMATION_CONTACTS_H
#define FCGI_HANDLERS_AUTOMATION_CONTACTS_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;
struct json_table;
struct base_id;

/* /v1/automation/contacts */
bool fcgi_automation_contacts_list(struct fcgi_call *call, GError **error);
bool fcgi_automation_contacts_get(struct fcgi_call *call, GError **error);
bool fcgi_automation_contacts_patch(struct fcgi_call *call, GError **error);
bool fcgi_automation_contacts_delete(struct fcgi_call *call, GError **error);
bool fcgi_automation_contacts_list_events(struct fcgi_call *call, GError **error);

/* The contact whose email is in the path. NOT_FOUND "Contact not found", also for what is no email.
 */
bool fcgi_automation_contacts_find(struct fcgi_call *call, struct base_id *id_r, GError **error);

/* What the bodies hold. */
extern const struct json_table fcgi_automation_contacts_change;

#endif
