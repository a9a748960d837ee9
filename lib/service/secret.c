/* SPDX-License-Identifier: MIT */
/* Encrypts and decrypts the secrets of workspaces. */
#include "service/secret.h"

#include <string.h>

#include "base/id.h"
#include "base/secret.h"
#include "config/settings.h"
#include "service/service.h"
#include "store/automation/secret.h"

/* The workspace and the name are authenticated, so that no value can be moved to another row. */
static GByteArray *
secret_context(const struct base_id *workspace, const char *name)
{
	GByteArray *context = g_byte_array_new();

	g_byte_array_append(context, workspace->bytes, sizeof(workspace->bytes));
	g_byte_array_append(context, (const guint8 *)name, (guint)strlen(name));
	return context;
}

GBytes *
service_secret_seal(const struct service *service, const struct base_id *workspace,
    const char *name, const char *value)
{
	g_autoptr(GBytes) plain = g_bytes_new(value, strlen(value));
	g_autoptr(GByteArray) context = secret_context(workspace, name);

	return base_secret_encrypt(
	    config_settings_secret(service->settings), plain, context->data, context->len);
}

char *
service_secret_open(
    struct service *service, const struct base_id *workspace, const char *name, GError **error)
{
	g_autoptr(GBytes) sealed = store_secret_value(service->db, workspace, name, error);
	g_autoptr(GByteArray) context = secret_context(workspace, name);
	gsize size;

	if (!sealed)
		return NULL;
	g_autoptr(GBytes) plain = base_secret_decrypt(
	    config_settings_secret(service->settings), sealed, context->data, context->len, error);
	if (!plain) {
		g_prefix_error(error, "the secret \"%s\": ", name);
		return NULL;
	}
	const char *bytes = g_bytes_get_data(plain, &size);
	return g_strndup(bytes, size);
}

GBytes *
service_secret_key(struct service *service, const struct base_id *workspace, GError **error)
{
	g_autofree char *text =
	    service_secret_open(service, workspace, SERVICE_SECRET_SIGNING, error);

	if (!text)
		return NULL;
	const char *base64 = text + strlen(SERVICE_SECRET_PREFIX);
	return base_secret_base64_decode(base64, strlen(base64));
}
