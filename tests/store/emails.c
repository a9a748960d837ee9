/* SPDX-License-Identifier: MIT */
/* Makes and stores emails. */
#include "tests/store/emails.h"

struct store_email *
email_new(const struct base_id *workspace, const char *const *to)
{
	struct store_email *email = store_email_new();
	g_autoptr(GBytes) html = g_bytes_new_static("<p>Hello", 8);

	email->workspace_id = *workspace;
	email->domain_id = base_id_new();
	email->type = EMAIL_TRANSACTIONAL;
	email->sender = g_strdup("a@example.com");
	email->to = g_strjoinv(", ", (char **)to);
	email->subject = g_strdup("Hello");
	store_email_add_part(email, PART_HTML, html, NULL, NULL, NULL);
	for (; *to; to++)
		store_email_add_recipient(email, RECIPIENT_TO, g_strdup(*to));
	return email;
}

bool
email_insert(struct db *db, void *email, GError **error)
{
	return store_email_insert(db, (const struct store_email *const *)&email, 1, error);
}

void
email_store(struct fixture *fixture, struct store_email *email)
{
	MUST(db_transact(fixture->db, email_insert, email, &error));
}

struct base_id
email_send(struct fixture *fixture, const struct base_id *workspace, const char *const *to)
{
	AUTO(store_email) email = email_new(workspace, to);

	email_store(fixture, email);
	return email->id;
}

struct base_id
email_event(struct fixture *fixture, const struct base_id *workspace, const struct base_id *email,
    guint recipient, enum store_event_status status, gint64 time)
{
	struct store_event event = {.workspace_id = *workspace,
	    .email_id = *email,
	    .recipient = recipient,
	    .status = status,
	    .timestamp = time};

	MUST(store_event_insert(fixture->db, &event, 1, &error));
	return event.id;
}
