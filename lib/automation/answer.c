/* SPDX-License-Identifier: MIT */
/* Writes the header fields of a mail that answers received mail. */
#include "automation/answer.h"

#include <string.h>

#include "automation/design.h"
#include "automation/node.h"
#include "base/error.h"
#include "base/id.h"
#include "base/limits/email.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/received/received.h"

bool
automation_answer_is(const struct automation_design *design)
{
	const struct automation_node_trigger *trigger = automation_design_trigger(design);

	return trigger && strcmp(trigger->event_name, "email.received") == 0;
}

/* Puts the id of a message in front of the others, as long as there is room. A stranger wrote it:
   one that a header cannot take as it is is left out. */
static bool
answer_prepend(GString *ids, const char *id)
{
	gsize size = id ? strlen(id) : 0;

	for (gsize i = 0; i < size; i++)
		if (id[i] <= ' ' || id[i] > '~' || id[i] == '<' || id[i] == '>')
			return false;
	if (size == 0 || ids->len + size + strlen("<> ") > LIMIT_HEADER_VALUE_LENGTH)
		return false;
	g_autofree char *text = g_strdup_printf("<%s>%s", id, ids->len > 0 ? " " : "");
	g_string_prepend(ids, text);
	return true;
}

/* Writes the fields that name the mail, and those before it. */
static void
answer_write_ids(struct json_writer *writer, const struct store_received *mail)
{
	g_autoptr(GString) ids = g_string_new(NULL);
	gsize size;
	const char *content = g_bytes_get_data(mail->content, &size);
	AUTO(json) row = json_parse(mail->summary, strlen(mail->summary), NULL);
	AUTO(json) rest = json_parse(content, size, NULL);
	const struct json *references = json_member_get(rest, "references");
	gsize count = json_array_length(references);

	if (!answer_prepend(ids, json_string(json_member_get(row, "message_id"), NULL)))
		return;
	json_writer_string(writer, "In-Reply-To", ids->str);
	for (gsize i = count; i-- > 0;)
		answer_prepend(ids, json_string(json_array_at(references, i), NULL));
	if (count == 0)
		answer_prepend(ids, json_string(json_member_get(rest, "in_reply_to"), NULL));
	json_writer_string(writer, "References", ids->str);
}

bool
automation_answer_headers(struct service *service, const struct base_id *workspace,
    const struct json *event, struct json **headers_r, GError **error)
{
	const char *text = json_string(json_member_get(event, "received_id"), NULL);
	g_autoptr(GError) failure = NULL;
	struct base_id id;

	*headers_r = NULL;
	if (!text || !base_id_parse(text, &id))
		return true;
	AUTO(store_received) mail = store_received_get(service->db, workspace, &id, &failure);
	if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	AUTO(json_writer) writer = json_writer_new();
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "Auto-Submitted", "auto-replied");
	if (mail)
		answer_write_ids(writer, mail);
	json_writer_end_object(writer);
	g_autofree char *object = json_writer_take(writer, NULL);
	*headers_r = json_parse(object, strlen(object), error);
	return *headers_r;
}
