/* SPDX-License-Identifier: MIT */
/* Finds the recipients that the events of a provider are about: reads the copies that all of them
   name at once, then looks among them for each event. */
#include "feedback/provider_match.h"

#include <string.h>

#include "base/clock.h"
#include "mail/address.h"
#include "mail_report/report.h"
#include "provider/provider.h"
#include "service/service.h"
#include "store/outbox/relay_copy.h"

/* The names of the message of an event, in the order in which they are tried; "": not given. The
   first character tells the kind of a name. */
#define NAMES 4
#define OF_REPLY 'r'
#define OF_COPY 'c'
#define OF_EMAIL 'e'

/* A name of a kind, which the caller owns. id: NULL: none. */
static char *
name_of_id(char kind, const char *id)
{
	char text[ID_TEXT_SIZE];
	struct base_id own;

	if (!id || !base_id_parse(id, &own))
		return g_strdup("");
	return g_strdup_printf("%c%s", kind, base_id_format(&own, text));
}

static char *
name_of_reply(const char *id)
{
	g_autofree char *own = provider_reply_trim(id ? id : "");

	if (!*own || strlen(own) > STORE_RELAY_COPY_REPLY_BYTES || !g_str_is_ascii(own))
		return g_strdup("");
	return g_strdup_printf("%c%s", OF_REPLY, own);
}

/* Our Message-ID is the email's id, for a broadcast's part also the recipient's number behind a
   full stop, @ and a domain (email/compose.c). */
static char *
name_of_message_id(const char *message_id)
{
	g_autofree char *own = provider_reply_trim(message_id ? message_id : "");
	bool has_domain = strchr(own, '@');

	own[strcspn(own, ".@")] = '\0';
	return name_of_id(OF_EMAIL, has_domain ? own : NULL);
}

static void
name_message(const struct provider_event *event, char *names_r[NAMES])
{
	names_r[0] = name_of_reply(event->reply_id);
	names_r[1] = name_of_id(OF_COPY, event->header_id);
	names_r[2] = name_of_id(OF_COPY, event->metadata_id);
	names_r[3] = name_of_message_id(event->message_id);
}

static void
free_names(char *names[NAMES])
{
	for (guint i = 0; i < NAMES; i++)
		g_free(names[i]);
}

/* The names of all events, each once, in the form in which the store takes them. */
struct sought {
	GHashTable *known; /* char * */
	GPtrArray *ids;	   /* struct base_id */
	struct store_relay_copy_names names;
};

static void
sought_init(struct sought *sought)
{
	sought->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	sought->ids = g_ptr_array_new_with_free_func(g_free);
	sought->names = (struct store_relay_copy_names){
	    g_ptr_array_new(), g_ptr_array_new(), g_ptr_array_new()};
}

static void
sought_clear(struct sought *sought)
{
	g_hash_table_unref(sought->known);
	g_ptr_array_unref(sought->ids);
	g_ptr_array_unref(sought->names.replies);
	g_ptr_array_unref(sought->names.copies);
	g_ptr_array_unref(sought->names.emails);
}

static void
seek(struct sought *sought, const char *name)
{
	if (!*name || g_hash_table_contains(sought->known, name))
		return;
	char *own = g_strdup(name);
	g_hash_table_add(sought->known, own);
	if (*own == OF_REPLY) {
		g_ptr_array_add(sought->names.replies, own + 1);
		return;
	}
	struct base_id *id = g_new0(struct base_id, 1);
	base_id_parse(own + 1, id);
	g_ptr_array_add(sought->ids, id);
	g_ptr_array_add(*own == OF_COPY ? sought->names.copies : sought->names.emails, id);
}

static void
provider_match_enter(GHashTable *index, char *name, struct store_relay_copy_recipient *recipient)
{
	GPtrArray *list = g_hash_table_lookup(index, name);

	if (!list) {
		list = g_ptr_array_new();
		g_hash_table_insert(index, g_strdup(name), list);
	}
	if (!g_ptr_array_find(list, recipient, NULL))
		g_ptr_array_add(list, recipient);
	g_free(name);
}

