/* SPDX-License-Identifier: MIT */
/* Reads a page of each source, and writes the rows of all of them in one order. */
#include "person/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/secret.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/automation/event.h"
#include "store/consent/consent.h"
#include "store/person/event.h"
#include "store/person/membership.h"

enum source { OF_CONSENT, OF_MEMBERS, OF_EMAILS, OF_EVENTS, SOURCES };

bool
person_history_kind(const char *word, enum person_history_kind *kind_r, GError **error)
{
	static const char *const words[] = {"consent", "email", "event"};

	*kind_r = HISTORY_ALL;
	for (guint i = 0; word && i < G_N_ELEMENTS(words); i++)
		if (strcmp(word, words[i]) == 0)
			*kind_r = (enum person_history_kind)(1 << i);
	return !word || *kind_r != HISTORY_ALL ||
	       base_invalid(error, "kind must be one of consent, email, event");
}

char *
person_history_print(const struct person_history_place *place)
{
	return base_secret_base64url(place, sizeof(*place));
}

bool
person_history_read(const char *text, struct person_history_place *place_r, GError **error)
{
	g_autoptr(GBytes) bytes = base_secret_base64url_decode(text);
	gsize size = 0;
	const void *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	if (size != sizeof(*place_r))
		return base_invalid(error, "cursor is malformed");
	memcpy(place_r, data, sizeof(*place_r));
	return true;
}

/* The rows of the sources; those before next are written. */
struct merge {
	GPtrArray *rows[SOURCES];
	guint next[SOURCES];
};

static void
history_clear(struct merge *merge)
{
	for (guint i = 0; i < SOURCES; i++)
		g_clear_pointer(&merge->rows[i], g_ptr_array_unref);
}

static int
history_newest_first(const void *a, const void *b)
{
	const struct store_membership *const *x = a, *const *y = b;

	if ((*x)->created != (*y)->created)
		return (*x)->created < (*y)->created ? 1 : -1;
	return memcmp(&(*y)->contact_id, &(*x)->contact_id, sizeof(struct base_id));
}

/* Takes out the memberships whose beginning is a row of the history of consent. */
static bool
drop_recorded(
    struct service *service, const struct store_person *person, GPtrArray *members, GError **error)
{
	for (guint i = members->len; i > 0; i--) {
		const struct store_membership *member = members->pdata[i - 1];
		const struct store_consent_joining joining = {
		    person->address, &member->audience_id, member->created};
		bool is_recorded;

		if (!store_consent_is_pending(
			service->db, &person->workspace_id, &joining, &is_recorded, error))
			return false;
		if (is_recorded)
			g_ptr_array_remove_index(members, i - 1);
	}
	return true;
}

/* The memberships behind the place, newest first. */
static GPtrArray *
history_read_members(struct service *service, const struct store_person *person,
    const struct person_history_place *place, GError **error)
{
	GPtrArray *members = store_membership_list(
	    service->db, &person->workspace_id, person->address, false, error);

	for (guint i = members ? members->len : 0; i > 0; i--) {
		const struct store_membership *member = members->pdata[i - 1];

		if (member->created > place->member_time ||
		    (member->created == place->member_time &&
			memcmp(&member->contact_id, &place->member, sizeof(struct base_id)) >= 0))
			g_ptr_array_remove_index(members, i - 1);
	}
	if (members && !drop_recorded(service, person, members, error))
		g_clear_pointer(&members, g_ptr_array_unref);
	if (members && members->len > 1)
		base_array_sort(
		    members->pdata, members->len, sizeof(gpointer), history_newest_first);
	return members;
}

static bool
history_read_sources(struct service *service, const struct store_person *p,
    const struct person_history_page *page, const struct person_history_place *place,
    struct merge *merge, GError **error)
{
	const struct store_person_event_place email = {place->email_time, place->email};
	enum person_history_kind kind = page->kind;
	guint limit = page->limit + 1; /* one more, which shows that more follow */
	const struct base_id *workspace = &p->workspace_id;

