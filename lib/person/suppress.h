/* SPDX-License-Identifier: MIT */
/* The suppression list: addresses that get no more mail. */
#ifndef PERSON_SUPPRESS_H
#define PERSON_SUPPRESS_H

#include <glib.h>
#include <stdbool.h>

#include "json/view.h"
#include "store/consent/suppression.h"

struct service;
struct store_email;
struct store_consent_act;
struct store_consent_override;

/* The members of an entry (struct store_suppression): email, reason, scope, created; apart id,
   origin and source_id. */
extern const struct json_view person_suppress_view;

/* The keys by which addresses are searched for on the list. They also find entries of persons who
   were erased, of whom only a hash is left. */
struct person_suppress_keys;

/* Makes the keys of addresses in their normal form (mail/address.h), in any case. The caller frees
   them. */
struct person_suppress_keys *person_suppress_keys(
    const struct service *service, const char *const *addresses, guint count);
const struct store_suppression_key *person_suppress_key(
    const struct person_suppress_keys *keys, guint i);
void person_suppress_keys_free(struct person_suppress_keys *keys);
DEFINE_AUTO(person_suppress_keys, person_suppress_keys_free)

/* The addresses of mail, in their normal form. */
struct person_suppress_search {
	const char *const *addresses;
	guint count;
	bool mailing; /* it is a mailing; else other mail */
	/* The topic of the mailing to each address, NULL for none, or NULL: a person who does not
	   want the topic counts as suppressed; only where there is a topic is it looked up. */
	const struct base_id *const *topics;
};

/* Tells for each address whether it is suppressed for such mail, in suppressed_r. snoozed_r: NULL,
   or for mailings the time (epoch ms) until which each of them has snoozed; 0: not, or the address
   is suppressed anyway. Errors of db/statement.h. */
bool person_suppress_match(struct service *service, const struct base_id *workspace,
    const struct person_suppress_search *search, bool *suppressed_r, gint64 *snoozed_r,
    GError **error);

/* An address, in its normal form, and the email that bounced or was complained about. */
struct person_suppress_addition {
	struct base_id workspace_id, email_id;
	const char *address;
	enum store_suppression_reason reason;
};

/* Puts an address on the list in scope all, inside a transaction. A person who complains has left
   all mailings in person. Does nothing for mail of the service itself. */
bool person_suppress_put(
    const struct service *service, const struct person_suppress_addition *addition, GError **error);

/* Puts many addresses on the list in scope all, inside a transaction, in a few statements for each
   workspace. The first addition of an address counts. Does nothing for mail of the service itself.
 */
bool person_suppress_put_all(const struct service *service,
    const struct person_suppress_addition *additions, guint count, GError **error);

/* Reads reason and scope as a client or a file gives them; NULL: not given. INVALID "reason must be
   one of ...", and the same for scope. */
bool person_suppress_words(const char *reason, const char *scope,
    enum store_suppression_reason *reason_r, enum store_suppression_scope *scope_r, GError **error);

/* The functions below serve clients and operators. They take emails as given, in any form. act: the
   operator and the way of the change. An entry that is "unsubscribed", or of scope automation,
   means that the person gets no mailings at all (person/choose.h). */

/* Puts an email on the list. Returns the entry that is then on the list; the caller frees it.
   INVALID "email must be ..."; errors of db/transaction.h. */
struct store_suppression *person_suppress_add(struct service *service,
    const struct base_id *workspace, const char *email, const struct store_suppression_state *state,
    const struct store_consent_act *act, GError **error);

/* Puts many emails on the list in one transaction, by the same rules. Entries on the list stay as
   they are, except that a wider scope replaces a narrower one. An entry without email is that of a
   person who was erased: its hash counts, and it finds nobody unless this installation's secret
   made it. address is ignored. */
bool person_suppress_add_all(
    struct service *service, const struct store_suppression *entries, guint count, GError **error);

/* Finds an entry. NOT_FOUND "Suppression not found", also when email is no address. The caller
   frees it. */
struct store_suppression *person_suppress_get(
    struct service *service, const struct base_id *workspace, const char *email, GError **error);

/* Removes an entry. NOT_FOUND as above. For a person who gets no mailings at all
   (store/consent/choice.h) a wider entry is only narrowed to that choice. An entry that is that
   choice ends it: CONFLICT (store_choice_refuse) for one of the person's own. An override, which is
   recorded, removes all.
 */
bool person_suppress_remove(struct service *service, const struct base_id *workspace,
    const char *email, const struct store_consent_act *act,
    const struct store_consent_override *override, GError **error);

/* The functions below know entries of scope all alone. name is the id of an entry, or else an
   email. */

/* Finds an entry. NOT_FOUND as above. The caller frees it. */
struct store_suppression *person_suppress_find(
    struct service *service, const struct base_id *workspace, const char *name, GError **error);

/* Puts emails on the list by hand, in one transaction. ids_r[i] is the id of the entry that is then
   on the list. INVALID "email must be ...": nothing is done. */
bool person_suppress_add_emails(struct service *service, const struct base_id *workspace,
    const char *const *emails, guint count, struct base_id *ids_r, GError **error);

/* The name of an entry to remove; and, if the entry was there, its id. */
struct person_suppress_named {
	const char *name;
	bool is_removed;
	struct base_id id;
};

/* Removes entries in one transaction, those that are there. For a
   person who has unsubscribed in person the entry is narrowed as by person_suppress_remove.
   CONFLICT for one who has, and was erased: nothing is done. */
bool person_suppress_remove_names(struct service *service, const struct base_id *workspace,
    struct person_suppress_named *named, guint count, const struct store_consent_act *act,
    GError **error);

#endif
