/* SPDX-License-Identifier: MIT */
/* Tells the users of a workspace that a webhook was switched off. */
#include "core/webhook_notice.h"

#include <string.h>

#include "base/error.h"
#include "core/core.h"
#include "core/draft.h"
#include "core/submission.h"
#include "core/submit.h"
#include "store/webhook_claim.h"
#include "store/user.h"
#include "store/workspace.h"

/* The host of a URL, as its owner wrote it. */
static char *
host_of(const char *url)
{
	g_autoptr(GUri) uri = g_uri_parse(url, G_URI_FLAGS_PARSE_RELAXED, NULL);

	return g_strdup(uri && g_uri_get_host(uri) ? g_uri_get_host(uri) : url);
}

static void
add_user(const struct store_user *user, void *context)
{
	g_ptr_array_add(context, g_strdup(user->email));
}

static bool
is_of_database(const GError *error)
{
	return g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY) ||
	       g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT) ||
	       g_error_matches(error, PH_ERROR, PH_ERROR_UNCERTAIN) ||
	       g_error_matches(error, PH_ERROR, PH_ERROR_FAILED);
}

static bool
store(struct core *core, const struct base_id *workspace, const struct core_submission *submission,
    GError **trouble_r, GError **error)
{
	g_autoptr(GError) fault = NULL;
	AUTO(core_draft) draft = core_draft_new(core, workspace, submission, &fault);

	if (draft)
		return core_submit_store(
		    core->db, (const struct core_draft *const *)&draft, 1, error);
	if (is_of_database(fault)) {
		g_propagate_error(error, g_steal_pointer(&fault));
		return false;
	}
	g_clear_error(trouble_r);
	g_propagate_prefixed_error(trouble_r, g_steal_pointer(&fault), "%s: ", submission->subject);
	return true;
}

bool
core_webhook_notice(struct core *core, const struct store_webhook_state *webhook,
    GError **trouble_r, GError **error)
{
	const struct base_id *workspace = &webhook->workspace_id;
	g_autoptr(GPtrArray) users = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *sender = NULL;
	g_autofree char *host = host_of(webhook->url);
	g_autofree char *full = g_strdup_printf("Webhook disabled: %s", host);
	g_autofree char *subject = g_utf8_substring(full, 0, MIN(g_utf8_strlen(full, -1), 100));
	char id[ID_TEXT_SIZE];
	g_autofree char *html = g_strdup_printf(
	    "<p>For 5 days each request of the webhook %s to %s has failed, so no more are "
	    "made.</p>\n"
	    "<p>Enable the webhook again when it works: the events that wait are sent then.</p>\n",
	    base_id_format(&webhook->id, id), host);

	*trouble_r = NULL;
	if (!store_workspace_sender(core->db, workspace, &sender, error))
		return false;
	if (!sender)
		return true;
	if (!store_user_list(core->db, workspace, add_user, users, error))
		return false;
	for (guint i = 0; i < users->len; i++) {
		const char *to[] = {users->pdata[i], NULL};
		const struct core_submission submission = {
		    .from = sender, .to = to, .subject = subject, .html = html};

		if (!store(core, workspace, &submission, trouble_r, error))
			return false;
	}
	return true;
}