	if ((kind & HISTORY_CONSENT) &&
	    (!(merge->rows[OF_CONSENT] = store_consent_list(
		   service->db, workspace, p->address, &place->consent, limit, error)) ||
		!(merge->rows[OF_MEMBERS] = history_read_members(service, p, place, error))))
		return false;
	if ((kind & HISTORY_EMAIL) &&
	    !(merge->rows[OF_EMAILS] = store_person_event_list(
		  service->db, workspace, p->address, &email, limit, error)))
		return false;
	return !(kind & HISTORY_EVENT) ||
	       (merge->rows[OF_EVENTS] = store_automation_event_list(
		    service->db, workspace, &p->id, &place->event, limit, error));
}

static const void *
head(const struct merge *merge, guint source)
{
	const GPtrArray *rows = merge->rows[source];

	return rows && merge->next[source] < rows->len ? rows->pdata[merge->next[source]] : NULL;
}

static gint64
history_time_of(guint source, const void *row)
{
	switch (source) {
	case OF_CONSENT:
		return ((const struct store_consent *)row)->created;
	case OF_MEMBERS:
		return ((const struct store_membership *)row)->created;
	case OF_EMAILS:
		return ((const struct store_person_event *)row)->timestamp;
	default:
		return ((const struct store_automation_event *)row)->timestamp;
	}
}

/* The source of the newest row that is left; SOURCES: there is none. */
static guint
history_newest(const struct merge *merge)
{
	guint best = SOURCES;

	for (guint i = 0; i < SOURCES; i++)
		if (head(merge, i) &&
		    (best == SOURCES || history_time_of(i, head(merge, i)) >
					    history_time_of(best, head(merge, best))))
			best = i;
	return best;
}

static void
history_write_id(struct json_writer *writer, const char *key, bool has, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	if (has)
		json_writer_string(writer, key, base_id_format(id, text));
}

/* The members in front of "about", which is begun. */
struct front {
	const char *type, *source, *by, *ip, *user_agent, *reason;
	gint64 timestamp;
	const struct store_consent *consent; /* whose operator is named; NULL: none */
};

/* The key, or else the user, by which an operator decided, where it is known. */
static void
history_write_actor(struct json_writer *writer, const struct store_consent *row)
{
	char id[ID_TEXT_SIZE];

	if (!row || (!row->has_user && !row->has_key))
		return;
	json_writer_begin_object(writer, "actor");
	json_writer_string(writer, "type", row->has_key ? "key" : "user");
	json_writer_string(writer, "id", base_id_format(row->has_key ? &row->key : &row->user, id));
	json_writer_string(writer, "name", row->has_key ? row->key_name : row->user_name);
	json_writer_end_object(writer);
}

static const char *
text_or_null(const char *text)
{
	return text && *text ? text : NULL;
}

static void
history_begin(struct json_writer *writer, const struct front *front)
{
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "type", front->type);
	json_writer_integer(writer, "timestamp", front->timestamp);
	json_writer_string(writer, "source", front->source);
	json_writer_string(writer, "by", front->by);
	history_write_actor(writer, front->consent);
	json_writer_string(writer, "ip", front->ip);
	json_writer_string(writer, "user_agent", text_or_null(front->user_agent));
	json_writer_string(writer, "reason", front->reason);
	json_writer_begin_object(writer, "about");
}

static const char *
source_word(guint source)
{
	return source == 0 ? NULL : store_consent_sources[source - 1];
}

static void
write_consent(struct json_writer *writer, const struct store_consent *row)
{
	history_begin(writer, &(struct front){store_consent_kinds[row->kind - 1],
				  source_word(row->source), store_consent_authors[row->author - 1],
				  row->ip, row->user_agent, row->reason, row->created, row});
	history_write_id(writer, "audience_id", row->has_audience, &row->audience);
	history_write_id(writer, "topic_id", row->has_topic, &row->topic);
	history_write_id(writer, "email_id", row->has_email && !row->has_broadcast, &row->email);
	history_write_id(writer, "broadcast_id", row->has_broadcast, &row->broadcast);
	history_write_id(writer, "workflow_id", row->has_workflow, &row->workflow);
	history_write_id(writer, "form_id", row->has_form, &row->form);
}

