/* SPDX-License-Identifier: MIT */
/* Makes and changes drafts of broadcasts. */
#include "broadcast/draft.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/broadcast.h"
#include "broadcast/attachments.h"
#include "broadcast/draft_check.h"
#include "broadcast/state.h"
#include "db/transaction.h"
#include "json/fields.h"
#include "json/strict.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/broadcast/attachment.h"
#include "store/broadcast/version.h"

static bool
is_body(const char *key)
{
	return strcmp(key, "html") == 0 || strcmp(key, "text") == 0;
}

static void
write_brief_variants(struct json_writer *writer, const struct json *variants)
{
	json_writer_begin_array(writer, "variants");
	for (gsize i = 0; i < json_array_length(variants); i++) {
		struct json_iterator members = json_members(json_array_at(variants, i));
		const struct json *value;
		const char *key;

		json_writer_begin_object(writer, NULL);
		while (json_iterator_next(&members, &key, &value))
			if (!is_body(key))
				json_writer_value(writer, key, value);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

/* The content without html and text. */
static char *
print_brief(const struct json *content)
{
	AUTO(json_writer) writer = json_writer_new();
	struct json_iterator members = json_members(content);
	const struct json *value;
	const char *key;

	json_writer_begin_object(writer, NULL);
	while (json_iterator_next(&members, &key, &value))
		if (strcmp(key, "variants") == 0)
			write_brief_variants(writer, value);
		else if (!is_body(key))
			json_writer_value(writer, key, value);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* Writes the members of utm that are known. */
static void
write_utm(struct json_writer *writer, const struct json *utm)
{
	json_writer_begin_object(writer, "utm");
	for (gsize i = 0; i < broadcast_utm.count; i++) {
		const char *name = broadcast_utm.fields[i].name;

		if (json_member_has(utm, name))
			json_writer_value(writer, name, json_member_get(utm, name));
	}
	json_writer_end_object(writer);
}

/* The members that are given, and those of the content before where they are not; null takes one
   away. attachments: in place of those before; NULL: these stay. */
static char *
draft_merge(const struct json *before, const struct json *given, const GPtrArray *attachments)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < broadcast_body.count; i++) {
		const char *name = broadcast_body.fields[i].name;
		const struct json *value =
		    json_member_get(json_member_has(given, name) ? given : before, name);

		if (attachments && strcmp(name, "attachments") == 0)
			broadcast_attachments_write(writer, attachments);
		else if (value && strcmp(name, "utm") == 0)
			write_utm(writer, value);
		else if (value)
			json_writer_value(writer, name, value);
	}
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* Checks what a request gives for a broadcast with this id. *attachments_r: those that it stores;
   NULL: none are given. The caller owns them. INVALID, naming the field. */
static bool
check_given(struct service *service, const struct base_id *workspace, const struct base_id *id,
    const struct json *given, GPtrArray **attachments_r, GError **error)
{
	struct broadcast_content content = {0};
	bool good = broadcast_read_object(given, &content, error) &&
		    broadcast_check_draft(service, workspace, &content, error);

	*attachments_r = NULL;
	if (good && json_member_has(given, "attachments")) {
		*attachments_r =
		    broadcast_attachments_make(service, workspace, id, &content, error);
		good = *attachments_r;
	}
	broadcast_clear(&content);
	return good;
}

/* The texts of a draft, to be stored. The caller owns both. INVALID. */
struct texts {
	char *content, *brief;
};

static bool
make_texts(const struct json *before, const struct json *given, const GPtrArray *attachments,
    struct texts *texts_r, GError **error)
{
	struct broadcast_content content = {0};
	g_autofree char *text = draft_merge(before, given, attachments);
	AUTO(json) merged = json_parse(text, strlen(text), error);
	bool good = merged && broadcast_read_object(merged, &content, error) &&
		    broadcast_check_count(&content, error);

	broadcast_clear(&content);
	if (!good)
		return false;
	texts_r->brief = print_brief(merged);
	texts_r->content = g_steal_pointer(&text);
	return true;
}

static void
clear_texts(struct texts *texts)
{
	g_free(texts->content);
	g_free(texts->brief);
}

/* A draft that is stored for the first time. */
struct creation {
	const struct base_id *workspace, *id;
	const struct texts *texts;
	const GPtrArray *attachments;
	struct broadcast_origin origin;
};

static bool
create_draft(struct db *db, void *context, GError **error)
{
	const struct creation *creation = context;
	const struct texts *texts = creation->texts;

	return store_broadcast_create(db,
		   &(struct store_broadcast_creation){creation->workspace, creation->id,
		       texts->content, texts->brief, creation->origin.compat_tests},
		   error) &&
	       store_broadcast_version_add(
		   db, creation->workspace, creation->id, creation->origin.edit, error) &&
	       (!creation->attachments || creation->attachments->len == 0 ||
		   store_broadcast_attachments_put(
		       db, creation->workspace, creation->id, creation->attachments, error));
}

/* Stores a new draft. */
static bool
draft_create(struct service *service, struct creation *creation, const struct json *before,
    const struct json *given, GError **error)
{
	struct texts texts = {0};

	creation->texts = &texts;
	bool done = make_texts(before, given, creation->attachments, &texts, error) &&
		    db_transact(service->db, create_draft, creation, error);
	clear_texts(&texts);
	return done;
}

bool
broadcast_create(struct service *service, const struct base_id *workspace, const struct json *given,
    const struct broadcast_origin *origin, struct base_id *id_r, GError **error)
{
	g_autoptr(GPtrArray) attachments = NULL;

	*id_r = base_id_new();
	if (!check_given(service, workspace, id_r, given, &attachments, error))
		return false;
	struct creation creation = {workspace, id_r, NULL, attachments,
	    origin ? *origin : (struct broadcast_origin){false, NULL}};
	return draft_create(service, &creation, NULL, given, error);
}

/* A request that changes a draft. */
struct change {
	const struct base_id *workspace, *id;
	const struct json *given;
	GPtrArray *attachments; /* given; NULL: those before stay */
	const struct store_edit *edit;
};

static bool
write_draft(struct db *db, const struct store_broadcast *broadcast, void *context, GError **error)
{
	const struct change *change = context;

	if (!store_edit_check_time(change->edit, broadcast->updated, error))
		return false;
	AUTO(json) before = json_parse(broadcast->content, strlen(broadcast->content), error);
	struct texts texts = {0};
	bool done =
	    before && make_texts(before, change->given, change->attachments, &texts, error) &&
	    store_broadcast_version_keep(db, change->workspace, change->id, error) &&
	    store_broadcast_write(db, broadcast, texts.content, texts.brief, error) &&
	    store_broadcast_version_add(db, change->workspace, change->id, change->edit, error) &&
	    (!change->attachments || store_broadcast_attachments_put(db, change->workspace,
					 change->id, change->attachments, error));

	clear_texts(&texts);
	return done;
}

bool
broadcast_change(struct service *service, const struct base_id *workspace, const struct base_id *id,
    const struct json *given, const struct store_edit *edit, GError **error)
{
	struct change change = {workspace, id, given, NULL, edit};
	/* Lists and templates of an old version may be gone: that is for the one who sends it. */
	bool done = ((edit && edit->is_restore) ||
			check_given(service, workspace, id, given, &change.attachments, error)) &&
		    broadcast_lock(service,
			&(struct broadcast_locking){
			    workspace, id, BROADCAST_BIT(BROADCAST_DRAFT), write_draft, &change},
			error);

	g_clear_pointer(&change.attachments, g_ptr_array_unref);
	return done;
}

#define COPY " (copy)"

/* The name of a copy, within the limit of names. The caller owns it. */
static char *
draft_name_copy(const struct broadcast_content *content)
{
	const char *name = broadcast_name(content);
	glong room = LIMIT_BROADCAST_NAME_LENGTH - (glong)strlen(COPY);
	g_autofree char *begin = g_utf8_substring(name, 0, MIN(g_utf8_strlen(name, -1), room));

	return g_strconcat(begin, COPY, NULL);
}

bool
broadcast_duplicate(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct store_edit *edit, struct base_id *copy_r, GError **error)
{
	AUTO(store_broadcast) broadcast = store_broadcast_get(service->db, workspace, id, error);
	AUTO(json_writer) writer = json_writer_new();
	struct broadcast_content content = {0};

	if (!broadcast)
		return false;
	AUTO(json) document = broadcast_read(broadcast->content, &content, error);
	if (!document)
		return false;
	*copy_r = base_id_new();
	g_autofree char *name = draft_name_copy(&content);
	g_autoptr(GPtrArray) attachments =
	    broadcast_attachments_make(service, workspace, copy_r, &content, error);
	broadcast_clear(&content);
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "name", name);
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	AUTO(json) given = attachments ? json_parse(text, strlen(text), error) : NULL;
	struct creation creation = {
	    workspace, copy_r, NULL, attachments, {broadcast->compat_tests, edit}};
	return given && draft_create(service, &creation, document, given, error);
}
