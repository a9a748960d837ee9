/* SPDX-License-Identifier: MIT */
/* Stores a message that posthouse sendmail was given, alone or in a session. */
#include <stdio.h>
#include <sysexits.h>

#include "base/error.h"
#include "cli/call.h"
#include "cli/sendmail.h"
#include "service/service.h"
#include "store/workspace/workspace.h"
#include "submit/sendmail.h"
#include "submit/submit.h"

/* Chooses the workspace, unless --workspace names one. */
static bool
choose_workspace(struct cli_call *call, const struct submit_sendmail *given, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (!call->workspace)
		call->workspace = submit_sendmail_workspace(call->service, given, &failure);
	if (call->workspace)
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID))
		call->status = EX_USAGE;
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

bool
cli_sendmail_store(struct cli_call *call, const struct submit_sendmail *given, struct base_id *id_r,
    GError **error)
{
	if (!choose_workspace(call, given, error))
		return false;
	struct submit_sending *sending =
	    submit_sendmail_check(call->service, &call->workspace->id, given, error);
	AUTO(service_once) request = sending ? &sending->request : NULL;

	if (!sending || !service_once_store_one(call->service, request, error))
		return false;
	if (sending->left_out)
		fprintf(stderr,
		    "posthouse: warning: taken out of the header, since they steer the relay's "
		    "provider: %s\n",
		    sending->left_out);
	*id_r = sending->id;
	return true;
}
