/* SPDX-License-Identifier: MIT */
/* Reads and changes a workspace. */
#include "service/workspace.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "mail/address.h"
#include "service/service.h"
#include "store/workspace/quota.h"
#include "store/workspace/workspace.h"

void
service_workspace_free(struct service_workspace *workspace)
{
	g_clear_pointer(&workspace->workspace, store_workspace_free);
	g_free(workspace);
}

static void
workspace_set_quota(struct service_workspace *workspace, enum config_setting limit, gint64 used)
{
	if (store_limit_value(&workspace->limits, limit) > 0)
		workspace->used[limit - STORE_LIMIT_FIRST] = used;
}

struct service_workspace *
service_workspace_get(struct service *service, const struct base_id *id, GError **error)
{
	AUTO(service_workspace) workspace = g_new0(struct service_workspace, 1);
	gint64 used[QUOTA_PERIODS];

	workspace->workspace = store_workspace_get(service->db, id, error);
	if (!workspace->workspace ||
	    !store_limit_read(service->db, id, &workspace->limits, error) ||
	    !store_limit_use(service->db, id, workspace->used, error) ||
	    !store_quota_used(service->db, id, base_clock_now(), used, error))
		return NULL;
	workspace_set_quota(workspace, SETTING_LIMITS_EMAILS_PER_HOUR, used[QUOTA_HOUR]);
	workspace_set_quota(workspace, SETTING_LIMITS_EMAILS_PER_DAY, used[QUOTA_DAY]);
	return g_steal_pointer(&workspace);
}

/* The sender as it is stored: the caller owns it. */
static char *
workspace_read_sender(const char *given, GError **error)
{
	g_autoptr(GError) failure = NULL;
	AUTO(mail_address) address = mail_address_parse(given, &failure);

	if (!address) {
		base_invalid(error, "default_sender %s", failure->message);
		return NULL;
	}
	g_autofree char *text = mail_address_format(address);
	if (g_utf8_strlen(text, -1) <= LIMIT_FROM_LENGTH)
		return g_steal_pointer(&text);
	base_invalid(error, "default_sender must be at most %d characters", LIMIT_FROM_LENGTH);
	return NULL;
}

bool
service_workspace_change(struct service *service, const struct base_id *id, const char *name,
    const char *sender, GError **error)
{
	g_autofree char *stored = NULL;
	g_autoptr(GError) failure = NULL;

	if (sender && !(stored = workspace_read_sender(sender, error)))
		return false;
	if (store_workspace_change(service->db, id, name, stored, &failure))
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT) &&
	    strcmp(failure->message, STORE_WORKSPACE_KEPT) != 0)
		return base_fail(
		    error, PH_ERROR_CONFLICT, "There is a workspace of this name already");
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}
