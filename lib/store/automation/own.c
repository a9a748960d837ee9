/* SPDX-License-Identifier: MIT */
/* Writes the events that Posthouse tells by itself into the queue of events.

   The id of an event orders it: it begins with the time at which its transaction told its first
   event, then stands the place of the event's name in the table of own events, then a number. So
   the events of one transaction come in the order of that table. Ids of a statement that tells
   several end with digits of the rows that they are about.

   person.updated is found by comparison, since many statements change people without reading them:
   1. Before a change the person's data go into the event's row, if somebody hears the name.
   2. Before COMMIT, or when another step begins, the data as they are then go beside them; none of
      a person who is gone, or has moved to an address that nobody has confirmed.
   3. A row without them, or whose two are the same, is removed; the spool finds the difference of
      the others. */
#include "store/automation/own.h"

#include <string.h>

#include "base/clock.h"
#include "db/before_commit.h"
#include "db/statement.h"

/* The events that a workspace hears, as bits. Most hear little, so one look (db_defer_if) comes
   before the HEARD of each name. */
enum {
	HEARS_PERSON_CREATED = 1,
	HEARS_PERSON_UPDATED = 2,
	HEARS_CONTACT_CREATED = 4,
	HEARS_ANOTHER = 8, /* that is an own event */
};
#define HEARD(name)                                                                                \
	"EXISTS (SELECT 1 FROM workflow_heard h WHERE h.workspace_id = ? AND h.event_name = " name \
	" AND " STORE_HEARD_RUNS ")"
#define NO_EMAIL "X'00000000000000000000000000000000'"
/* Values: id, time; then those of name and properties; then cause and depth. */
#define TELL(id, name, properties)                                                                 \
	"INSERT INTO automation_feedback (event_id, workspace_id, contact_id, email_id, status,"   \
	" timestamp, due, name, properties, cause_id, depth) SELECT " id                           \
	", p.workspace_id, p.id, " NO_EMAIL ", 0, ?, 0, " name ", " properties ", ?, ? FROM "
#define ID_OF(row) "CONCAT(LEFT(?, 12), RIGHT(" row ".id, 4))"
#define PEOPLE                                                                                     \
	"person p FORCE INDEX (PRIMARY) WHERE p.id IN (" DB_MARKS_8 ") AND p.workspace_id = ?"
#define PERSON "person p FORCE INDEX (address) WHERE p.workspace_id = ? AND p.address = ?"
#define CONTACTS                                                                                   \
	"contact c FORCE INDEX (id) STRAIGHT_JOIN person p FORCE INDEX (address)"                  \
	" ON p.workspace_id = c.workspace_id AND p.address = c.address"
#define OF_CONTACT "'audience_id', " UUID("c.audience_id") ", 'contact_id', " UUID("c.id")
#define UUID(id)                                                                                   \
	"LOWER(INSERT(INSERT(INSERT(INSERT(HEX(" id                                                \
	"), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-'))"
#define SOURCES                                                                                    \
	"ELT(c.source, 'api', 'cli', 'import', 'form', 'page', 'one_click', 'mail',"               \
	" 'confirmation', 'report', 'event', 'workflow')"
/* The data of a person in which changes are told. */
#define SNAPSHOT                                                                                   \
	"JSON_OBJECT('first_name', p.first_name, 'last_name', p.last_name, 'language',"            \
	" p.language, 'time_zone', p.time_zone, 'subscribed', p.is_subscribed <> 0, 'properties'," \
	" JSON_COMPACT(p.properties))"
#define IN_PREFIX                                                                                  \
	"event_id BETWEEN CONCAT(LEFT(?, 12), X'00000000') AND CONCAT(LEFT(?, 12), X'FFFFFFFF')"

