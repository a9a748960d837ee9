/* SPDX-License-Identifier: MIT */
/* Stores emails with their parts and recipients, and the times at which they were sent. */
#include "store/email/email.h"

#include <string.h>

#include "base/clock.h"
#include "db/statement.h"
#include "store/email/content.h"
#include "store/figure/figure.h"
#include "store/workspace/workspace.h"

#define SENT_ROWS 25 /* one statement stores the times of so many emails */

enum {
	INSERT,
	INSERT_SENDING,
	INSERT_TAGS,
	INSERT_CONTENT,
	INSERT_PART,
	INSERT_RECIPIENT,
	SENT,
	SENT_MANY
};
/* By checked ids: SENT_MANY. The caller has claimed an outbox entry of the email. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, cc_list, "
	       "bcc_list, reply_to,"
	       " subject, template_id, variables, headers, tags, created, scheduled_at, tracking,"
	       " topic_id, workflow_id, step_id, counted_tags)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_SENDING] = "INSERT INTO email_sending (email_id, workspace_id, rules) VALUES (?, ?, ?)",
    [INSERT_TAGS] = "INSERT INTO email_tag (email_id, name, workspace_id, value)"
		    " SELECT ?, k.name, ?, v.value FROM JSON_TABLE(JSON_KEYS(?), '$[*]'"
		    " COLUMNS (n FOR ORDINALITY, name VARCHAR(256) PATH '$')) k"
		    " JOIN JSON_TABLE(JSON_EXTRACT(?, '$.*'), '$[*]'"
		    " COLUMNS (n FOR ORDINALITY, value VARCHAR(256) PATH '$')) v ON v.n = k.n",
    [INSERT_CONTENT] = "INSERT INTO email_content (email_id, workspace_id, data) VALUES (?, ?, ?)",
    [INSERT_PART] = "INSERT INTO email_part (email_id, number, workspace_id, role, filename, "
		    "content_type, content_id,"
		    " body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_RECIPIENT] = "INSERT INTO recipient (email_id, number, workspace_id, kind, address)"
			 " VALUES (?, ?, ?, ?, ?)",
    [SENT] = "UPDATE email SET sent = ? WHERE id = ? AND workspace_id = ? AND sent IS NULL",
    [SENT_MANY] =
	"UPDATE email FORCE INDEX (PRIMARY) SET sent = CASE id" DB_WHEN_25 " END"
	" WHERE id IN (" DB_MARKS_25 ") AND workspace_id IN (" DB_MARKS_25 ") AND sent IS NULL",
};

#define EMAIL_COLUMNS 21
#define CONTENT_COLUMNS 3
#define PART_COLUMNS 8
#define RECIPIENT_COLUMNS 5
#define SENT_COLUMNS 4 /* of each row of SENT_MANY */

const char *
store_email_type_name(enum store_email_type type)
{
	return type == EMAIL_AUTOMATION	 ? "automation"
	       : type == EMAIL_BROADCAST ? "broadcast"
					 : "transactional";
}

static void
email_free_part(void *data)
{
	struct store_email_part *part = data;

	g_free(part->filename);
	g_free(part->content_type);
	g_free(part->content_id);
	g_clear_pointer(&part->body.data, g_bytes_unref);
	g_free(part);
}

static void
email_free_recipient(void *data)
{
	struct store_email_recipient *recipient = data;

	g_free(recipient->address);
	g_free(recipient);
}

bool
store_email_is_mailing(const struct store_email *email)
{
	return (email->tracking & TRACK_UNSUBSCRIBE) != 0;
}

enum store_stream
store_email_stream(const struct store_email *email)
{
	switch (email->type) {
	case EMAIL_BROADCAST:
		return STREAM_BROADCAST;
	case EMAIL_AUTOMATION:
		return store_email_is_mailing(email) ? STREAM_AUTOMATION : STREAM_TRANSACTIONAL;
	default:
		return email->stream ? email->stream : STREAM_TRANSACTIONAL;
	}
}

/* The number that is stored as the type. */
static enum store_email_type
email_stored_type(const struct store_email *email)
{
	if (email->type != EMAIL_TRANSACTIONAL)
		return email->type;
	return email->stream == STREAM_AUTOMATION  ? EMAIL_BY_AUTOMATION
	       : email->stream == STREAM_BROADCAST ? EMAIL_BY_BROADCAST
						   : EMAIL_TRANSACTIONAL;
}

bool
store_email_has_domain(const struct store_email *email)
{
	static const struct base_id none;

	return !store_workspace_is_system(&email->workspace_id) ||
	       !base_id_equal(&email->domain_id, &none);
}

