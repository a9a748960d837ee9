/* SPDX-License-Identifier: MIT */
/* Gives a draft the content of an old version. */
#include <string.h>

#include "broadcast/draft.h"
#include "json/fields.h"
#include "json/strict.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/broadcast/version.h"

/* The members of a change that makes any content this one: null where it has none. Attachments are
   left out: their contents go with the last content that has them. The caller frees it. */
static struct json *
version_given(const char *text, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(json) content = json_parse(text, strlen(text), error);

	if (!content)
		return NULL;
	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < broadcast_body.count; i++) {
		const char *name = broadcast_body.fields[i].name;
		const struct json *value = json_member_get(content, name);

		if (strcmp(name, "attachments") == 0)
			continue;
		if (value)
			json_writer_value(writer, name, value);
		else
			json_writer_null(writer, name);
	}
	json_writer_end_object(writer);
	g_autofree char *given = json_writer_take(writer, NULL);
	return json_parse(given, strlen(given), error);
}

bool
broadcast_restore(struct service *service, const struct base_id *workspace,
    const struct base_id *id, guint number, const struct store_edit *edit, GError **error)
{
	struct store_edit restoring = edit ? *edit : (struct store_edit){0};

	restoring.is_restore = true;
	AUTO(store_broadcast) broadcast = store_broadcast_get(service->db, workspace, id, error);
	AUTO(store_broadcast_version)
	version = broadcast ? store_broadcast_version_get(service->db, workspace, id, number, error)
			    : NULL;
	AUTO(json) given = version ? version_given(version->content, error) : NULL;

	return given && broadcast_change(service, workspace, id, given, &restoring, error);
}
