/* SPDX-License-Identifier: MIT */
/* Taking back a scheduled email. */
#include "core/cancel.h"

#include "base/clock.h"
#include "base/error.h"
#include "core/core.h"
#include "db/transaction.h"
#include "store/email.h"
#include "store/outbox.h"

struct cancellation {
	const struct base_id *workspace, *id;
};

static bool
cancel(struct db *db, void *context, GError **error)
{
	const struct cancellation *what = context;
	AUTO(store_email) email = store_email_get(db, what->workspace, what->id, 0, error);
	guint withdrawn = 0;

	if (!email)
		return false;
	if (email->scheduled_at &&
	    !store_outbox_withdraw(db, what->workspace, what->id, &withdrawn, error))
		return false;
	if (withdrawn > 0)
		return store_email_cancel(db, what->workspace, what->id, base_clock_now(), error);
	g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT, "%s",
	    email->cancelled	  ? "Email is cancelled already"
	    : email->scheduled_at ? "Email has left already"
				  : "Email is not scheduled");
	return false;
}

bool
core_cancel(
    struct core *core, const struct base_id *workspace, const struct base_id *email, GError **error)
{
	struct cancellation what = {workspace, email};

	return db_transact(core->db, cancel, &what, error);
}