enum {
	HEARS,
	PEOPLE_CREATED,
	CONTACTS_CREATED,
	RENAMED,
	CONTACT,
	CONFIRM,
	OF_PERSON,
	BEFORE,
	AFTER
};
static const char *const sql[] = {
    [HEARS] = "SELECT BIT_OR(CASE event_name WHEN 'person.created' THEN 1"
	      " WHEN 'person.updated' THEN 2 WHEN 'contact.created' THEN 4 ELSE 8 END)"
	      " FROM workflow_heard WHERE workspace_id = ? AND event_name IN ('person.created',"
	      " 'person.updated', 'contact.created', 'contact.confirmed', 'contact.updated',"
	      " 'contact.unsubscribed', 'contact.deleted', 'topic.joined', 'topic.left',"
	      " 'form.submitted')",
    [PEOPLE_CREATED] = TELL(ID_OF("p"), "'person.created'", "JSON_OBJECT('source', ?)") PEOPLE
    " AND " HEARD("'person.created'") " AND NOT " STORE_OWN_UNCONFIRMED,
    [CONTACTS_CREATED] = TELL(ID_OF("c"), "'contact.created'",
	"JSON_OBJECT(" OF_CONTACT ", 'status', IF(c.is_subscribed, 'subscribed', 'unsubscribed'),"
	" 'source', " SOURCES ")") CONTACTS " WHERE c.id IN (" DB_MARKS_8
					    ") AND c.workspace_id = ? AND c.pending IS NULL"
					    " AND " HEARD("'contact.created'"),
    [RENAMED] = "IF " OWN_IS_RENAMED " THEN " DB_REFUSE(OWN_RENAMED) " END IF",
    [CONTACT] = TELL("?", "?", "JSON_MERGE(JSON_OBJECT(" OF_CONTACT "), ?)") CONTACTS
    " WHERE c.id = ? AND c.workspace_id = ? AND c.pending IS NULL AND " HEARD("?"),
    [CONFIRM] = TELL("?", "'person.created'", "JSON_OBJECT('source', ?)") PERSON
    " AND " HEARD("'person.created'") " AND " STORE_OWN_UNCONFIRMED,
    [OF_PERSON] = TELL("?", "?", "?") PERSON " AND " HEARD("?") " AND NOT " STORE_OWN_UNCONFIRMED,
    [BEFORE] = TELL(ID_OF("p"), "'person.updated'",
	SNAPSHOT) "person p FORCE INDEX (address)"
		  " WHERE p.workspace_id = ?"
		  " AND p.address IN (" DB_MARKS_8
		  ") AND " HEARD("'person.updated'") " AND NOT " STORE_OWN_UNCONFIRMED,
    [AFTER] = "UPDATE automation_feedback f FORCE INDEX (PRIMARY) SET f.became = (SELECT " SNAPSHOT
	      " FROM person p FORCE INDEX (PRIMARY) WHERE p.id = f.contact_id"
	      " AND NOT " STORE_OWN_UNCONFIRMED ") WHERE f.workspace_id = ? AND f." IN_PREFIX
	      "; DELETE FROM automation_feedback WHERE workspace_id = ? AND " IN_PREFIX
	      " AND (became IS NULL OR BINARY became = BINARY properties)",
};

#define CHANGED_SUBSCRIBED 8 /* of enum store_webhook_changed */

/* The names of the fields of enum store_webhook_changed, as a JSON array. The caller owns it. */
static char *
own_print_changed(guint changed)
{
	static const char *const names[] = {"email", "first_name", "last_name", "is_subscribed"};
	GString *list = g_string_new("[");

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (changed & (1u << i))
			g_string_append_printf(
			    list, "%s\"%s\"", list->len > 1 ? "," : "", names[i]);
	g_string_append_c(list, ']');
	return g_string_free(list, FALSE);
}

#define TOGETHER 8 /* the ids and addresses that a statement takes */

/* People whose data went into rows before a change. */
struct own_before {
	struct base_id workspace, prefix;
};

/* People of one workspace and source who were created, and are not told yet. */
struct own_created {
	struct base_id workspace;
	enum store_consent_source source;
	guint count;
	struct base_id ids[TOGETHER];
};

/* The own events of a transaction. */
struct own {
	gint64 time; /* epoch ms; 0: none yet */
	guint count; /* of ids */
	bool is_hushed;
	bool is_caused;
	struct base_id cause;
	guint depth;
	struct own_created created;
	GArray *befores;    /* of struct own_before */
	GHashTable *before; /* a set of the workspace and address of each, as GBytes */
};

static void *
own_make(void)
{
	struct own *own = g_new0(struct own, 1);

	own->befores = g_array_new(FALSE, FALSE, sizeof(struct own_before));
	own->before =
	    g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
	return own;
}

static void
own_free(void *gathered)
{
	struct own *own = gathered;

	g_array_unref(own->befores);
	g_hash_table_unref(own->before);
	g_free(own);
}

struct base_id
store_own_id(gint64 time, enum store_own_rank rank, guint number)
{
	struct base_id id = base_id_at(time);

	id.bytes[6] = (guint8)(0x70 | rank);
	id.bytes[7] = (guint8)MIN(number, 255);
	return id;
}

