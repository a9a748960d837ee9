/* SPDX-License-Identifier: MIT */
/* The list of addresses that get no more mail. */
#ifndef CORE_SUPPRESS_H
#define CORE_SUPPRESS_H

#include <glib.h>
#include <stdbool.h>

#include "store/suppression.h"

struct core;
struct store_email;
struct store_consent_override;

/* How a number of addresses are looked for on the list, also after their people were erased. */
struct core_suppress_keys;

/* addresses in their normal form (mail/address.h), in any case. The caller frees it. */
struct core_suppress_keys *core_suppress_keys(
    const struct core *core, const char *const *addresses, guint count);
const struct store_suppression_key *core_suppress_key(
    const struct core_suppress_keys *keys, guint i);
void core_suppress_keys_free(struct core_suppress_keys *keys);
DEFINE_AUTO(core_suppress_keys, core_suppress_keys_free)

/* Which of these addresses, in their normal form, get no mail, a mailing or any other, into
   suppressed_r. */
bool core_suppress_match(struct core *core, const struct base_id *workspace,
    const char *const *addresses, guint count, bool mailing, bool *suppressed_r, GError **error);

/* Which recipients of an email are not to get it, into suppressed_r, by their numbers. */
bool core_suppress_recipients(
    struct core *core, const struct store_email *email, bool *suppressed_r, GError **error);

/* Whether what a server answered to a recipient says that there is no such mailbox: then the
   address is to be suppressed. enhanced is NULL or "" where there was none. */
bool core_suppress_is_final(int code, const char *enhanced);

/* Inside a transaction: puts an address, in its normal form, on the list. */
bool core_suppress_put(const struct core *core, const struct base_id *workspace,
    const char *address, enum store_suppression_reason reason, enum store_suppression_scope scope,
    GError **error);

/* What the words of a client, or of a file, mean; NULL: not given. INVALID "reason must be one of
   ...", and of scope likewise. */
bool core_suppress_words(const char *reason, const char *scope,
    enum store_suppression_reason *reason_r, enum store_suppression_scope *scope_r, GError **error);

/* What clients and operators do. email is as given. */

/* The entry as it stands on the list then, which the caller frees. INVALID "email must be ...". */
struct store_suppression *core_suppress_add(struct core *core, const struct base_id *workspace,
    const char *email, enum store_suppression_reason reason, enum store_suppression_scope scope,
    GError **error);

/* Many at once, in a transaction, by the same rules. Those that stand on the list stay as they are,
   but for a wider scope. email is NULL in one that a person who was erased has left: then hash
   counts, and it is one of this installation's, or nobody is ever found by it. address is not
   given. */
bool core_suppress_add_all(
    struct core *core, const struct store_suppression *entries, guint count, GError **error);

/* NOT_FOUND "Suppression not found", also for what is no address. The caller frees it. */
struct store_suppression *core_suppress_get(
    struct core *core, const struct base_id *workspace, const char *email, GError **error);

/* NOT_FOUND likewise. Of somebody who has unsubscribed in person (store/choice.h) no more goes than
   what was wider than that. CONFLICT as of store_choice_refuse when nothing was, unless there is an
   override, which is recorded: then all goes. */
bool core_suppress_remove(struct core *core, const struct base_id *workspace, const char *email,
    const struct store_consent_override *override, GError **error);

#endif