/* An operator brings the contacts of requests and files; a form and a page are the person's. */
static void
write_member(struct json_writer *writer, const struct store_membership *row)
{
	enum store_consent_kind kind = row->pending ? CONSENT_PENDING : CONSENT_JOINED;

	history_begin(
	    writer, &(struct front){.type = store_consent_kinds[kind - 1],
			.source = source_word(row->source),
			.by = store_consent_authors[store_consent_author_of((int)row->source) - 1],
			.timestamp = row->created});
	history_write_id(writer, "audience_id", true, &row->audience_id);
}

static bool
is_deed(enum store_event_status status)
{
	return status == EVENT_OPENED || status == EVENT_CLICKED || status == EVENT_UNSUBSCRIBED ||
	       status == EVENT_COMPLAINED;
}

static void
history_write_email(struct json_writer *writer, const struct store_person_event *row)
{
	enum store_consent_author author =
	    is_deed(row->status) && !row->automated ? CONSENT_OF_PERSON : CONSENT_OF_SYSTEM;

	history_begin(writer, &(struct front){store_event_name(row->status),
				  source_word(CONSENT_BY_REPORT), store_consent_authors[author - 1],
				  row->ip, row->user_agent, row->response, row->timestamp, NULL});
	history_write_id(writer, "topic_id", row->has_topic, &row->topic_id);
	history_write_id(writer, "email_id", !row->has_broadcast, &row->email_id);
	history_write_id(writer, "broadcast_id", row->has_broadcast, &row->broadcast_id);
	history_write_id(writer, "workflow_id", row->has_workflow, &row->workflow_id);
	if (row->link)
		json_writer_string(writer, "link", row->link);
}

static void
history_write_event(struct json_writer *writer, const struct store_automation_event *row)
{
	history_begin(writer, &(struct front){.type = "event",
				  .source = source_word(CONSENT_BY_EVENT),
				  .by = store_consent_authors[CONSENT_OF_SYSTEM - 1],
				  .timestamp = row->timestamp});
	json_writer_string(writer, "event_name", row->name);
}

/* Writes the head of a source, and moves the place behind it. */
static void
history_write_head(struct json_writer *writer, struct merge *merge, guint source,
    struct person_history_place *place)
{
	const void *row = head(merge, source);

	if (source == OF_CONSENT) {
		write_consent(writer, row);
		place->consent = ((const struct store_consent *)row)->id;
	} else if (source == OF_MEMBERS) {
		write_member(writer, row);
		place->member = ((const struct store_membership *)row)->contact_id;
		place->member_time = history_time_of(source, row);
	} else if (source == OF_EMAILS) {
		history_write_email(writer, row);
		place->email = ((const struct store_person_event *)row)->id;
		place->email_time = history_time_of(source, row);
	} else {
		history_write_event(writer, row);
		place->event = ((const struct store_automation_event *)row)->id;
	}
	json_writer_end_object(writer);
	json_writer_end_object(writer);
	merge->next[source]++;
}

static struct person_history_place
first_place(void)
{
	struct person_history_place place;

	memset(&place, 0xff, sizeof(place));
	place.member_time = place.email_time = G_MAXINT64;
	return place;
}

bool
person_history_write(struct service *service, const struct store_person *person,
    const struct person_history_page *page, struct json_writer *writer,
    struct person_history_end *end_r, GError **error)
{
	struct person_history_place *after = &end_r->after;
	struct merge merge = {0};

	*after = page->before ? *page->before : first_place();
	bool read = history_read_sources(service, person, page, after, &merge, error);
	for (end_r->count = 0;
	     read && end_r->count < page->limit && history_newest(&merge) != SOURCES;
	     end_r->count++)
		history_write_head(writer, &merge, history_newest(&merge), after);
	end_r->more = read && history_newest(&merge) != SOURCES;
	history_clear(&merge);
	return read;
}
