/* SPDX-License-Identifier: MIT */
/* The results of broadcasts under /resend: recipients by what happened to them, and the links that
   were clicked. */
#include <string.h>

#include "base/secret.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/handlers.h"
#include "fcgi/resend/limits.h"
#include "json/writer.h"
#include "person/contact.h"
#include "service/service.h"
#include "store/broadcast/broadcast.h"
#include "store/broadcast/event.h"
#include "store/figure/figure.h"
#include "store/person/people.h"

/* The broadcast of the path is there. */
static bool
broadcast_results_find(struct fcgi_call *call, struct base_id *id_r, GError **error)
{
	if (!fcgi_resend_id(call, 0, id_r, error))
		return false;
	AUTO(store_broadcast)
	broadcast = store_broadcast_get(call->service->db, &call->key.workspace_id, id_r, error);
	return broadcast != NULL;
}

static const char *const deeds[] = {[DEED_SENT] = "sent",
    [DEED_DELIVERED] = "delivered",
    [DEED_OPENED] = "opened",
    [DEED_CLICKED] = "clicked",
    [DEED_BOUNCED] = "bounced",
    [DEED_COMPLAINED] = "complained",
    [DEED_UNSUBSCRIBED] = "unsubscribed",
    [DEED_SUPPRESSED] = "suppressed",
    NULL};
static const char *const bounces[] = {[BOUNCE_NONE] = "undetermined",
    [BOUNCE_PERMANENT] = "permanent",
    [BOUNCE_TRANSIENT] = "transient",
    NULL};

/* Reads a parameter that is one of words; *index_r stays when it is not given. */
static bool
broadcast_results_read_word(struct fcgi_call *call, const char *name, const char *const *words,
    int *index_r, GError **error)
{
	const char *text;

	if (!fcgi_resend_query(call, name, &text, error))
		return false;
	if (!text)
		return true;
	for (*index_r = 0; words[*index_r]; (*index_r)++)
		if (strcmp(words[*index_r], text) == 0)
			return true;
	g_autofree char *all = g_strjoinv(", ", (char **)words);
	return fcgi_resend_fail(
	    error, RESEND_INVALID, "Invalid `%s` field. %s must be one of %s.", name, name, all);
}

static bool
read_doing(struct fcgi_call *call, struct store_broadcast_doing *doing, GError **error)
{
	int deed = -1;

	*doing = (struct store_broadcast_doing){.workspace = call->key.workspace_id, .bounce = -1};
	if (!broadcast_results_read_word(call, "type", deeds, &deed, error) ||
	    !broadcast_results_read_word(call, "bounce_type", bounces, &doing->bounce, error))
		return false;
	if (deed < 0)
		return fcgi_resend_fail(error, RESEND_MISSING_FIELD, "Missing `type` field.");
	doing->deed = (enum store_broadcast_deed)deed;
	return doing->bounce < 0 || doing->deed == DEED_BOUNCED ||
	       fcgi_resend_fail(error, RESEND_INVALID,
		   "Invalid `bounce_type` field. bounce_type needs type to be bounced.");
}

/* Reads whose email is wanted: an address is one person's, any other text is a part of many.
 *known_r: nothing is given, or somebody may have it; *person_r is all zero unless it is one. */
static bool
broadcast_results_read_email(struct fcgi_call *call, struct store_broadcast_doing *doing,
    struct base_id *person_r, bool *known_r, GError **error)
{
	const char *email;

	*person_r = (struct base_id){{0}};
	*known_r = true;
	if (!fcgi_resend_query(call, "email", &email, error))
		return false;
	if (!email)
		return true;
	g_autofree char *address = person_contact_address(email, NULL);
	if (!address) {
		doing->email_part = email;
		return true;
	}
	AUTO(store_person)
	person = store_people_get(call->service->db, &call->key.workspace_id, address, NULL);
	*known_r = person != NULL;
	if (person)
		*person_r = person->id;
	return true;
}