/* A new id of a transaction's event. */
static struct base_id
own_id(struct own *own, enum store_own_rank rank)
{
	if (own->time == 0)
		own->time = base_clock_now();
	return store_own_id(own->time, rank, own->count++);
}

static struct db_value
own_cause(const struct own *own)
{
	return own->is_caused ? db_id(&own->cause) : db_null();
}

/* Fills the marks of up to TOGETHER values with what stands at a place, the last one again. */
#define FILL(values, at, one)                                                                      \
	for (guint fill = 0; fill < TOGETHER; fill++) {                                            \
		guint i = MIN(done + fill, count - 1);                                             \
		(values)[(at) + fill] = one;                                                       \
	}

/* Defers a statement that happens only where the workspace hears its event. */
static bool
own_defer(struct db *db, const struct base_id *workspace, int statement,
    const struct db_value *values, gsize count, GError **error)
{
	/* The bits of HEARS. */
	static const guint hears[] = {[PEOPLE_CREATED] = HEARS_PERSON_CREATED,
	    [CONTACTS_CREATED] = HEARS_CONTACT_CREATED,
	    [RENAMED] = HEARS_ANOTHER,
	    [CONTACT] = HEARS_ANOTHER,
	    [CONFIRM] = HEARS_PERSON_CREATED,
	    [OF_PERSON] = HEARS_ANOTHER,
	    [BEFORE] = HEARS_PERSON_UPDATED,
	    [AFTER] = HEARS_PERSON_UPDATED};
	const struct db_value of = db_id(workspace);

	return db_defer_if(db, &(struct db_query){sql[HEARS], &of, 1}, hears[statement],
	    &(struct db_query){sql[statement], values, count}, error);
}

/* Tells of the people who were created. */
static bool
own_tell_created(struct db *db, struct own *own, GError **error)
{
	struct own_created *created = &own->created;
	guint count = created->count, done = 0;

	if (count == 0)
		return true;
	created->count = 0;
	struct base_id id = own_id(own, RANK_PERSON_CREATED);
	struct db_value values[5 + TOGETHER + 2] = {db_id(&id), db_int(own->time),
	    db_text(created->source ? store_consent_sources[created->source - 1] : NULL),
	    own_cause(own), db_int(own->depth)};
	FILL(values, 5, db_id(&created->ids[i]));
	values[5 + TOGETHER] = values[6 + TOGETHER] = db_id(&created->workspace);
	return own_defer(
	    db, &created->workspace, PEOPLE_CREATED, values, G_N_ELEMENTS(values), error);
}

/* Finds what has become of the people. */
static bool
own_finish(struct db *db, void *gathered, GError **error)
{
	struct own *own = gathered;
	bool done = own_tell_created(db, own, error);

	for (guint i = 0; done && i < own->befores->len; i++) {
		const struct own_before *before =
		    &g_array_index(own->befores, struct own_before, i);
		const struct db_value prefix = db_id(&before->prefix);
		const struct db_value workspace = db_id(&before->workspace);

		done = own_defer(db, &before->workspace, AFTER,
		    DB_VALUES(workspace, prefix, prefix, workspace, prefix, prefix), error);
	}
	g_array_set_size(own->befores, 0);
	g_hash_table_remove_all(own->before);
	return done;
}

static const struct db_before_commit_kind kind = {own_make, own_finish, own_free};

static struct own *
own_of(struct db *db)
{
	return db_before_commit(db, &kind);
}

void
store_own_hush(struct db *db)
{
	own_of(db)->is_hushed = true;
}

void
store_own_after(struct db *db, gint64 time)
{
	struct own *own = own_of(db);

	own->time = MAX(own->time ? own->time : base_clock_now(), time + 1);
}

bool
store_own_cause(struct db *db, const struct base_id *workflow, guint depth, GError **error)
{
	struct own *own = own_of(db);
	bool done = own_finish(db, own, error);

	own->is_caused = workflow != NULL;
	if (workflow)
		own->cause = *workflow;
	own->depth = depth;
	return done;
}

static bool
own_add_created(struct db *db, struct own *own, const struct own_created *one, GError **error)
{
	struct own_created *created = &own->created;
	bool fits = created->count < TOGETHER && created->source == one->source &&
		    base_id_equal(&created->workspace, &one->workspace);

	if (created->count > 0 && !fits && !own_tell_created(db, own, error))
		return false;
	created->workspace = one->workspace;
	created->source = one->source;
	created->ids[created->count++] = one->ids[0];
	return true;
}

