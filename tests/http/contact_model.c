/* SPDX-License-Identifier: MIT */
/* Eight clients do random operations on contacts at the same time. Each keeps a model of the
   contacts that only it uses. For the emails that all share, the replies are added up. In the end
   pages and counters must agree with both. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/http/audience.h"
#include "tests/support/steps.h"

#define CLIENTS 8
#define TURNS 150
#define OWN 24	 /* emails that only one client uses, in each audience */
#define SHARED 6 /* and that all of them do */
#define AUDIENCES 2
#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

/* The expected contact. */
struct model {
	char *id; /* NULL: it is not there */
	bool subscribed;
};

/* The expected person of an address, who stays when the contacts are gone. */
struct person {
	bool known;
	guint name; /* 0: none */
};

struct client {
	guint number;
	GRand *random;
	struct model own[AUDIENCES][OWN];
	struct person people[OWN];
	GString *faults; /* the first difference from the model */
};

static struct fixture *fixture;
static char *audiences[AUDIENCES];

/* For the shared emails: the last known id, and the number of creations minus deletions. */
static GMutex lock;
static char *shared_ids[AUDIENCES][SHARED];
static gint balance[AUDIENCES][SHARED];

static void G_GNUC_PRINTF(2, 3) complain(struct client *client, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_string_append_printf(client->faults, "client %u: ", client->number);
	g_string_append_vprintf(client->faults, format, args);
	g_string_append_c(client->faults, '\n');
	va_end(args);
}

static guint
contact_model_draw(struct client *client, guint count)
{
	return (guint)g_rand_int_range(client->random, 0, (gint32)count);
}

static char *
own_email(const struct client *client, guint i)
{
	return g_strdup_printf("own-%02u-%u@x.org", i, client->number);
}

/* Sends a request, and notes a difference when the reply is another. The caller owns the answer. */
static struct answer *
contact_model_ask(
    struct client *client, guint want, const char *method, const char *path, const char *body)
{
	struct answer *answer = audience_ask(fixture, method, body, "%s", path);

	if (answer->status != want)
		complain(client, "%s %s %s: got %u, want %u: %s", method, path, body ? body : "",
		    answer->status, want, answer->body);
	return answer;
}

static char *
contact_model_path_of(guint audience, const char *id)
{
	return g_strconcat(
	    "/v1/audiences/", audiences[audience], "/contacts", id ? "/" : NULL, id, NULL);
}

static void
contact_model_create(struct client *client, guint audience, guint i)
{
	struct model *model = &client->own[audience][i];
	bool subscribed = contact_model_draw(client, 3) > 0;
	guint name = contact_model_draw(client, 3);
	g_autofree char *path = contact_model_path_of(audience, NULL),
			*email = own_email(client, i);
	g_autofree char *body =
	    name ? g_strdup_printf("{'email':'%s','is_subscribed':%s,'first_name':'N%u'}", email,
		       subscribed ? "true" : "false", name)
		 : g_strdup_printf(
		       "{'email':'%s','is_subscribed':%s}", email, subscribed ? "true" : "false");

	AUTO(answer) answer = contact_model_ask(client, model->id ? 409 : 200, "POST", path, body);
	if (model->id || answer->status != 200)
		return;
	*model = (struct model){g_strdup(answer_text(answer, "id")), subscribed};
	client->people[i].known = true;
	if (name)
		client->people[i].name = name;
}

static void
contact_model_change(struct client *client, guint audience, guint i)
{
	struct model *model = &client->own[audience][i];
	bool subscribed = contact_model_draw(client, 2);
	guint name = contact_model_draw(client, 3);
	g_autofree char *path = contact_model_path_of(audience, model->id ? model->id : UNKNOWN);
	g_autofree char *body = name ? g_strdup_printf("{'first_name':'N%u','is_subscribed':%s}",
					   name, subscribed ? "true" : "false")
				     : g_strdup("{'first_name':null}");

	answer_free(contact_model_ask(client, model->id ? 200 : 404, "PATCH", path, body));
	if (!model->id)
		return;
	client->people[i].name = name;
	if (name)
		model->subscribed = subscribed;
}

/* Another email: the contact takes the place of another one, which must not be there. */
static void
contact_model_move(struct client *client, guint audience, guint i)
{
	guint to = contact_model_draw(client, OWN);
	struct model *from = &client->own[audience][i], *there = &client->own[audience][to];
	g_autofree char *path = contact_model_path_of(audience, from->id ? from->id : UNKNOWN);
	g_autofree char *email = own_email(client, to);
	g_autofree char *body = g_strdup_printf("{'email':'%s'}", email);
	guint want = !from->id ? 404 : there->id && to != i ? 409 : 200;

	answer_free(contact_model_ask(client, want, "PATCH", path, body));
	if (want != 200 || to == i)
		return;
	*there = *from;
	*from = (struct model){NULL, false};
	/* A new person takes the name along; one that is known keeps its own. The old one stays
	   with another membership alone. */
	if (!client->people[to].known)
		client->people[to] = client->people[i];
	if (!client->own[1 - audience][i].id)
		client->people[i] = (struct person){false, 0};
}