static void
write_links(struct json_writer *writer, const GPtrArray *links)
{
	json_writer_begin_array(writer, "clicked_links");
	for (guint i = 0; i < links->len; i++) {
		const struct store_broadcast_link *link = links->pdata[i];

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "url", link->url);
		json_writer_integer(writer, "clicks", link->clicks);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static void
write_doer(struct json_writer *writer, const struct store_broadcast_doer *doer,
    enum store_broadcast_deed deed)
{
	json_writer_begin_object(writer, NULL);
	fcgi_resend_write_id(writer, "id", &doer->person_id);
	if (doer->is_gone)
		json_writer_null(writer, "contact_id");
	else
		fcgi_resend_write_id(writer, "contact_id", &doer->person_id);
	json_writer_string(writer, "email", doer->email);
	if (deed == DEED_OPENED || deed == DEED_CLICKED)
		json_writer_integer(writer, "count", doer->count);
	if (deed == DEED_CLICKED)
		write_links(writer, doer->links);
	if (deed == DEED_BOUNCED)
		json_writer_string(writer, "bounce_type", bounces[doer->bounce]);
	json_writer_end_object(writer);
}

bool
fcgi_resend_broadcasts_recipients(struct fcgi_call *call, GError **error)
{
	struct store_broadcast_doing doing;
	struct store_page page;
	struct base_id person;
	guint first, end;
	bool known;

	if (!read_doing(call, &doing, error) ||
	    !broadcast_results_read_email(call, &doing, &person, &known, error) ||
	    !fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error) ||
	    !broadcast_results_find(call, &doing.broadcast, error))
		return false;
	if (base_id_time(&person) > 0)
		doing.person = &person;
	g_autoptr(GPtrArray) doers =
	    known ? store_broadcast_doers(call->service->db, &doing, &page, error)
		  : g_ptr_array_new();
	if (!doers)
		return false;
	AUTO(json_writer) writer = json_writer_new();
	fcgi_resend_list_begin(writer, &page, doers->len, &first, &end);
	for (guint i = first; i < end; i++)
		write_doer(writer, doers->pdata[i], doing.deed);
	fcgi_resend_list_end(call, writer);
	return true;
}

/* A link has no id: its text makes one, by which pages go on. */
static struct base_id
broadcast_results_id_of(const struct store_figure_row *link)
{
	guint8 digest[SHA256_SIZE];
	struct base_id id;

	base_secret_sha256(link->key, strlen(link->key), digest);
	memcpy(id.bytes, digest, sizeof(id.bytes));
	return id;
}

/* Most clicks first. */
static int
broadcast_results_compare(const void *a, const void *b)
{
	const struct store_figure_row *left = *(void *const *)a, *right = *(void *const *)b;
	gint64 clicks = left->figures[FIGURE_CLICKED], others = right->figures[FIGURE_CLICKED];

	return clicks != others ? (clicks < others ? 1 : -1) : strcmp(left->key, right->key);
}

/* The links of a broadcast that people have clicked. */
static GPtrArray *
broadcast_results_read_links(
    struct fcgi_call *call, const struct base_id *broadcast, GError **error)
{
	const struct store_figure_query query = {
	    .group = FIGURES_BY_LINK, .owner = *broadcast, .to = G_MAXINT32};
	GPtrArray *links = store_figure_list(
	    call->service->db, &call->key.workspace_id, &query, LIMIT_RESEND_LINKS, error);

	if (!links)
		return NULL;
	for (guint i = links->len; i-- > 0;)
		if (((struct store_figure_row *)links->pdata[i])->figures[FIGURE_CLICKED] == 0)
			g_ptr_array_remove_index(links, i);
	g_ptr_array_sort(links, broadcast_results_compare);
	return links;
}

/* The links next to the cursor of a page, at most its limit: those from *first_r on, before *end_r.
   A cursor that no link has is behind all. */
static void
broadcast_results_cut(
    const GPtrArray *links, const struct store_page *page, guint *first_r, guint *end_r)
{
	guint place = 0;

	*first_r = 0;
	*end_r = MIN(links->len, page->limit);
	if (page->side == STORE_PAGE_FIRST)
		return;
	for (; place < links->len; place++) {
		struct base_id id = broadcast_results_id_of(links->pdata[place]);

		if (base_id_equal(&id, &page->cursor))
			break;
	}
	if (page->side == STORE_PAGE_OLDER) {
		*first_r = MIN(place + 1, links->len);
		*end_r = MIN(links->len, *first_r + page->limit);
	} else {
		*first_r = place > page->limit ? place - page->limit : 0;
		*end_r = place;
	}
}

bool
fcgi_resend_broadcasts_links(struct fcgi_call *call, GError **error)
{
	struct store_page page;
	struct base_id id;
	guint from, until, first, end;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error) ||
	    !broadcast_results_find(call, &id, error))
		return false;
	g_autoptr(GPtrArray) links = broadcast_results_read_links(call, &id, error);
	if (!links)
		return false;
	broadcast_results_cut(links, &page, &from, &until);
	AUTO(json_writer) writer = json_writer_new();
	fcgi_resend_list_begin(writer, &page, until - from, &first, &end);
	for (guint i = from + first; i < from + end; i++) {
		const struct store_figure_row *link = links->pdata[i];
		const struct base_id own = broadcast_results_id_of(link);

		json_writer_begin_object(writer, NULL);
		fcgi_resend_write_id(writer, "id", &own);
		json_writer_string(writer, "url", link->key);
		json_writer_integer(writer, "clicks", link->figures[FIGURE_CLICKED]);
		json_writer_integer(writer, "unique_clicks", link->figures[FIGURE_CLICKED_PEOPLE]);
		json_writer_end_object(writer);
	}
	fcgi_resend_list_end(call, writer);
	return true;
}
