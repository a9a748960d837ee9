/* SPDX-License-Identifier: MIT */
/* The versions of templates and of broadcasts (/v1/templates/{id}/versions,
   /v1/broadcasts/{id}/versions). */
#include <string.h>

#include "base/error.h"
#include "base/limits/list.h"
#include "broadcast/draft.h"
#include "broadcast/view.h"
#include "content/template_link.h"
#include "fcgi/api/context.h"
#include "fcgi/api/edit.h"
#include "fcgi/v1/handlers.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/broadcast/version.h"
#include "store/template/template.h"
#include "store/template/version.h"

bool
fcgi_versions_number(const struct fcgi_call *call, guint *number_r, GError **error)
{
	guint64 number = 0;

	if (!g_ascii_string_to_unsigned(call->arguments[1], 10, 1, G_MAXINT32, &number, NULL))
		return store_edit_version_missing(error);
	*number_r = (guint)number;
	return true;
}

bool
fcgi_versions_before(struct fcgi_call *call, guint *before_r, GError **error)
{
	gint64 before = G_MAXINT32;
	struct base_id of;
	bool given;

	if (!fcgi_page_place(call, &before, &of, &given, error))
		return false;
	*before_r = given ? (guint)CLAMP(before, 0, G_MAXINT32) : G_MAXINT32;
	return true;
}

/* Writes the members that a version has in a list, too. */
static void
versions_write_head(
    struct json_writer *writer, guint version, gint64 created, const char *created_by)
{
	json_writer_integer(writer, "version", version);
	json_writer_integer(writer, "created", created);
	json_writer_string(writer, "created_by", created_by);
}

/* Replies with a page. The cursor has the number of its last version. */
static bool
versions_reply_list(struct fcgi_call *call, const GPtrArray *versions)
{
	AUTO(json_writer) writer = json_writer_new();
	const struct base_id none = {{0}};
	g_autofree char *cursor = NULL;

	if (!versions)
		return false;
	guint count = MIN(versions->len, LIMIT_PAGE);
	fcgi_page_begin(writer, "versions");
	for (guint i = 0; i < count; i++) {
		const struct store_edit_version *version = versions->pdata[i];

		json_writer_begin_object(writer, NULL);
		versions_write_head(
		    writer, version->version, version->created, version->created_by);
		json_writer_end_object(writer);
		if (i + 1 == count && versions->len > count)
			cursor = fcgi_page_place_cursor(version->version, &none);
	}
	fcgi_page_end_text(call, writer, count, cursor);
	return true;
}

/* Whether the template of the path is there. NOT_FOUND. */
static bool
versions_check_template(struct fcgi_call *call, GError **error)
{
	bool found, has_subject;

	if (!store_template_find(call->service->db, &call->key.workspace_id, call->arguments[0],
		&found, &has_subject, error))
		return false;
	return found || base_fail(error, PH_ERROR_NOT_FOUND, "Template not found");
}

bool
fcgi_template_versions_list(struct fcgi_call *call, GError **error)
{
	guint before;

	if (!fcgi_versions_before(call, &before, error) || !versions_check_template(call, error))
		return false;
	g_autoptr(GPtrArray) versions = store_template_version_list(call->service->db,
	    &call->key.workspace_id, call->arguments[0], before, LIMIT_PAGE + 1, error);
	return versions_reply_list(call, versions);
}

/* The version of the path. The caller frees it. */
static struct store_template_version *
versions_find_template(struct fcgi_call *call, GError **error)
{
	guint number = 0;

	if (!versions_check_template(call, error) || !fcgi_versions_number(call, &number, error))
		return NULL;
	return store_template_version_get(
	    call->service->db, &call->key.workspace_id, call->arguments[0], number, error);
}

bool
fcgi_template_versions_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_template_version) version = versions_find_template(call, error);
	AUTO(json_writer) writer = json_writer_new();

	if (!version)
		return false;
	const struct store_template *template = version->template;
	json_writer_begin_object(writer, NULL);
	versions_write_head(writer, version->version, version->created, version->created_by);
	json_writer_string(writer, "name", template->name);
	json_writer_string(writer, "subject", template->subject);
	json_writer_bytes(writer, "html", template->html);
	json_writer_bytes(writer, "text", template->text);
	json_writer_string(writer, "preview_text", template->preview);
	json_writer_string(writer, "layout", template->layout);
	json_writer_raw(writer, "variables", template->variables, strlen(template->variables));
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_template_versions_restore(struct fcgi_call *call, GError **error)
{
	AUTO(fcgi_edit) edit = fcgi_edit_read(call, error);
	AUTO(store_template_version) version = edit ? versions_find_template(call, error) : NULL;

	if (!version)
		return false;
	edit->edit.is_restore = true;
	version->template->edit = &edit->edit;
	return content_template_link_check(call->service->db, version->template, error) &&
	       store_template_replace(call->service->db, version->template, error) &&
	       fcgi_templates_get(call, error);
}

/* The broadcast of the path. The caller frees it. */
static struct store_broadcast *
versions_find_broadcast(struct fcgi_call *call, GError **error)
{
	struct base_id id = {{0}}; /* no broadcast has it */

	base_id_parse(call->arguments[0], &id);
	return store_broadcast_get(call->service->db, &call->key.workspace_id, &id, error);
}

bool
fcgi_broadcast_versions_list(struct fcgi_call *call, GError **error)
{
	guint before;

	if (!fcgi_versions_before(call, &before, error))
		return false;
	AUTO(store_broadcast) broadcast = versions_find_broadcast(call, error);
	g_autoptr(GPtrArray) versions =
	    broadcast ? store_broadcast_version_list(call->service->db, &call->key.workspace_id,
			    &broadcast->id, before, LIMIT_PAGE + 1, error)
		      : NULL;
	return versions_reply_list(call, versions);
}

bool
fcgi_broadcast_versions_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_broadcast) broadcast = versions_find_broadcast(call, error);
	AUTO(json_writer) writer = json_writer_new();
	guint number = 0;

	if (!broadcast || !fcgi_versions_number(call, &number, error))
		return false;
	AUTO(store_broadcast_version)
	version = store_broadcast_version_get(
	    call->service->db, &call->key.workspace_id, &broadcast->id, number, error);
	if (!version)
		return false;
	json_writer_begin_object(writer, NULL);
	versions_write_head(writer, version->version, version->created, version->created_by);
	broadcast_view_version(writer, version->content);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_broadcast_versions_restore(struct fcgi_call *call, GError **error)
{
	AUTO(fcgi_edit) edit = fcgi_edit_read(call, error);
	AUTO(store_broadcast) broadcast = edit ? versions_find_broadcast(call, error) : NULL;
	guint number = 0;

	return broadcast && fcgi_versions_number(call, &number, error) &&
	       broadcast_restore(call->service, &call->key.workspace_id, &broadcast->id, number,
		   &edit->edit, error) &&
	       fcgi_broadcasts_get(call, error);
}
