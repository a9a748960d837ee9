/* SPDX-License-Identifier: MIT */
/* Erases a person: first suppresses the address, then removes the stored data piece by piece. */
#include "person/erase.h"

#include <string.h>

#include "base/error.h"
#include "db/transaction.h"
#include "mail/address.h"
#include "person/contact.h"
#include "person/suppress.h"
#include "service/service.h"
#include "store/consent/choice.h"
#include "store/consent/snooze.h"
#include "store/consent/suppression.h"
#include "store/person/import.h"
#include "store/received/event.h"
#include "store/received/received.h"
#include "store/webhook/erase.h"
#include "store/workspace/request_history.h"
#include "store/workspace/request_log.h"

struct erasing {
	const struct base_id *workspace;
	const char *address;
	const struct store_suppression_key *key;
	struct store_erasure so_far; /* removed by earlier transactions */
	struct store_erasure all;    /* removed with this transaction */
	bool more;
};

/* Each step is a transaction that removes one kind of data. A step that may have more to remove
   sets more, and is run again. A new table of the schema that holds data of persons belongs here.
 */

static bool
erase_suppress(struct db *db, struct erasing *erasing, GError **error)
{
	return store_suppression_erase(db, erasing->workspace, erasing->key, error) &&
	       store_choice_erase(db, erasing->workspace, erasing->key, error) &&
	       store_snooze_end(db, erasing->workspace, erasing->address, error);
}

/* The person goes first: a contact that is being stored at the same time waits for that row, and
   has a new person then. */
static bool
erase_person(struct db *db, struct erasing *erasing, GError **error)
{
	return store_erasure_person(
		   db, erasing->workspace, erasing->address, &erasing->all, error) &&
	       store_erasure_contacts(
		   db, erasing->workspace, erasing->address, &erasing->all, error);
}

/* After contacts and executions, of which webhooks could still be notified. */
static bool
erase_told(struct db *db, struct erasing *erasing, GError **error)
{
	return store_webhook_erase_person(db, erasing->workspace, erasing->address, error);
}

static bool
erase_log(struct db *db, struct erasing *erasing, GError **error)
{
	return store_request_log_forget(db, erasing->workspace, erasing->address, error) &&
	       store_request_history_forget(db, erasing->workspace, erasing->address, error) &&
	       store_contact_import_forget(db, erasing->workspace, erasing->address, error);
}

/* Removes the person from a list of addresses. The list becomes NULL when it is empty. */
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
strip(struct db *db, const struct erasing *erasing, struct store_erasure_email *email,
    struct store_erasure *erasure, GError **error)
{
	char **const lists[] = {&email->to, &email->cc, &email->bcc, &email->reply_to};

	for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
		if (!strip_list(lists[i], erasing->address, error))
			return false;
	if (!email->to)
		email->to = g_strdup("");
	return store_erasure_strip(db, erasing->workspace, erasing->address, email, erasure, error);
}

#define EMAILS 20

static bool
erase_emails(struct db *db, struct erasing *erasing, GError **error)
{
	erasing->more = true;
	for (guint i = 0; i < EMAILS && erasing->more; i++) {
		struct store_erasure_email email;
		bool done = store_erasure_next(
		    db, erasing->workspace, erasing->address, &email, &erasing->more, error);

		if (done && erasing->more)
			done = email.others > 0 ? strip(db, erasing, &email, &erasing->all, error)
						: store_erasure_remove(db, erasing->workspace,
						      &email, &erasing->all, error);
		store_erasure_email_clear(&email);
		if (!done)
			return false;
	}
	return true;
}

/* Mail that the person wrote. Each is removed in a transaction of its own, after the others. */
static bool
erase_received(struct service *service, const struct erasing *erasing, GError **error)
{
	return store_received_event_forget(
		   service->db, erasing->workspace, erasing->address, error) &&
	       store_received_erase(service->db, erasing->workspace, erasing->address, error);
}

static bool (*const steps[])(struct db *db, struct erasing *erasing, GError **error) = {
    erase_suppress, erase_person, erase_told, erase_log, erase_emails};

struct turn {
	struct erasing *erasing;
	bool (*step)(struct db *db, struct erasing *erasing, GError **error);
};

static bool
erase_take_turn(struct db *db, void *context, GError **error)
{
	const struct turn *turn = context;

	turn->erasing->more = false;
	turn->erasing->all = turn->erasing->so_far;
	return turn->step(db, turn->erasing, error);
}

static bool
erase_run(struct service *service, struct erasing *erasing, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
		struct turn turn = {erasing, steps[i]};

		do {
			if (!db_transact(service->db, erase_take_turn, &turn, error))
				return false;
			erasing->so_far = erasing->all;
		} while (erasing->more);
	}
	return true;
}

bool
person_erase(struct service *service, const struct base_id *workspace, const char *email,
    struct store_erasure *erasure_r, GError **error)
{
	g_autofree char *address = person_contact_address(email, error);

	if (!address)
		return false;
	AUTO(person_suppress_keys) keys =
	    person_suppress_keys(service, (const char *const *)&address, 1);
	struct erasing erasing = {
	    .workspace = workspace, .address = address, .key = person_suppress_key(keys, 0)};
	if (!store_received_erase_replies(service->db, workspace, address, error) ||
	    !erase_run(service, &erasing, error) || !erase_received(service, &erasing, error))
		return false;
	*erasure_r = erasing.so_far;
	return true;
}
