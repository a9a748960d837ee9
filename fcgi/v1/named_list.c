/* SPDX-License-Identifier: MIT */
/* Reads a list that a request names. The handler of its GET reads each page, so the rows are those
   that a reader of the list sees. */
#include "fcgi/v1/named_list.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/person.h"
#include "email/submission.h"
#include "fcgi/api/context.h"
#include "fcgi/v1/handlers.h"
#include "json/strict.h"
#include "json/value.h"
#include "store/common/search.h"

/* The lists with addresses: the members of the answer and of its rows that have them, of all rows
   and where a filter asks for recipients. Those of emails are an array of addresses, and one of
   recipients of any kind. */
static const struct {
	bool (*handler)(struct fcgi_call *call, GError **error);
	const char *collection, *all, *filtered;
} lists[] = {
    {fcgi_people_list, "people", "email", "email"},
    {fcgi_contacts_list, "contacts", "email", "email"},
    {fcgi_suppressions_list, "suppressions", "email", "email"},
    {fcgi_emails_list, "emails", "to", "recipient_statuses"},
};

/* The row of lists; their number when there is none. */
static guint
named_list_of(const struct fcgi_route *route)
{
	guint i = 0;

	while (i < G_N_ELEMENTS(lists) && !(route && route->handler == lists[i].handler))
		i++;
	return i;
}

/* A filter that is misspelled or empty would change everybody, and an empty cursor would begin
   again. */
static bool
named_list_check_names(const struct fcgi_named_list *list, GError **error)
{
	for (guint i = 0; list->request.names->pdata[i]; i++) {
		const char *name = list->request.names->pdata[i];
		const char *value = g_hash_table_lookup(list->request.query, name);

		if (!g_strv_contains(list->match.route->parameters, name))
			return base_invalid(error, "list has no parameter \"%s\"", name);
		if (!*value)
			return base_invalid(error, "list has no value for \"%s\"", name);
	}
	return true;
}

bool
fcgi_named_list_open(
    const struct fcgi_call *call, const char *text, struct fcgi_named_list *list_r, GError **error)
{
	gsize length = strcspn(text, "?");
	g_autofree char *path = g_strndup(text, length);

	*list_r = (struct fcgi_named_list){
	    .match = fcgi_route_find(&fcgi_front_main, path, METHOD_GET),
	    .request = {.io = call->request->io, .method = METHOD_GET},
	};
	if (named_list_of(list_r->match.route) == G_N_ELEMENTS(lists))
		return base_invalid(error,
		    "list must be the path of a list of people, contacts, suppressions or emails");
	return fcgi_request_use_query(
		   &list_r->request, text[length] ? text + length + 1 : "", error) &&
	       named_list_check_names(list_r, error);
}

void
fcgi_named_list_clear(struct fcgi_named_list *list)
{
	fcgi_route_match_clear(&list->match);
	fcgi_request_clear(&list->request);
}

void
fcgi_named_page_clear(struct fcgi_named_page *page)
{
	g_clear_pointer(&page->addresses, g_ptr_array_unref);
	g_clear_pointer(&page->cursor, g_free);
}

/* Lets the handler answer. The caller frees the answer. */
static struct json *
named_list_ask(struct fcgi_call *call, struct fcgi_named_list *list, GError **error)
{
	struct fcgi_call inner = *call;
	struct json *answer = NULL;
	struct fcgi_reply reply;
	gsize size;

	fcgi_reply_init(&reply, call->reply->form);
	inner.request = &list->request;
	inner.route = list->match.route;
	inner.arguments = list->match.arguments;
	inner.reply = &reply;
	if (inner.route->handler(&inner, error)) {
		const char *text = g_bytes_get_data(reply.body, &size);

		answer = json_parse(text, size, error);
	}
	fcgi_reply_clear(&reply);
	return answer;
}

/* The filters by which an email is in the list that ask for one of its recipients. */
struct named_filter {
	char *address;		    /* NULL: any */
	const char *status;	    /* NULL: any */
	struct store_search search; /* without a name: any */
};

