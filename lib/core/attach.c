/* SPDX-License-Identifier: MIT */
/* Attachments: decoded, or fetched from their URLs. */
#include "core/attach.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/submission.h"
#include "fetch/fetch.h"
#include "mail/header.h"
#include "store/email.h"

static bool
fault(GError **error, guint number, const char *text)
{
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "attachments[%u]%s", number, text);
	return false;
}

static bool
too_large(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
	    "Total attachments size exceeds maximum of %dMB", LIMIT_ATTACHMENTS_BYTES / LIMIT_MIB);
	return false;
}

static bool
has_controls(const char *text)
{
	for (const char *p = text; *p; p = g_utf8_next_char(p))
		if (g_unichar_iscntrl(g_utf8_get_char(p)))
			return true;
	return false;
}

static bool
check(const struct core_submission_attachment *given, guint number, GError **error)
{
	if (has_controls(given->filename))
		return fault(error, number, ".filename must not contain control characters");
	if (!given->path == !given->content)
		return fault(error, number, " must have either path or content");
	if (given->path && !fetch_url_valid(given->path))
		return fault(error, number, ".path must be a valid URL");
	if (given->content_type && !mail_header_content_type(given->content_type))
		return fault(error, number, ".content_type must be a media type like text/plain");
	if (given->content_id && !mail_header_id(given->content_id, strlen(given->content_id)))
		return fault(
		    error, number, ".content_id must be printable ASCII without spaces, < and >");
	return true;
}

static const struct core_submission_attachment *
given_at(const struct core_submission *submission, guint number)
{
	return &g_array_index(submission->attachments, struct core_submission_attachment, number);
}

static void
free_bytes(void *bytes)
{
	g_clear_pointer((GBytes **)&bytes, g_bytes_unref);
}

static gsize
total_size(const GPtrArray *contents)
{
	gsize total = 0;

	for (guint i = 0; i < contents->len; i++)
		total += contents->pdata[i] ? g_bytes_get_size(contents->pdata[i]) : 0;
	return total;
}

GPtrArray *
core_attach_decode(const struct core_submission *submission, GError **error)
{
	g_autoptr(GPtrArray) contents = g_ptr_array_new_with_free_func(free_bytes);

	for (guint i = 0; submission->attachments && i < submission->attachments->len; i++) {
		const struct core_submission_attachment *given = given_at(submission, i);
		GBytes *data = NULL;

		if (!check(given, i, error))
			return NULL;
		if (given->content) {
			data = base_secret_base64_decode(given->content, strlen(given->content));
			if (!data) {
				fault(error, i, ".content must be a valid base64 encoded string");
				return NULL;
			}
		}
		g_ptr_array_add(contents, data);
	}
	if (total_size(contents) > LIMIT_ATTACHMENTS_BYTES) {
		too_large(error);
		return NULL;
	}
	return g_steal_pointer(&contents);
}

static GBytes *
fetch(struct core *core, const char *url, guint number, gsize room, gint64 deadline, GError **error)
{
	g_autoptr(GError) why = NULL;
	const struct fetch_rules rules = {base_settings_list(core->settings, SETTING_FETCH_ALLOW),
	    base_settings_list(core->settings, SETTING_FETCH_PORTS)};
	GBytes *data = fetch_get(url, &rules, room, deadline, &why);

	if (data)
		return data;
	if (g_error_matches(why, PH_ERROR, PH_ERROR_TOO_LARGE))
		too_large(error);
	else if (g_error_matches(why, PH_ERROR, PH_ERROR_INVALID))
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "attachments[%u].path could not be fetched: %s", number, why->message);
	else
		g_propagate_error(error, g_steal_pointer(&why));
	return NULL;
}

bool
core_attach_add(struct core *core, const struct core_submission *submission, GPtrArray *contents,
    struct store_email *email, GError **error)
{
	gint64 deadline = base_clock_boot() + LIMIT_FETCH_MS;

	for (guint i = 0; i < contents->len; i++) {
		const struct core_submission_attachment *given = given_at(submission, i);

		if (!contents->pdata[i])
			contents->pdata[i] = fetch(core, given->path, i,
			    LIMIT_ATTACHMENTS_BYTES - total_size(contents), deadline, error);
		if (!contents->pdata[i])
			return false;
		store_email_add_part(email, PART_ATTACHMENT, contents->pdata[i],
		    g_strdup(given->filename),
		    g_strdup(
			given->content_type ? given->content_type : "application/octet-stream"),
		    g_strdup(given->content_id));
	}
	return true;
}