bool
store_email_is_part(const struct store_email *email)
{
	return email->type == EMAIL_BROADCAST && !(email->tracking & TRACK_TEST);
}

struct store_email *
store_email_new(void)
{
	struct store_email *email = g_new0(struct store_email, 1);

	email->id = base_id_new();
	/* The time of the id, by which lists are cut; but when the clock was set back, ids count on
	   from the time before. */
	email->created = MIN(base_id_time(&email->id), base_clock_now());
	email->parts = g_ptr_array_new_with_free_func(email_free_part);
	email->recipients = g_ptr_array_new_with_free_func(email_free_recipient);
	return email;
}

struct store_email *
store_email_share(const struct store_email *email)
{
	struct store_email *copy = g_memdup2(email, sizeof(*email));
	char **const texts[] = {&copy->sender, &copy->to, &copy->cc, &copy->bcc, &copy->reply_to,
	    &copy->subject, &copy->template_id, &copy->variables, &copy->headers, &copy->tags,
	    &copy->domain, &copy->relays, &copy->return_path, &copy->tracking_host, &copy->step_id,
	    &copy->topic, &copy->list, &copy->utm, &copy->sending};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
		*texts[i] = g_strdup(*texts[i]);
	if (copy->counted_tags)
		g_bytes_ref(copy->counted_tags);
	g_ptr_array_ref(copy->parts);
	g_ptr_array_ref(copy->recipients);
	copy->last_event = NULL;
	return copy;
}

void
store_email_free(struct store_email *email)
{
	char *texts[] = {email->sender, email->to, email->cc, email->bcc, email->reply_to,
	    email->subject, email->template_id, email->variables, email->headers, email->tags,
	    email->domain, email->relays, email->return_path, email->tracking_host, email->step_id,
	    email->topic, email->list, email->utm, email->sending};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
		g_free(texts[i]);
	g_clear_pointer(&email->counted_tags, g_bytes_unref);
	g_ptr_array_unref(email->parts);
	g_ptr_array_unref(email->recipients);
	g_clear_pointer(&email->last_event, store_event_free);
	g_free(email);
}

struct store_email_part *
store_email_add_part(struct store_email *email, enum store_email_part_role role, GBytes *data,
    char *filename, char *content_type, char *content_id)
{
	struct store_email_part *part = g_new0(struct store_email_part, 1);

	*part = (struct store_email_part){
	    role, filename, content_type, content_id, store_body_make(data)};
	g_ptr_array_add(email->parts, part);
	return part;
}

void
store_email_add_own(struct store_email *email, enum store_email_part_role role, GBytes *data)
{
	struct store_email_part *part = g_new0(struct store_email_part, 1);

	part->role = role;
	part->body = store_body_make_own(data);
	g_ptr_array_add(email->parts, part);
}

void
store_email_add_recipient(
    struct store_email *email, enum store_email_recipient_kind kind, char *address)
{
	struct store_email_recipient *recipient = g_new0(struct store_email_recipient, 1);

	recipient->kind = kind;
	recipient->address = address;
	g_ptr_array_add(email->recipients, recipient);
}

const char *
store_email_address(const struct store_email *email, guint number)
{
	const struct store_email_recipient *recipient =
	    number < email->recipients->len ? email->recipients->pdata[number] : NULL;

	return recipient && *recipient->address ? recipient->address : NULL;
}

const char *
store_email_mailed(const struct store_email *email, guint number)
{
	return store_email_is_mailing(email) && !(email->tracking & TRACK_TEST)
		   ? store_email_address(email, number)
		   : NULL;
}

const struct store_body *
store_email_body(const struct store_email *email, enum store_email_part_role role)
{
	for (guint i = 0; i < email->parts->len; i++) {
		const struct store_email_part *part = email->parts->pdata[i];

		if (part->role == role)
			return part->body.data ? &part->body : NULL;
	}
	return NULL;
}

bool
store_email_is_raw(const struct store_email *email)
{
	for (guint i = 0; i < email->parts->len; i++)
		if (((const struct store_email_part *)email->parts->pdata[i])->role == PART_MESSAGE)
			return true;
	return false;
}

/* Emails of one workspace, and the numbers of their rows. */
struct insertion {
	const struct store_email *const *emails;
	guint count, parts, own, recipients; /* parts: shared ones; own: emails with own contents */
};

/* Whether a part has no row of its own: it is in the email's own contents. */
static bool
email_is_own(const struct store_email_part *part)
{
	return part->body.is_own;
}

