/* SPDX-License-Identifier: MIT */
/* Forgets a person: first that no mail goes there any more, then piece by piece what is stored. */
#include "core/erase.h"

#include <string.h>

#include "base/error.h"
#include "core/contact.h"
#include "core/core.h"
#include "core/suppress.h"
#include "db/transaction.h"
#include "mail/address.h"
#include "store/choice.h"
#include "store/suppression.h"

struct work {
	const struct base_id *workspace;
	const char *address;
	const struct store_suppression_key *key;
	struct store_erasure so_far; /* what earlier transactions have removed */
	struct store_erasure all;    /* with that of this one */
	bool more;
};

/* Everything that knows a person in one transaction each; what comes in many pieces sets more. A
   table that is added to the schema and holds something of persons has its place here. */

static bool
suppress(struct db *db, struct work *work, GError **error)
{
	return store_suppression_erase(db, work->workspace, work->key, error) &&
	       store_choice_erase(db, work->workspace, work->key, error);
}

static bool
erase_contacts(struct db *db, struct work *work, GError **error)
{
	return store_erasure_contacts(db, work->workspace, work->address, &work->all, error);
}

static bool
erase_automation(struct db *db, struct work *work, GError **error)
{
	return store_erasure_automation(db, work->workspace, work->address, &work->all, error);
}

/* Takes the person out of a list of addresses. Where nobody is left in it: NULL. */
static bool
strip_list(char **list, const char *address, GError **error)
{
	if (!*list || !**list)
		return true;
	g_autoptr(GPtrArray) addresses = mail_address_reread_list(*list, error);
	if (!addresses)
		return false;
	for (guint i = addresses->len; i > 0; i--) {
		const struct mail_address *one = addresses->pdata[i - 1];

		if (g_ascii_strcasecmp(one->address, address) == 0)
			g_ptr_array_remove_index(addresses, i - 1);
	}
	g_free(*list);
	*list = addresses->len > 0 ? mail_address_format_list(addresses) : NULL;
	return true;
}

static bool
strip(struct db *db, const struct work *work, struct store_erasure_email *email,
    struct store_erasure *erasure, GError **error)
{
	char **const lists[] = {&email->to, &email->cc, &email->bcc, &email->reply_to};

	for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
		if (!strip_list(lists[i], work->address, error))
			return false;
	if (!email->to)
		email->to = g_strdup("");
	return store_erasure_strip(db, work->workspace, work->address, email, erasure, error);
}

#define EMAILS 20

static bool
erase_emails(struct db *db, struct work *work, GError **error)
{
	work->more = true;
	for (guint i = 0; i < EMAILS && work->more; i++) {
		struct store_erasure_email email;
		bool done = store_erasure_next(
		    db, work->workspace, work->address, &email, &work->more, error);

		if (done && work->more)
			done = email.others > 0 ? strip(db, work, &email, &work->all, error)
						: store_erasure_remove(db, work->workspace, &email,
						      &work->all, error);
		store_erasure_email_clear(&email);
		if (!done)
			return false;
	}
	return true;
}

static bool (*const steps[])(struct db *db, struct work *work, GError **error) = {
    suppress, erase_contacts, erase_automation, erase_emails};

struct turn {
	struct work *work;
	bool (*step)(struct db *db, struct work *work, GError **error);
};

static bool
take_turn(struct db *db, void *context, GError **error)
{
	const struct turn *turn = context;

	turn->work->more = false;
	turn->work->all = turn->work->so_far;
	return turn->step(db, turn->work, error);
}

static bool
run(struct core *core, struct work *work, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
		struct turn turn = {work, steps[i]};

		do {
			if (!db_transact(core->db, take_turn, &turn, error))
				return false;
			work->so_far = work->all;
		} while (work->more);
	}
	return true;
}

bool
core_erase(struct core *core, const struct base_id *workspace, const char *email,
    struct store_erasure *erasure_r, GError **error)
{
	g_autofree char *address = core_contact_address(email, error);

	if (!address)
		return false;
	AUTO(core_suppress_keys) keys = core_suppress_keys(core, (const char *const *)&address, 1);
	struct work work = {
	    .workspace = workspace, .address = address, .key = core_suppress_key(keys, 0)};
	if (!run(core, &work, error))
		return false;
	*erasure_r = work.so_far;
	return true;
}