/* Reads them from a query that GET takes. Clear it. */
static void
named_filter_read(const struct fcgi_named_list *list, struct named_filter *filter_r)
{
	GHashTable *query = list->request.query;
	const char *to = g_hash_table_lookup(query, "to");
	const char *search = g_hash_table_lookup(query, "search");

	*filter_r = (struct named_filter){
	    .address = to ? email_envelope_recipient(to) : NULL,
	    .status = g_hash_table_lookup(query, "status"),
	};
	if (search)
		fcgi_page_search_text(&filter_r->search, search);
}

static void
named_filter_clear(struct named_filter *filter)
{
	g_free(filter->address);
	store_search_clear(&filter->search);
}

static bool
named_filter_is_any(const struct named_filter *filter)
{
	return !filter->address && !filter->status && !filter->search.name;
}

/* Whether a recipient of an email is one of those for whom the email is in the list. */
static bool
named_filter_fits(const struct named_filter *filter, const struct json *recipient)
{
	const char *address = json_string(json_member_get(recipient, "recipient"), NULL);
	const char *status = json_string(json_member_get(recipient, "status"), NULL);

	return (!filter->address || g_ascii_strcasecmp(filter->address, address) == 0) &&
	       (!filter->status || g_strcmp0(filter->status, status) == 0) &&
	       (!filter->search.name || store_search_fits(&filter->search, address));
}

static void
named_page_add_one(struct fcgi_named_page *page, GHashTable *seen, const struct json *value)
{
	if (json_kind(value) != JSON_STRING ||
	    g_hash_table_contains(seen, json_string(value, NULL)))
		return;
	char *address = g_strdup(json_string(value, NULL));
	g_ptr_array_add(page->addresses, address);
	g_hash_table_add(seen, address);
}

static void
named_page_add(struct fcgi_named_page *page, GHashTable *seen, const struct json *value,
    const struct named_filter *filter)
{
	if (json_kind(value) != JSON_ARRAY) {
		named_page_add_one(page, seen, value);
		return;
	}
	for (gsize i = 0; i < json_array_length(value); i++) {
		const struct json *one = json_array_at(value, i);

		if (named_filter_is_any(filter))
			named_page_add_one(page, seen, one);
		else if (named_filter_fits(filter, one))
			named_page_add_one(page, seen, json_member_get(one, "recipient"));
	}
}

/* Takes the rows of an answer, up to one that would make it too many addresses. A row that has
   several is an email, whose id is the cursor behind it. */
static void
named_page_take(struct fcgi_named_page *page, const struct json *answer, guint kind,
    const struct named_filter *filter)
{
	const struct json *rows = json_member_get(answer, lists[kind].collection);
	const struct json *cursor = json_member_get(answer, "cursor");
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	const char *member = named_filter_is_any(filter) ? lists[kind].all : lists[kind].filtered;
	gsize count = json_array_length(rows);

	for (gsize i = 0; i < count; i++) {
		const struct json *row = json_array_at(rows, i);
		guint before = page->addresses->len;

		named_page_add(page, seen, json_member_get(row, member), filter);
		if (before > 0 && page->addresses->len > LIMIT_BULK_PEOPLE) {
			g_ptr_array_set_size(page->addresses, (gint)before);
			cursor = json_member_get(json_array_at(rows, i - 1), "id");
			break;
		}
		page->rows++;
	}
	page->cursor =
	    g_strdup(json_kind(cursor) == JSON_STRING ? json_string(cursor, NULL) : NULL);
}

bool
fcgi_named_list_next(struct fcgi_call *call, struct fcgi_named_list *list,
    struct fcgi_named_page *page_r, GError **error)
{
	*page_r = (struct fcgi_named_page){.addresses = g_ptr_array_new_with_free_func(g_free)};
	AUTO(json) answer = named_list_ask(call, list, error);
	struct named_filter filter;

	if (!answer)
		return false;
	named_filter_read(list, &filter);
	named_page_take(page_r, answer, named_list_of(list->match.route), &filter);
	named_filter_clear(&filter);
	g_hash_table_insert(list->request.query, g_strdup("cursor"),
	    g_strdup(page_r->cursor ? page_r->cursor : ""));
	return true;
}
