/* SPDX-License-Identifier: MIT */
/* Puts entries into the outbox, and claims them. */
#include "tests/store/outbox_entries.h"

struct store_outbox_entry
entry_make(const struct fixture *fixture, char letter, guint recipients)
{
	struct store_outbox_entry entry = {.id = base_id_new(),
	    .workspace_id = fixture->workspace,
	    .email_id = {{(guint8)letter}},
	    .count = recipients,
	    .since = NOW};

	for (guint i = 0; i < recipients; i++)
		entry.recipients[i] = (guint16)(i * 300);
	return entry;
}

struct store_outbox_key
entry_put(const struct fixture *fixture, char letter, gint64 ready_at,
    const struct store_outbox_claim *claim)
{
	struct store_outbox_entry entry = entry_make(fixture, letter, 1);

	MUST(store_outbox_insert(fixture->db, &entry, 1, ready_at, claim, &error));
	return (struct store_outbox_key){entry.email_id, entry.id};
}

struct store_outbox_claim
entry_claim_by(const char *owner, gint64 token)
{
	return (struct store_outbox_claim){owner, token, NOW + LEASE};
}

enum store_outbox_takeover
entry_ask(const char *owner, void *context)
{
	struct answer *answer = context;

	g_strlcat(answer->asked, owner, sizeof(answer->asked));
	return answer->takeover;
}

bool
entry_search(struct db *db, const struct store_outbox_claim *by, gint64 low, gint64 now,
    guint limit, struct store_outbox_entry *entries, guint *count_r, GError **error)
{
	struct answer answer = {TAKEOVER_CLAIM, ""};
	struct store_outbox_search search = {
	    low, now, limit, LEASE, entry_ask, &answer, NULL, false};

	return store_outbox_claim(db, by, &search, entries, count_r, error);
}

char *
entry_claim_as(struct db *db, gint64 token, struct store_outbox_search search)
{
	struct store_outbox_claim by = {"us", token, search.now + LEASE};
	struct store_outbox_entry entries[20];
	guint count;
	GString *letters = g_string_new(NULL);

	cr_assert_leq(search.limit, G_N_ELEMENTS(entries));
	MUST(store_outbox_claim(db, &by, &search, entries, &count, &error));
	for (guint i = 0; i < count; i++)
		g_string_append_printf(
		    letters, "%c%s", entries[i].email_id.bytes[0], entries[i].lost ? "!" : "");
	return g_string_free(letters, FALSE);
}

char *
entry_claim(struct db *db, gint64 token, gint64 low, gint64 now, guint limit)
{
	struct answer answer = {TAKEOVER_CLAIM, ""};

	return entry_claim_as(db, token,
	    (struct store_outbox_search){low, now, limit, LEASE, entry_ask, &answer, NULL, false});
}

void
entry_expect(const struct fixture *fixture, const char *name, gint64 token, gint64 low, gint64 now,
    guint limit, const char *want)
{
	g_autofree char *got = entry_claim(fixture->db, token, low, now, limit);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}
