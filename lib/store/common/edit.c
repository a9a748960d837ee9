/* SPDX-License-Identifier: MIT */
/* Compares the version that an edit is to replace with the one that is there. */
#include "store/common/edit.h"

#include "base/clock.h"
#include "base/error.h"

bool
store_edit_check(const struct store_edit *edit, const char *tag, GError **error)
{
	return !edit || !edit->tags || g_strv_contains(edit->tags, tag) ||
	       base_fail(error, PH_ERROR_CHANGED, "Changed by somebody else");
}

bool
store_edit_check_time(const struct store_edit *edit, gint64 updated, GError **error)
{
	char tag[STORE_EDIT_TAG_SIZE];

	return store_edit_check(edit, store_edit_tag(updated, tag), error);
}

const char *
store_edit_tag(gint64 updated, char tag_r[STORE_EDIT_TAG_SIZE])
{
	g_snprintf(tag_r, STORE_EDIT_TAG_SIZE, "%" G_GINT64_FORMAT, updated);
	return tag_r;
}

gint64
store_edit_time(gint64 before)
{
	return MAX(base_clock_now(), before + 1);
}

const char *
store_edit_author(const struct store_edit *edit)
{
	return edit ? edit->author : NULL;
}

void
store_edit_version_free(void *data)
{
	struct store_edit_version *version = data;

	g_free(version->created_by);
	g_free(version);
}

bool
store_edit_version_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Version not found");
}
