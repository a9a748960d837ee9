/* SPDX-License-Identifier: MIT */
/* Sends emails to the users of a workspace. */
#include "submit/user_notice.h"

#include "base/error.h"
#include "email/draft.h"
#include "email/submission.h"
#include "service/service.h"
#include "store/workspace/user.h"
#include "store/workspace/workspace.h"
#include "submit/submit.h"

static void
user_notice_add_user(const struct store_member *user, void *context)
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
user_notice_store(struct service *service, const struct base_id *workspace,
    const struct email_submission *submission, GError **trouble_r, GError **error)
{
	g_autoptr(GError) fault = NULL;
	AUTO(email_draft) draft = email_draft_new(service, workspace, submission, &fault);

	if (draft)
		return submit_store(
		    service->db, (const struct email_draft *const *)&draft, 1, error);
	if (is_of_database(fault)) {
		g_propagate_error(error, g_steal_pointer(&fault));
		return false;
	}
	g_clear_error(trouble_r);
	g_propagate_prefixed_error(trouble_r, g_steal_pointer(&fault), "%s: ", submission->subject);
	return true;
}

bool
submit_user_notice(struct service *service, const struct base_id *workspace, const char *subject,
    const char *html, GError **trouble_r, GError **error)
{
	g_autoptr(GPtrArray) users = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *sender = NULL;

	*trouble_r = NULL;
	if (!store_workspace_sender(service->db, workspace, &sender, error))
		return false;
	if (!sender)
		return true;
	if (!store_user_list(service->db, workspace, user_notice_add_user, users, error))
		return false;
	for (guint i = 0; i < users->len; i++) {
		const char *to[] = {users->pdata[i], NULL};
		const struct email_submission submission = {.purpose = EMAIL_PURPOSE_NOTICE,
		    .from = sender,
		    .to = to,
		    .subject = subject,
		    .html = html};

		if (!user_notice_store(service, workspace, &submission, trouble_r, error))
			return false;
	}
	return true;
}
