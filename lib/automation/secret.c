/* SPDX-License-Identifier: MIT */
/* Stores secrets encrypted with the secret of the installation. */
#include "automation/secret.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/workflow.h"
#include "base/secret.h"
#include "db/transaction.h"
#include "json/view.h"
#include "service/secret.h"
#include "service/service.h"
#include "store/automation/secret.h"
#include "store/workspace/audit.h"

#define PREFIX SERVICE_SECRET_PREFIX
#define MADE_BYTES 32

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("name", VIEW_TEXT, struct store_secret, name),
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_secret, created),
    JSON_VIEW_MEMBER("updated", VIEW_TIME, struct store_secret, updated),
};
const struct json_view automation_secret_view = JSON_VIEW(members);

bool
automation_secret_is_name(const char *name)
{
	static const char known[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
	gsize length = strlen(name);

	return length > 0 && length <= LIMIT_SECRET_NAME_LENGTH && strspn(name, known) == length;
}

static bool
secret_check_name(const char *name, GError **error)
{
	return automation_secret_is_name(name) ||
	       base_invalid(
		   error, "name must be 1 to %d letters, digits, _ or -", LIMIT_SECRET_NAME_LENGTH);
}

/* Whether a value is that of webhooks: "whsec_" and base64. */
static bool
secret_signs(const char *value)
{
	if (!g_str_has_prefix(value, PREFIX) || !value[strlen(PREFIX)])
		return false;
	const char *base64 = value + strlen(PREFIX);
	g_autoptr(GBytes) key = base_secret_base64_decode(base64, strlen(base64));
	return key != NULL;
}

static bool
secret_check_value(const char *name, const char *value, GError **error)
{
	gsize length = strlen(value), printable = 0;

	while (value[printable] >= ' ' && value[printable] <= '~')
		printable++;
	if (length == 0 || length > LIMIT_SECRET_VALUE_LENGTH || printable < length)
		return base_invalid(error, "value must be 1 to %d printable ASCII characters",
		    LIMIT_SECRET_VALUE_LENGTH);
	return strcmp(name, SERVICE_SECRET_SIGNING) != 0 || secret_signs(value) ||
	       base_invalid(error, "value must be " PREFIX " and base64");
}

static char *
secret_make(void)
{
	guint8 key[MADE_BYTES];

	base_secret_random(key, sizeof(key));
	g_autofree char *text = g_base64_encode(key, sizeof(key));
	return g_strconcat(PREFIX, text, NULL);
}

struct putting {
	const struct automation_secret_input *input;
	struct automation_secret_stored *stored;
	GBytes *sealed;
};

static bool
secret_put(struct db *db, void *context, GError **error)
{
	const struct putting *putting = context;
	struct store_audit *audit = putting->input->audit;
	bool *is_new = &putting->stored->is_new;

	if (!store_secret_put(db, putting->stored->secret, putting->sealed, is_new, error))
		return false;
	if (!audit)
		return true;
	audit->action = *is_new ? "secret.created" : "secret.changed";
	audit->target_type = "secret";
	audit->target_id = putting->input->name;
	return store_audit_add(db, audit, error);
}

bool
automation_secret_put(struct service *service, const struct automation_secret_input *input,
    struct automation_secret_stored *stored_r, GError **error)
{
	*stored_r = (struct automation_secret_stored){NULL};
	if (!secret_check_name(input->name, error) ||
	    (input->value && !secret_check_value(input->name, input->value, error)))
		return false;
	stored_r->value = input->value ? NULL : secret_make();
	g_autoptr(GBytes) sealed = service_secret_seal(
	    service, input->workspace, input->name, input->value ? input->value : stored_r->value);
	stored_r->secret = g_new0(struct store_secret, 1);
	stored_r->secret->workspace_id = *input->workspace;
	stored_r->secret->name = g_strdup(input->name);
	if (db_transact(service->db, secret_put, &(struct putting){input, stored_r, sealed}, error))
		return true;
	g_clear_pointer(&stored_r->secret, store_secret_free);
	g_clear_pointer(&stored_r->value, g_free);
	return false;
}