static void delete (struct client *client, guint audience, guint i)
{
	struct model *model = &client->own[audience][i];
	g_autofree char *path = contact_model_path_of(audience, model->id ? model->id : UNKNOWN);

	answer_free(contact_model_ask(client, model->id ? 200 : 404, "DELETE", path, NULL));
	g_clear_pointer(&model->id, g_free);
}

/* Whether a contact, as it is shown, is what the model says. */
static void
contact_model_compare(struct client *client, const char *where, const struct json *contact,
    const char *email, guint audience, guint i)
{
	const struct model *model = &client->own[audience][i];
	guint number = client->people[i].name;
	g_autofree char *name = number ? g_strdup_printf("N%u", number) : NULL;
	bool same =
	    g_strcmp0(json_string(json_member_get(contact, "email"), NULL), email) == 0 &&
	    g_strcmp0(json_string(json_member_get(contact, "id"), NULL), model->id) == 0 &&
	    g_strcmp0(json_string(json_member_get(contact, "first_name"), NULL), name) == 0 &&
	    json_boolean(json_member_get(contact, "is_subscribed")) == model->subscribed;

	if (!same)
		complain(client, "%s: %s is not as it was left", where, email);
}

static void
contact_model_get(struct client *client, guint audience, guint i)
{
	struct model *model = &client->own[audience][i];
	g_autofree char *path = contact_model_path_of(audience, model->id ? model->id : UNKNOWN);
	g_autofree char *email = own_email(client, i);
	AUTO(answer) answer = contact_model_ask(client, model->id ? 200 : 404, "GET", path, NULL);

	if (model->id && answer->status == 200)
		contact_model_compare(client, "get", answer->json, email, audience, i);
}

/* The own contacts behind an email and up to the last one of a page are those of the model. */
static void
check_page(struct client *client, guint audience, const char *after, const struct answer *page)
{
	const struct json *contacts = answer_at(page, "contacts");
	gsize count = json_array_length(contacts);
	bool more = json_string(answer_at(page, "cursor"), NULL) != NULL;
	const char *last = "",
		   *end = count == 0 ? ""
				     : json_string(json_member_get(
						       json_array_at(contacts, count - 1), "email"),
					   NULL);
	guint found = 0, wanted = 0;

	for (gsize c = 0; c < count; c++) {
		const struct json *contact = json_array_at(contacts, c);
		const char *email = json_string(json_member_get(contact, "email"), NULL);
		guint i, owner;

		if (strcmp(last, email) >= 0 || strcmp(after, email) >= 0)
			complain(client, "page: %s stands behind %s and %s", email, last, after);
		last = email;
		if (sscanf(email, "own-%2u-%u@", &i, &owner) != 2 || owner != client->number)
			continue;
		found++;
		contact_model_compare(client, "page", contact, email, audience, i);
	}
	for (guint i = 0; i < OWN; i++) {
		g_autofree char *email = own_email(client, i);

		wanted += client->own[audience][i].id && strcmp(email, after) > 0 &&
			  (!more || strcmp(email, end) <= 0);
	}
	if (found != wanted)
		complain(client, "page behind %s: %u of %u own contacts", after, found, wanted);
}

static void
contact_model_list(struct client *client, guint audience, guint i)
{
	g_autofree char *after = own_email(client, i);
	g_autofree char *base = contact_model_path_of(audience, NULL);
	g_autofree char *path = g_strconcat(base, "?cursor=", after, NULL);
	AUTO(answer) page = contact_model_ask(client, 200, "GET", path, NULL);

	if (page->status == 200)
		check_page(client, audience, after, page);
}

static void
create_shared(struct client *client, guint audience, guint i)
{
	g_autofree char *path = contact_model_path_of(audience, NULL);
	g_autofree char *body = g_strdup_printf("{'email':'shared-%u@x.org'}", i % SHARED);
	AUTO(answer) answer = audience_ask(fixture, "POST", body, "%s", path);

	if (answer->status != 200 && answer->status != 409)
		complain(client, "shared: got %u: %s", answer->status, answer->body);
	if (answer->status != 200)
		return;
	g_mutex_lock(&lock);
	balance[audience][i % SHARED]++;
	g_free(shared_ids[audience][i % SHARED]);
	shared_ids[audience][i % SHARED] = g_strdup(answer_text(answer, "id"));
	g_mutex_unlock(&lock);
}