static bool
insert_bodies(struct db *db, const struct insertion *insertion, GError **error)
{
	g_autofree const struct store_body **bodies =
	    g_new(const struct store_body *, insertion->parts);
	guint count = 0;

	for (guint e = 0; e < insertion->count; e++) {
		const GPtrArray *parts = insertion->emails[e]->parts;

		for (guint i = 0; i < parts->len; i++)
			if (!email_is_own(parts->pdata[i]))
				bodies[count++] =
				    &((const struct store_email_part *)parts->pdata[i])->body;
	}
	return store_body_put(db, &insertion->emails[0]->workspace_id, bodies, count, error);
}

static bool
insert_emails(struct db *db, const struct insertion *insertion, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)EMAIL_COLUMNS * insertion->count);

	for (guint i = 0; i < insertion->count; i++) {
		const struct store_email *email = insertion->emails[i];
		gsize size = 0;
		const void *tags =
		    email->counted_tags ? g_bytes_get_data(email->counted_tags, &size) : NULL;
		const struct db_value row[EMAIL_COLUMNS] = {db_id(&email->id),
		    db_id(&email->workspace_id), db_id(&email->domain_id),
		    db_int(email_stored_type(email)), db_text(email->sender), db_text(email->to),
		    db_text(email->cc), db_text(email->bcc), db_text(email->reply_to),
		    db_text(email->subject), db_text(email->template_id), db_text(email->variables),
		    db_text(email->headers), db_text(email->tags), db_int(email->created),
		    db_int_or_null(email->scheduled_at), db_int(email->tracking),
		    db_id(email->has_topic ? &email->topic_id : NULL),
		    db_id(email->has_workflow ? &email->workflow_id : NULL),
		    db_text(email->step_id), db_bytes(tags, size)};

		memcpy(values + (gsize)EMAIL_COLUMNS * i, row, sizeof(row));
	}
	return db_defer(db, sql[INSERT], values, EMAIL_COLUMNS, insertion->count, error);
}

/* Few emails have rules of their own. */
static bool
insert_sending(struct db *db, const struct insertion *insertion, GError **error)
{
	for (guint i = 0; i < insertion->count; i++) {
		const struct store_email *email = insertion->emails[i];

		if (email->sending && !db_defer(db, sql[INSERT_SENDING],
					  DB_VALUES(db_id(&email->id), db_id(&email->workspace_id),
					      db_text(email->sending)),
					  1, error))
			return false;
	}
	return true;
}

static bool
insert_tags(struct db *db, const struct insertion *insertion, GError **error)
{
	for (guint i = 0; i < insertion->count; i++) {
		const struct store_email *email = insertion->emails[i];
		const char *tags = email->tags;

		if (tags && !db_defer(db, sql[INSERT_TAGS],
				DB_VALUES(db_id(&email->id), db_id(&email->workspace_id),
				    db_text(tags), db_text(tags)),
				1, error))
			return false;
	}
	return true;
}

/* The own contents of an email; borrows from it. */
static struct store_content
own_content(const struct store_email *email)
{
	struct store_content content = {NULL, NULL};

	for (guint i = 0; i < email->parts->len; i++) {
		const struct store_email_part *part = email->parts->pdata[i];

		if (email_is_own(part))
			*(part->role == PART_HTML ? &content.html : &content.text) =
			    part->body.data;
	}
	return content;
}

static bool
insert_contents(struct db *db, const struct insertion *insertion, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)CONTENT_COLUMNS * insertion->own);
	g_autoptr(GPtrArray) packed = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
	struct db_value *place = values;

	for (guint e = 0; e < insertion->count; e++) {
		const struct store_email *email = insertion->emails[e];
		const struct store_content content = own_content(email);
		gsize size;

		if (!content.html && !content.text)
			continue;
		GBytes *bytes = store_content_pack(&content);
		const void *data = g_bytes_get_data(bytes, &size);
		const struct db_value row[CONTENT_COLUMNS] = {
		    db_id(&email->id), db_id(&email->workspace_id), db_bytes(data, size)};

		g_ptr_array_add(packed, bytes);
		memcpy(place, row, sizeof(row));
		place += CONTENT_COLUMNS;
	}
	return db_defer(db, sql[INSERT_CONTENT], values, CONTENT_COLUMNS, insertion->own, error);
}