bool
store_own_people_created(struct db *db, const struct base_id *workspace, const struct base_id *ids,
    guint count, enum store_consent_source source, GError **error)
{
	struct own *own = own_of(db);

	for (guint i = 0; !own->is_hushed && i < count; i++)
		if (!own_add_created(
			db, own, &(struct own_created){*workspace, source, 1, {ids[i]}}, error))
			return false;
	return true;
}

bool
store_own_contacts_created(struct db *db, const struct base_id *workspace,
    const struct base_id *const *contacts, guint count, GError **error)
{
	struct own *own = own_of(db);

	if (own->is_hushed || !own_tell_created(db, own, error))
		return own->is_hushed;
	for (guint done = 0; done < count; done += TOGETHER) {
		struct base_id id = own_id(own, RANK_CONTACT_CREATED);
		struct db_value values[4 + TOGETHER + 2] = {
		    db_id(&id), db_int(own->time), own_cause(own), db_int(own->depth)};

		FILL(values, 4, db_id(contacts[i]));
		values[4 + TOGETHER] = values[5 + TOGETHER] = db_id(workspace);
		if (!own_defer(
			db, workspace, CONTACTS_CREATED, values, G_N_ELEMENTS(values), error))
			return false;
	}
	return true;
}

bool
store_own_refuse_renamed(struct db *db, const struct base_id *workspace,
    const struct base_id *const *contacts, guint count, GError **error)
{
	struct db_value values[TOGETHER + 1];

	values[TOGETHER] = db_id(workspace);
	for (guint done = 0; done < count; done += TOGETHER) {
		FILL(values, 0, db_id(contacts[i]));
		if (!own_defer(db, workspace, RENAMED, values, G_N_ELEMENTS(values), error))
			return false;
	}
	return true;
}

/* An event to tell. */
struct own_event {
	enum store_own_rank rank;
	const char *name;
	const char *properties; /* a JSON object; of a contact: further ones */
};

static bool
own_contact(struct db *db, const struct base_id *workspace, const struct base_id *contact,
    const struct own_event *event, GError **error)
{
	struct own *own = own_of(db);

	if (own->is_hushed || !own_tell_created(db, own, error))
		return own->is_hushed;
	struct base_id id = own_id(own, event->rank);
	return own_defer(db, workspace, CONTACT,
	    DB_VALUES(db_id(&id), db_int(own->time), db_text(event->name),
		db_text(event->properties), own_cause(own), db_int(own->depth), db_id(contact),
		db_id(workspace), db_id(workspace), db_text(event->name)),
	    error);
}

bool
store_own_contact_updated(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, guint changed, GError **error)
{
	g_autofree char *fields = own_print_changed(changed);
	g_autofree char *more = g_strdup_printf("{\"changed\":%s}", fields);

	return own_contact(db, workspace, contact,
	    &(struct own_event){RANK_CONTACT_UPDATED, "contact.updated", more}, error);
}

static const char *
own_word(const char *const *words, guint number)
{
	return number > 0 ? words[number - 1] : NULL;
}

/* A JSON string of a word without letters that JSON escapes, or null. */
static void
own_print(GString *text, const char *key, const char *word)
{
	g_string_append_printf(text, ",\"%s\":", key);
	if (word)
		g_string_append_printf(text, "\"%s\"", word);
	else
		g_string_append(text, "null");
}

static void
own_print_turn(GString *text, const struct store_consent_turn *turn)
{
	own_print(text, "by", own_word(store_consent_authors, turn->author));
	own_print(text, "source", own_word(store_consent_sources, turn->source));
	g_string_append_c(text, '}');
}

bool
store_own_contact_unsubscribed(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const struct store_consent_turn *turn, GError **error)
{
	g_autoptr(GString) more = g_string_new(NULL);

	own_print_turn(more, turn);
	more->str[0] = '{';
	return own_contact(db, workspace, contact,
	    &(struct own_event){RANK_CONTACT_UNSUBSCRIBED, "contact.unsubscribed", more->str},
	    error);
}

bool
store_own_contact_turned(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const struct store_consent_turn *turn, GError **error)
{
	bool is_update = turn->subscribed || turn->author == CONSENT_OF_OPERATOR;

	return (!is_update || store_own_contact_updated(db, workspace, contact,
				  CHANGED_SUBSCRIBED | turn->names, error)) &&
	       (turn->subscribed ||
		   store_own_contact_unsubscribed(db, workspace, contact, turn, error));
}

