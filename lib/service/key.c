/* SPDX-License-Identifier: MIT */
/* Makes and revokes API keys. */
#include "service/key.h"

#include <string.h>

#include "base/error.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/domain/domain.h"

#define RANDOM_BYTES 32

const char *const service_key_scopes[] = {"full", "send", "read", "metrics", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(service_key_scopes) == KEY_METRICS + 1);

static struct json_view_value
key_read_domain_id(const void *row)
{
	const struct store_key *key = &((const struct store_key_row *)row)->key;

	return (struct json_view_value){
	    .type = key->has_domain ? VIEW_ID : VIEW_NULL, .id = &key->domain_id};
}

static struct json_view_value
key_read_domain(const void *data)
{
	const struct store_key_row *row = data;
	const char *name = row->domain ? row->domain : row->key.has_domain ? "(removed)" : NULL;

	return (struct json_view_value){.type = VIEW_TEXT, .text = name};
}

static void
key_write_user(struct json_writer *writer, const char *name, const void *data, const void *context)
{
	const struct store_key_row *row = data;
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, name);
	json_writer_string(writer, "id", base_id_format(&row->key.user_id, id));
	json_writer_string(writer, "email", row->user);
	json_writer_end_object(writer);
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_key_row, key.id),
    JSON_VIEW_MEMBER("name", VIEW_TEXT, struct store_key_row, name),
    JSON_VIEW_MEMBER("scope", VIEW_WORD, struct store_key_row, key.scope, service_key_scopes),
    {"domain_id", VIEW_MADE, .read = key_read_domain_id},
    {"user", VIEW_PART, .write = key_write_user},
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_key_row, created),
    JSON_VIEW_MEMBER("expires_at", VIEW_TIME, struct store_key_row, key.expires),
    JSON_VIEW_MEMBER("revoked_at", VIEW_TIME, struct store_key_row, revoked),
    JSON_VIEW_MEMBER("last_used_at", VIEW_TIME, struct store_key_row, key.last_used),
    JSON_VIEW_MEMBER("owner", VIEW_TEXT, struct store_key_row, user, .is_apart = true),
    {"domain", VIEW_MADE, .read = key_read_domain, .is_apart = true},
};
const struct json_view service_key_view = JSON_VIEW(members);

char *
service_key_text(guint8 hash_r[SHA256_SIZE])
{
	guint8 bytes[RANDOM_BYTES];

	base_secret_random(bytes, sizeof(bytes));
	g_autofree char *random = base_secret_base64url(bytes, sizeof(bytes));
	char *text = g_strconcat(SERVICE_KEY_PREFIX, random, NULL);
	base_secret_sha256(text, strlen(text), hash_r);
	return text;
}

static gint64
key_earlier(gint64 one, gint64 other)
{
	return one && other ? MIN(one, other) : MAX(one, other);
}

static bool
key_check_domain(struct service *service, const struct base_id *workspace, const struct base_id *id,
    GError **error)
{
	AUTO(store_domain) domain = id ? store_domain_get(service->db, workspace, id, error) : NULL;

	return !id || domain;
}

bool
service_key_create(struct service *service, const struct store_key *maker,
    const struct service_key_wish *wish, struct base_id *id_r, char **text_r, GError **error)
{
	struct store_key key = {.workspace_id = maker->workspace_id,
	    .user_id = maker->user_id,
	    .scope = wish->scope,
	    .has_domain = wish->domain != NULL};
	guint8 hash[SHA256_SIZE];

	if (maker->scope != KEY_FULL)
		return base_fail(error, PH_ERROR_FORBIDDEN, "Only a key of scope full makes keys");
	if (!key_check_domain(service, &key.workspace_id, wish->domain, error))
		return false;
	if (wish->domain)
		key.domain_id = *wish->domain;
	g_autofree char *text = service_key_text(hash);
	if (!store_key_create(service->db, &key, hash, wish->name,
		key_earlier(wish->expires, maker->expires), error))
		return false;
	*id_r = key.id;
	*text_r = g_steal_pointer(&text);
	return true;
}

bool
service_key_revoke(struct service *service, const struct store_key *asker, const struct base_id *id,
    GError **error)
{
	if (base_id_equal(&asker->id, id))
		return base_fail(error, PH_ERROR_CONFLICT, "A key cannot revoke itself");
	return store_key_revoke(service->db, &asker->workspace_id, id, error);
}