static void
delete_shared(struct client *client, guint audience, guint i)
{
	g_mutex_lock(&lock);
	g_autofree char *id = g_strdup(shared_ids[audience][i % SHARED]);
	g_mutex_unlock(&lock);
	g_autofree char *path = contact_model_path_of(audience, id ? id : UNKNOWN);
	AUTO(answer) answer = audience_ask(fixture, "DELETE", NULL, "%s", path);

	if (answer->status != 200 && answer->status != 404)
		complain(client, "shared: got %u: %s", answer->status, answer->body);
	if (answer->status != 200)
		return;
	g_mutex_lock(&lock);
	balance[audience][i % SHARED]--;
	g_mutex_unlock(&lock);
}

static gpointer
contact_model_run(gpointer data)
{
	static void (*const operations[])(struct client *, guint audience, guint i) = {
	    contact_model_create, contact_model_create, contact_model_create, contact_model_change,
	    contact_model_change, contact_model_move, delete, contact_model_get, contact_model_list,
	    create_shared, delete_shared};
	struct client *client = data;

	for (guint turn = 0, turns = test_steps(TURNS); turn < turns; turn++)
		operations[contact_model_draw(client, G_N_ELEMENTS(operations))](
		    client, contact_model_draw(client, AUDIENCES), contact_model_draw(client, OWN));
	return NULL;
}

/* Compares all pages of an audience with all models. */
static void
check_audience(struct client *clients, guint audience)
{
	g_autoptr(GPtrArray) pages = audience_pages(fixture, audiences[audience]);
	g_autofree char *after = g_strdup("");
	gint64 contacts = 0, unsubscribers = 0;
	gint there[SHARED] = {0};

	for (guint p = 0; p < pages->len; p++) {
		const struct json *page = answer_at(pages->pdata[p], "contacts");

		for (guint c = 0; c < CLIENTS; c++)
			check_page(&clients[c], audience, after, pages->pdata[p]);
		for (gsize i = 0; i < json_array_length(page); i++) {
			const struct json *contact = json_array_at(page, i);
			const char *email = json_string(json_member_get(contact, "email"), NULL);
			guint shared;

			contacts++;
			unsubscribers += !json_boolean(json_member_get(contact, "is_subscribed"));
			if (sscanf(email, "shared-%u@", &shared) == 1)
				there[shared]++;
			g_free(after);
			after = g_strdup(email);
		}
	}
	for (guint i = 0; i < SHARED; i++)
		cr_expect_eq(there[i], balance[audience][i],
		    "shared-%u is there %d times, and was made %d times more than removed", i,
		    there[i], balance[audience][i]);
	cr_expect_gt(contacts, CLIENTS, "there is next to nothing to look at");
	cr_expect_gt(unsubscribers, 0);
	audience_expect_counts(fixture, audiences[audience], contacts, unsubscribers);
}

Test(contact_model, holds_whatever_eight_clients_do, .timeout = 900)
{
	const char *given = g_getenv("POSTHOUSE_SEED");
	guint32 seed = given ? (guint32)g_ascii_strtoull(given, NULL, 10) : g_random_int();
	static struct client clients[CLIENTS];
	GThread *threads[CLIENTS];

	g_printerr("contact_model: POSTHOUSE_SEED=%u\n", seed);
	fixture = fixture_open();
	for (guint a = 0; a < AUDIENCES; a++)
		audiences[a] = audience_new(fixture, "News");
	for (guint c = 0; c < CLIENTS; c++) {
		clients[c].number = c;
		clients[c].random = g_rand_new_with_seed(seed + c);
		clients[c].faults = g_string_new(NULL);
		threads[c] = g_thread_new("client", contact_model_run, &clients[c]);
	}
	for (guint c = 0; c < CLIENTS; c++)
		g_thread_join(threads[c]);
	for (guint a = 0; a < AUDIENCES; a++)
		check_audience(clients, a);
	for (guint c = 0; c < CLIENTS; c++) {
		cr_expect_eq(clients[c].faults->len, 0, "POSTHOUSE_SEED=%u:\n%s", seed,
		    clients[c].faults->str);
		for (guint i = 0; i < AUDIENCES * OWN; i++)
			g_free(clients[c].own[i / OWN][i % OWN].id);
		g_string_free(clients[c].faults, TRUE);
		g_rand_free(clients[c].random);
	}
	for (guint a = 0; a < AUDIENCES; a++) {
		for (guint i = 0; i < SHARED; i++)
			g_free(shared_ids[a][i]);
		g_free(audiences[a]);
	}
	fixture_close(fixture);
}