/* The recipients by each name of their copy. */
static GHashTable *
make_index(const GPtrArray *found)
{
	GHashTable *index = g_hash_table_new_full(
	    g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
	char text[ID_TEXT_SIZE];

	for (guint i = 0; i < found->len; i++) {
		struct store_relay_copy_recipient *recipient = found->pdata[i];

		provider_match_enter(index, name_of_reply(recipient->reply), recipient);
		provider_match_enter(index,
		    name_of_id(OF_COPY, base_id_format(&recipient->copy_id, text)), recipient);
		provider_match_enter(index,
		    name_of_id(OF_EMAIL, base_id_format(&recipient->email_id, text)), recipient);
	}
	g_hash_table_remove(index, "");
	return index;
}

static bool
provider_match_is_same(
    const struct store_relay_copy_recipient *a, const struct store_relay_copy_recipient *b)
{
	return a->number == b->number && base_id_equal(&a->email_id, &b->email_id);
}

/* The normal form of an event's recipient; the caller owns it. NULL: it is no address. */
static char *
normal(const char *given)
{
	char *address = mail_report_address(given);

	if (address)
		return address;
	AUTO(mail_address) named = mail_address_parse(given, NULL);
	return named ? g_strdup(named->address) : NULL;
}

/* Chooses among the recipients of a message those that the event is about, each once. A relay may
   have taken a message for a recipient twice; then the first time counts. */
static GPtrArray *
provider_match_choose(const struct provider_event *event, const GPtrArray *recipients)
{
	GPtrArray *chosen = g_ptr_array_new();
	g_autofree char *address = event->recipient ? normal(event->recipient) : NULL;

	for (guint i = 0; i < recipients->len; i++) {
		struct store_relay_copy_recipient *one = recipients->pdata[i];
		guint same = 0;

		if (event->recipient && !(address && mail_report_names(address, one->address)))
			continue;
		while (same < chosen->len && !provider_match_is_same(chosen->pdata[same], one))
			same++;
		if (same == chosen->len)
			g_ptr_array_add(chosen, one);
		else if (one->sent <
			 ((const struct store_relay_copy_recipient *)chosen->pdata[same])->sent)
			chosen->pdata[same] = one;
	}
	if (chosen->len > 1 && (event->recipient || event->kind != PROVIDER_FAILED))
		g_ptr_array_set_size(chosen, event->recipient ? 1 : 0);
	return chosen;
}

/* Adds the matches of an event. False: it has none. */
static bool
provider_match_match(GArray *matches, GHashTable *index, const struct provider_event *event)
{
	char *names[NAMES];
	GPtrArray *recipients = NULL;

	name_message(event, names);
	for (guint i = 0; i < NAMES && !recipients; i++)
		recipients = g_hash_table_lookup(index, names[i]);
	free_names(names);
	if (!recipients)
		return false;
	g_autoptr(GPtrArray) chosen = provider_match_choose(event, recipients);
	for (guint i = 0; i < chosen->len; i++) {
		const struct store_relay_copy_recipient *one = chosen->pdata[i];
		const struct feedback_provider_match found = {
		    event, one->email_id, one->number, one->sent};

		g_array_append_val(matches, found);
	}
	return chosen->len > 0;
}

static GPtrArray *
provider_match_find(
    struct service *service, const char *relay, const struct provider_batch *batch, GError **error)
{
	struct sought sought;
	char *names[NAMES];

	sought_init(&sought);
	for (guint i = 0; i < batch->events->len; i++) {
		const struct provider_event *event = batch->events->pdata[i];

		if (event->kind == PROVIDER_OTHER)
			continue;
		name_message(event, names);
		for (guint n = 0; n < NAMES; n++)
			seek(&sought, names[n]);
		free_names(names);
	}
	GPtrArray *found = store_relay_copy_find(service->db, relay, &sought.names, error);
	sought_clear(&sought);
	return found;
}

/* The ids of our messages that events without a match name. */
struct unmatched {
	GPtrArray *emails, *copies; /* struct base_id */
};

/* Adds those of an event, as far as there is room. */
static void
note_unmatched(const struct unmatched *unmatched, const struct provider_event *event)
{
	char *names[NAMES];
	struct base_id id;

	name_message(event, names);
	for (guint i = 0; i < NAMES; i++) {
		GPtrArray *ids = *names[i] == OF_EMAIL ? unmatched->emails : unmatched->copies;

		if ((*names[i] == OF_EMAIL || *names[i] == OF_COPY) &&
		    ids->len < STORE_RELAY_COPY_TOGETHER && base_id_parse(names[i] + 1, &id))
			g_ptr_array_add(ids, g_memdup2(&id, sizeof(id)));
	}
	free_names(names);
}

static GArray *
match_all(struct service *service, const char *relay, const struct provider_batch *batch,
    guint *unmatched_r, const struct unmatched *unmatched, GError **error)
{
	g_autoptr(GPtrArray) found = provider_match_find(service, relay, batch, error);

	*unmatched_r = 0;
	if (!found)
		return NULL;
	GArray *matches = g_array_new(FALSE, FALSE, sizeof(struct feedback_provider_match));
	g_autoptr(GHashTable) index = make_index(found);
	for (guint i = 0; i < batch->events->len; i++) {
		const struct provider_event *event = batch->events->pdata[i];

		if (event->kind == PROVIDER_OTHER || provider_match_match(matches, index, event))
			continue;
		++*unmatched_r;
		note_unmatched(unmatched, event);
	}
	return matches;
}

/* A provider may report before we have recorded that its relay took the message, which takes a
   second. Then the copies are read again after a pause. */
#define PAUSE_MS 250
#define PAUSES 10

GArray *
feedback_provider_match(struct service *service, const char *relay,
    const struct provider_batch *batch, guint *unmatched_r, GError **error)
{
	GArray *matches = NULL;
	bool coming = true;

	for (guint pauses = 0; coming; pauses++) {
		g_autoptr(GPtrArray) emails = g_ptr_array_new_with_free_func(g_free);
		g_autoptr(GPtrArray) copies = g_ptr_array_new_with_free_func(g_free);
		const struct unmatched unmatched = {emails, copies};

		g_clear_pointer(&matches, g_array_unref);
		matches = match_all(service, relay, batch, unmatched_r, &unmatched, error);
		if (!matches || pauses == PAUSES)
			return matches;
		if (!store_relay_copy_is_coming(
			service->db, emails, copies, base_clock_now(), &coming, error)) {
			g_array_unref(matches);
			return NULL;
		}
		if (coming)
			g_usleep(PAUSE_MS * 1000);
	}
	return matches;
}
