/* SPDX-License-Identifier: MIT */
/* Subscribes contacts, unless their persons have unsubscribed. */
#include "core/consent.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "core/core.h"
#include "core/suppress.h"
#include "db/transaction.h"
#include "store/webhook_tell.h"

bool
core_consent_read(const char *text, struct store_consent_override *override,
    const struct store_consent_override **given_r, GError **error)
{
	*given_r = NULL;
	if (!text || strcmp(text, "false") == 0)
		return true;
	if (!*text || g_utf8_strlen(text, -1) > LIMIT_OVERRIDE_LENGTH) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "override must be true or a reason of 1 to %d characters",
		    LIMIT_OVERRIDE_LENGTH);
		return false;
	}
	override->reason = strcmp(text, "true") == 0 ? NULL : text;
	*given_r = override;
	return true;
}

struct creation {
	struct store_contact *contact;
	const struct store_suppression_key *key;
	const struct store_consent_override *override;
};

static bool
create_against(struct db *db, void *context, GError **error)
{
	const struct creation *creation = context;
	struct store_contact *contact = creation->contact;

	return store_contact_insert(db, contact, error) &&
	       store_choice_override(db, &contact->workspace_id, creation->key, creation->override,
		   &contact->id, error) &&
	       store_webhook_tell_contact(
		   db, &contact->workspace_id, &contact->id, WEBHOOK_CONTACT_CREATED, 0, error);
}

bool
core_consent_create(struct core *core, struct store_contact *contact, bool said,
    const struct store_consent_override *override, GError **error)
{
	g_autoptr(GError) failure = NULL;
	bool left;

	if (!contact->is_subscribed)
		return store_contact_create(core->db, contact, error);
	AUTO(core_suppress_keys) keys =
	    core_suppress_keys(core, (const char *const *)&contact->address, 1);
	struct creation creation = {contact, core_suppress_key(keys, 0), override};
	if (store_contact_create_subscribed(core->db, contact, creation.key, &left, &failure))
		return true;
	if (left && override)
		return db_transact(core->db, create_against, &creation, error);
	if (left && !said) {
		contact->is_subscribed = false;
		return store_contact_create(core->db, contact, error);
	}
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static struct core_contact_request *
contact_request(const struct core_request *request)
{
	return (struct core_contact_request *)request;
}

static bool
store_alone(struct core *core, struct core_request *request, GError **error)
{
	struct core_contact_request *r = contact_request(request);

	return core_consent_create(
	    core, r->contact, r->said, r->overrides ? &r->override : NULL, error);
}

/* By workspace, audience and address. */
static int
by_lock(const void *a, const void *b)
{
	const struct store_contact *const *x = a, *const *y = b;
	int order = memcmp(&(*x)->workspace_id, &(*y)->workspace_id, sizeof(struct base_id));

	if (order == 0)
		order = memcmp(&(*x)->audience_id, &(*y)->audience_id, sizeof(struct base_id));
	return order ? order : strcmp((*x)->address, (*y)->address);
}

/* Stores contacts of one workspace. */
static bool
store_some(struct core *core, struct store_contact *const *contacts, guint count, GError **error)
{
	g_autofree const char **addresses = g_new(const char *, count);
	g_autofree const struct store_suppression_key **people =
	    g_new(const struct store_suppression_key *, count);
	guint subscribed = 0;

	for (guint i = 0; i < count; i++)
		if (contacts[i]->is_subscribed)
			addresses[subscribed++] = contacts[i]->address;
	AUTO(core_suppress_keys) keys = core_suppress_keys(core, addresses, subscribed);
	for (guint i = 0; i < subscribed; i++)
		people[i] = core_suppress_key(keys, i);
	return store_contact_insert_all(core->db, contacts, count, people, subscribed, error);
}

static bool
store_many(struct core *core, struct core_request *const *requests, guint count, GError **error)
{
	g_autofree struct store_contact **contacts = g_new(struct store_contact *, count);

	for (guint i = 0; i < count; i++)
		contacts[i] = contact_request(requests[i])->contact;
	qsort(contacts, count, sizeof(*contacts), by_lock);
	for (guint i = 0, same; i < count; i += same) {
		same = 1;
		while (i + same < count &&
		       base_id_equal(&contacts[i]->workspace_id, &contacts[i + same]->workspace_id))
			same++;
		if (!store_some(core, contacts + i, same, error))
			return false;
	}
	return true;
}

static void
free_contact_request(struct core_request *request)
{
	store_contact_free(contact_request(request)->contact);
	g_free(request);
}

struct core_contact_request *
core_consent_request(
    struct store_contact *contact, bool said, const struct store_consent_override *override)
{
	static const struct core_request_kind kind = {
	    .store = store_many, .alone = store_alone, .free = free_contact_request};
	struct core_contact_request *request = g_new0(struct core_contact_request, 1);

	request->request.kind = &kind;
	request->contact = contact;
	request->said = said;
	request->overrides = override != NULL;
	if (override)
		request->override = *override;
	return request;
}

struct settling {
	const struct core *core;
	bool said;
	const struct store_consent_override *override;
};

static bool
settle(struct db *db, struct store_contact *contact, void *context, GError **error)
{
	const struct settling *settling = context;
	AUTO(core_suppress_keys) keys =
	    core_suppress_keys(settling->core, (const char *const *)&contact->address, 1);
	const struct store_suppression_key *key = core_suppress_key(keys, 0);
	bool stands;

	if (!store_choice_stands(db, &contact->workspace_id, key, &stands, error))
		return false;
	if (stands && settling->override)
		return store_choice_override(
		    db, &contact->workspace_id, key, settling->override, &contact->id, error);
	if (stands && settling->said)
		return store_choice_refuse(error);
	contact->is_subscribed = !stands;
	return true;
}

bool
core_consent_change(struct core *core, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id,
    const struct store_contact_change *change, const struct store_consent_override *override,
    GError **error)
{
	struct settling settling = {core, change->is_subscribed_given, override};
	struct store_contact_change settled = *change;

	settled.settle = settle;
	settled.settle_context = &settling;
	return store_contact_change(core->db, workspace, audience, id, &settled, error);
}
