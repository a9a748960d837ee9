/* SPDX-License-Identifier: MIT */
/* Sends emails to the users of a workspace. */
#include "core/user_notice.h"

#include "base/error.h"
#include "core/core.h"
#include "core/draft.h"
#include "core/submission.h"
#include "core/submit.h"
#include "store/user.h"
#include "store/workspace.h"

static void
add_user(const struct store_user *user, void *context)
{
	if (!user->is_invited)
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
core_user_notice(struct core *core, const struct base_id *workspace, const char *subject,
    const char *html, GError **trouble_r, GError **error)
{
	g_autoptr(GPtrArray) users = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *sender = NULL;

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
		    .from = sender, .to = to, .subject = subject, .html = html, .verbatim = true};

		if (!store(core, workspace, &submission, trouble_r, error))
			return false;
	}
	return true;
}