static bool
insert_parts(struct db *db, const struct insertion *insertion, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)PART_COLUMNS * insertion->parts);
	struct db_value *place = values;

	for (guint e = 0; e < insertion->count; e++) {
		const struct store_email *email = insertion->emails[e];

		for (guint i = 0; i < email->parts->len; i++) {
			const struct store_email_part *part = email->parts->pdata[i];

			if (email_is_own(part))
				continue;
			const struct db_value row[PART_COLUMNS] = {db_id(&email->id), db_int(i),
			    db_id(&email->workspace_id), db_int(part->role),
			    db_text(part->filename), db_text(part->content_type),
			    db_text(part->content_id), db_bytes(part->body.hash, SHA256_SIZE)};

			memcpy(place, row, sizeof(row));
			place += PART_COLUMNS;
		}
	}
	return db_defer(db, sql[INSERT_PART], values, PART_COLUMNS, insertion->parts, error);
}

static bool
insert_recipients(struct db *db, const struct insertion *insertion, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)RECIPIENT_COLUMNS * insertion->recipients);
	struct db_value *place = values;

	for (guint e = 0; e < insertion->count; e++) {
		const struct store_email *email = insertion->emails[e];

		for (guint i = 0; i < email->recipients->len; i++, place += RECIPIENT_COLUMNS) {
			const struct store_email_recipient *recipient = email->recipients->pdata[i];
			const struct db_value row[RECIPIENT_COLUMNS] = {db_id(&email->id),
			    db_int(i), db_id(&email->workspace_id), db_int(recipient->kind),
			    db_text(recipient->address)};

			memcpy(place, row, sizeof(row));
		}
	}
	return db_defer(
	    db, sql[INSERT_RECIPIENT], values, RECIPIENT_COLUMNS, insertion->recipients, error);
}

struct store_figure_origin
store_email_origin(const struct store_email *email)
{
	return (struct store_figure_origin){email->domain_id, email->template_id,
	    email->workflow_id, email->step_id, store_email_stream(email), email->counted_tags,
	    email->has_broadcast, email->broadcast_id, email->variant};
}

static void
email_count_accepted(struct db *db, const struct insertion *insertion)
{
	for (guint e = 0; e < insertion->count; e++) {
		const struct store_email *email = insertion->emails[e];
		const struct store_figure_origin origin = store_email_origin(email);

		for (guint i = 0; i < email->recipients->len; i++)
			store_figure_count(db, &email->workspace_id, &origin,
			    store_email_address(email, i),
			    &(struct store_figure_change){FIGURE_ACCEPTED, email->created, 1});
	}
}

bool
store_email_insert(
    struct db *db, const struct store_email *const *emails, guint count, GError **error)
{
	struct insertion insertion = {emails, count, 0, 0, 0};

	for (guint i = 0; i < count; i++) {
		const struct store_content own = own_content(emails[i]);

		insertion.own += own.html || own.text;
		for (guint p = 0; p < emails[i]->parts->len; p++)
			insertion.parts += !email_is_own(emails[i]->parts->pdata[p]);
		insertion.recipients += emails[i]->recipients->len;
	}
	email_count_accepted(db, &insertion);
	return count == 0 ||
	       (insert_bodies(db, &insertion, error) && insert_emails(db, &insertion, error) &&
		   insert_sending(db, &insertion, error) && insert_tags(db, &insertion, error) &&
		   insert_contents(db, &insertion, error) && insert_parts(db, &insertion, error) &&
		   insert_recipients(db, &insertion, error));
}

/* The last statement repeats the last email. The first of several times of one email is stored. */
static bool
store_many_sent(struct db *db, const struct store_email_sent *sent, guint count, GError **error)
{
	guint sets = (count + SENT_ROWS - 1) / SENT_ROWS;
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)SENT_COLUMNS * SENT_ROWS * sets);
	struct db_value *value = values;

	for (guint begin = 0; begin < SENT_ROWS * sets; begin += SENT_ROWS) {
		for (guint i = begin; i < begin + SENT_ROWS; i++) {
			*value++ = db_id(&sent[MIN(i, count - 1)].id);
			*value++ = db_int(sent[MIN(i, count - 1)].time);
		}
		for (guint i = begin; i < begin + SENT_ROWS; i++)
			*value++ = db_id(&sent[MIN(i, count - 1)].id);
		for (guint i = begin; i < begin + SENT_ROWS; i++)
			*value++ = db_id(&sent[MIN(i, count - 1)].workspace_id);
	}
	return db_run_rows(db, sql[SENT_MANY], values, SENT_COLUMNS * SENT_ROWS, sets, NULL, error);
}

bool
store_email_sent(struct db *db, const struct store_email_sent *sent, guint count, GError **error)
{
	if (count > 1)
		return store_many_sent(db, sent, count, error);
	return count == 0 ||
	       db_run(db, sql[SENT],
		   DB_VALUES(db_int(sent->time), db_id(&sent->id), db_id(&sent->workspace_id)),
		   NULL, error);
}
