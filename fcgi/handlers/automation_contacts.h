#ifndef FCGI_HANDLERS_AUTOMATION_CONTACTS_H
#define FCGI_HANDLERS_AUTOMATION_CONTACTS_H

#include <glib.h>
#include <stdbool.h>

struct call;
struct json_table;
struct id;

/* /v1/automation/contacts */
bool automation_contacts_list(struct call *call, GError **error);
bool automation_contacts_get(struct call *call, GError **error);
bool automation_contacts_patch(struct call *call, GError **error);
bool automation_contacts_delete(struct call *call, GError **error);
bool automation_contacts_list_events(struct call *call, GError **error);

/* The contact whose email is in the path. NOT_FOUND "Contact not found", also for what is no email.
 */
bool automation_contacts_find(struct call *call, struct id *id_r, GError **error);

/* What the bodies hold. */
extern const struct json_table automation_contacts_change;

#endif