bool
store_own_contact_deleted(
    struct db *db, const struct base_id *workspace, const struct base_id *contact, GError **error)
{
	return own_contact(db, workspace, contact,
	    &(struct own_event){RANK_CONTACT_DELETED, "contact.deleted", "{}"}, error);
}

bool
store_own_confirm(struct db *db, const struct base_id *workspace, const char *address,
    enum store_consent_source source, GError **error)
{
	struct own *own = own_of(db);

	/* Behind the confirmation the person is known: a change that comes with it is none. */
	if (own->is_hushed || !store_own_people_before(db, workspace, &address, 1, error))
		return own->is_hushed;
	struct base_id id = own_id(own, RANK_PERSON_CREATED);
	return own_defer(db, workspace, CONFIRM,
	    DB_VALUES(db_id(&id), db_int(own->time), db_text(store_consent_sources[source - 1]),
		own_cause(own), db_int(own->depth), db_id(workspace), db_text(address),
		db_id(workspace)),
	    error);
}

bool
store_own_contact_confirmed(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const struct base_id *form, GError **error)
{
	g_autoptr(GString) more = g_string_new(NULL);
	char text[ID_TEXT_SIZE];

	own_print(more, "form_id", form ? base_id_format(form, text) : NULL);
	g_string_append_c(more, '}');
	more->str[0] = '{';
	return own_contact(db, workspace, contact,
	    &(struct own_event){RANK_CONTACT_CONFIRMED, "contact.confirmed", more->str}, error);
}

static bool
own_person(struct db *db, const struct base_id *workspace, const char *address,
    const struct own_event *event, GError **error)
{
	struct own *own = own_of(db);

	if (own->is_hushed || !own_tell_created(db, own, error))
		return own->is_hushed;
	struct base_id id = own_id(own, event->rank);
	return own_defer(db, workspace, OF_PERSON,
	    DB_VALUES(db_id(&id), db_int(own->time), db_text(event->name),
		db_text(event->properties), own_cause(own), db_int(own->depth), db_id(workspace),
		db_text(address), db_id(workspace), db_text(event->name)),
	    error);
}

bool
store_own_topic(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *topic, const struct store_consent_turn *turn, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);
	char id[ID_TEXT_SIZE];

	own_print(text, "topic_id", base_id_format(topic, id));
	own_print_turn(text, turn);
	text->str[0] = '{';
	return own_person(db, workspace, address,
	    turn->subscribed ? &(struct own_event){RANK_TOPIC_JOINED, "topic.joined", text->str}
			     : &(struct own_event){RANK_TOPIC_LEFT, "topic.left", text->str},
	    error);
}

bool
store_own_form_submitted(struct db *db, const struct base_id *workspace, const char *address,
    const char *properties, GError **error)
{
	return own_person(db, workspace, address,
	    &(struct own_event){RANK_FORM, "form.submitted", properties}, error);
}

/* Keeps the addresses that no call of this transaction has had before. */
static guint
own_new_addresses(struct own *own, const struct base_id *workspace, const char *const *addresses,
    guint count, const char **new_r)
{
	guint kept = 0;

	for (guint i = 0; i < count; i++) {
		gsize size = strlen(addresses[i]);
		guint8 *key = g_malloc(sizeof(*workspace) + size);

		memcpy(key, workspace, sizeof(*workspace));
		memcpy(key + sizeof(*workspace), addresses[i], size);
		if (g_hash_table_add(own->before, g_bytes_new_take(key, sizeof(*workspace) + size)))
			new_r[kept++] = addresses[i];
	}
	return kept;
}

bool
store_own_people_before(struct db *db, const struct base_id *workspace,
    const char *const *addresses, guint count, GError **error)
{
	struct own *own = own_of(db);

	if (own->is_hushed || !own_tell_created(db, own, error))
		return own->is_hushed;
	g_autofree const char **found = g_new(const char *, count);
	count = own_new_addresses(own, workspace, addresses, count, found);
	for (guint done = 0; done < count; done += TOGETHER) {
		const struct own_before before = {*workspace, own_id(own, RANK_PERSON_UPDATED)};
		struct db_value values[5 + TOGETHER + 1] = {db_id(&before.prefix),
		    db_int(own->time), own_cause(own), db_int(own->depth), db_id(workspace)};

		FILL(values, 5, db_text(found[i]));
		values[5 + TOGETHER] = db_id(workspace);
		g_array_append_val(own->befores, before);
		if (!own_defer(db, workspace, BEFORE, values, G_N_ELEMENTS(values), error))
			return false;
	}
	return true;
}
