/* Who gets no more mail. */
#include "core/suppress.h"

#include <string.h>

#include "base/error.h"
#include "base/settings.h"
#include "core/contact.h"
#include "core/core.h"
#include "db/transaction.h"
#include "mail/address.h"
#include "store/email.h"

/* A hash that is kept cannot be found again under another. */
#define PURPOSE "suppression"

struct suppress_keys {
	struct suppression_key *keys;
	GPtrArray *addresses; /* char * */
	GPtrArray *hashes;    /* GArray of guint8[SHA256_SIZE] */
};

static void
unref_array(void *array)
{
	g_array_unref(array);
}

struct suppress_keys *
core_suppress_keys(const struct core *core, const char *const *addresses, guint count)
{
	struct suppress_keys *keys = g_new0(struct suppress_keys, 1);
	const struct secret *secret = base_settings_secret(core->settings);

	keys->keys = g_new0(struct suppression_key, count);
	keys->addresses = g_ptr_array_new_with_free_func(g_free);
	keys->hashes = g_ptr_array_new_with_free_func(unref_array);
	for (guint i = 0; i < count; i++) {
		char *address = mail_address_key(addresses[i]);
		GArray *hashes = base_secret_sign_all(secret, PURPOSE, address, strlen(address));

		g_ptr_array_add(keys->addresses, address);
		g_ptr_array_add(keys->hashes, hashes);
		keys->keys[i] = (struct suppression_key){
		    address, (const guint8(*)[SHA256_SIZE])(void *)hashes->data, hashes->len};
	}
	return keys;
}

const struct suppression_key *
core_suppress_key(const struct suppress_keys *keys, guint i)
{
	return &keys->keys[i];
}

void
core_suppress_keys_free(struct suppress_keys *keys)
{
	g_free(keys->keys);
	g_ptr_array_unref(keys->addresses);
	g_ptr_array_unref(keys->hashes);
	g_free(keys);
}

bool
core_suppress_match(struct core *core, const struct id *workspace, const char *const *addresses,
    guint count, bool automation, bool *suppressed_r, GError **error)
{
	AUTO(suppress_keys) keys = core_suppress_keys(core, addresses, count);

	return store_suppression_match(
	    core->db, workspace, keys->keys, count, automation, suppressed_r, error);
}

bool
core_suppress_recipients(
    struct core *core, const struct email *email, bool *suppressed_r, GError **error)
{
	guint count = email->recipients->len;
	g_autofree const char **addresses = g_new(const char *, count);

	for (guint i = 0; i < count; i++)
		addresses[i] = ((const struct recipient *)email->recipients->pdata[i])->address;
	return core_suppress_match(core, &email->workspace_id, addresses, count,
	    email->type == EMAIL_AUTOMATION, suppressed_r, error);
}

bool
core_suppress_is_final(int code, const char *enhanced)
{
	static const char *const mailbox[] = {"5.1.1", "5.1.3", "5.1.6", "5.1.10", "5.2.1"};

	if (!enhanced || !*enhanced)
		return code == 550;
	for (guint i = 0; i < G_N_ELEMENTS(mailbox); i++)
		if (strcmp(mailbox[i], enhanced) == 0)
			return true;
	return false;
}

/* What is put on the list, and how it is looked for there. */
struct addition {
	struct suppression entry; /* its texts are borrowed */
	const struct suppression_key *key;
};

static bool
put(struct db *db, void *context, GError **error)
{
	struct addition *addition = context;

	return store_suppression_put(db, &addition->entry, addition->key, error);
}

bool
core_suppress_put(const struct core *core, const struct id *workspace, const char *address,
    enum suppression_reason reason, enum suppression_scope scope, GError **error)
{
	AUTO(suppress_keys) keys = core_suppress_keys(core, &address, 1);
	struct addition addition = {
	    .entry = {.workspace_id = *workspace,
		.email = (char *)address,
		.address = (char *)keys->keys->address,
		.reason = reason,
		.scope = scope},
	    .key = keys->keys,
	};

	return put(core->db, &addition, error);
}

struct suppression *
core_suppress_add(struct core *core, const struct id *workspace, const char *email,
    enum suppression_reason reason, enum suppression_scope scope, GError **error)
{
	g_autofree char *address = core_contact_address(email, error);

	if (!address)
		return NULL;
	AUTO(suppress_keys) keys = core_suppress_keys(core, (const char *const *)&address, 1);
	struct addition addition = {
	    .entry = {.workspace_id = *workspace,
		.email = (char *)email,
		.address = address,
		.reason = reason,
		.scope = scope},
	    .key = keys->keys,
	};
	if (!db_transact(core->db, put, &addition, error))
		return NULL;
	return store_suppression_get(core->db, workspace, keys->keys, error);
}

static bool
missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Suppression not found");
	return false;
}

struct suppression *
core_suppress_get(struct core *core, const struct id *workspace, const char *email, GError **error)
{
	g_autofree char *address = core_contact_address(email, NULL);

	if (!address) {
		missing(error);
		return NULL;
	}
	AUTO(suppress_keys) keys = core_suppress_keys(core, (const char *const *)&address, 1);
	return store_suppression_get(core->db, workspace, keys->keys, error);
}

struct removal {
	const struct id *workspace;
	const struct suppression_key *key;
	guint count;
};

static bool
remove_one(struct db *db, void *context, GError **error)
{
	struct removal *removal = context;

	return store_suppression_remove(
	    db, removal->workspace, removal->key, &removal->count, error);
}

bool
core_suppress_remove(
    struct core *core, const struct id *workspace, const char *email, GError **error)
{
	g_autofree char *address = core_contact_address(email, NULL);

	if (!address)
		return missing(error);
	AUTO(suppress_keys) keys = core_suppress_keys(core, (const char *const *)&address, 1);
	struct removal removal = {.workspace = workspace, .key = keys->keys};
	if (!db_transact(core->db, remove_one, &removal, error))
		return false;
	return removal.count > 0 || missing(error);
}
