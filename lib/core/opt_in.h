/* SPDX-License-Identifier: MIT */
/* Double opt-in: memberships that wait until their person confirms them by the link in a mail. */
#ifndef CORE_OPT_IN_H
#define CORE_OPT_IN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct core;
struct core_sending;
struct db;
struct store_confirmation;
struct store_consent_act;
struct store_contact;
struct store_opt_in;

/* Checks an opt-in before it is stored: the template has {{confirm_url}}, and the mail can be sent.
   INVALID, NOT_FOUND or FORBIDDEN, as of core_draft_new. */
bool core_opt_in_check(struct core *core, const struct base_id *workspace,
    const struct store_opt_in *opt_in, GError **error);

/* A mail that asks somebody to confirm. All borrowed. */
struct core_opt_in_mail {
	const struct base_id *workspace;
	const struct store_opt_in *opt_in;  /* of the audience */
	const char *to;			    /* an email */
	const struct base_id *id;	    /* of the confirmation */
	const char *address;		    /* of the person, whose fields the mail may name; NULL:
					       nobody's */
	const char *first_name, *last_name; /* as given now; NULL: those of the person */
	const char *language; /* BCP 47, where that of the person is not known; NULL: English */
};

/* Makes the mail, with the fields of the person as variables (core/contact_field.h), and checks
   that it can be sent. claim: an attempt is to be made at once
   (core/submit.h). Errors of core_send_check. The caller frees it with core_request_free. */
struct core_sending *core_opt_in_compose(
    struct core *core, const struct core_opt_in_mail *mail, bool claim, GError **error);

/* Inside a transaction: stores the mail of core_opt_in_compose. */
bool core_opt_in_store(struct core *core, struct core_sending *mail, GError **error);

/* To be called when that transaction has failed. */
void core_opt_in_failed(struct core *core, struct core_sending *mail, const GError *failure);

/* Inside a transaction: a confirmation begins: stores and records it. */
bool core_opt_in_begin(struct db *db, const struct store_confirmation *confirmation,
    const struct store_consent_act *act, GError **error);

/* Stores a new contact that waits, and its mail. *mail_r is for core_send_attempt; NULL as mail_r:
   the spool sends it. The caller frees it with core_request_free. CONFLICT "Contact already
   exists". */
bool core_opt_in_wait(struct core *core, struct store_contact *contact,
    const struct store_consent_act *act, struct core_sending **mail_r, GError **error);

/* Sends the mail of a contact again, with the same link. NOT_FOUND of store/contact.h; CONFLICT
   "Contact is not pending"; LIMITED within LIMIT_CONFIRM_AGAIN_MS of the last time; then *wait_ms_r
   is the rest of it. */
bool core_opt_in_again(struct core *core, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *contact, struct core_sending **mail_r,
    gint64 *wait_ms_r, GError **error);

struct core_chooser;

/* Inside a transaction: the person takes what waited with a confirmation (its given). */
bool core_opt_in_take(
    struct db *db, const struct core_chooser *chooser, const char *given, GError **error);

enum core_opt_in_state {
	OPT_IN_WAITS, /* the link can confirm */
	OPT_IN_DONE,  /* the person is subscribed */
	OPT_IN_OVER,  /* the person has left since; the link changes nothing */
};

/* A link as its page shows it. */
struct core_opt_in_view {
	struct base_id workspace_id;
	char *address, *audience;
	char *language; /* of the person; NULL: not known */
	bool by_link;	/* opening the link confirms */
	enum core_opt_in_state state;
};

void core_opt_in_view_free(struct core_opt_in_view *view);
DEFINE_AUTO(core_opt_in_view, core_opt_in_view_free)

/* Reads the link of a token. NOT_FOUND when the token is not authentic, or the membership is gone.
   The caller frees the result. */
struct core_opt_in_view *core_opt_in_look(struct core *core, const char *token, GError **error);

/* Confirms by the link of a token, if it waits. ip, user_agent: of the person, NULL: not known. */
struct core_opt_in_view *core_opt_in_confirm(
    struct core *core, const char *token, const char *ip, const char *user_agent, GError **error);

#endif
