/* SPDX-License-Identifier: MIT */
/* Tells "not found" from "could not ask". */
#include "store/common/found.h"

#include "base/error.h"

bool
store_found(GError *failure, bool *is_there_r, GError **error)
{
	if (is_there_r)
		*is_there_r = !failure;
	if (!failure)
		return true;
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, failure);
		return false;
	}
	g_error_free(failure);
	return true;
}
