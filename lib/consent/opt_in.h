/* SPDX-License-Identifier: MIT */
/* Double opt-in: memberships that wait until their person confirms them by the link in a mail. */
#ifndef CONSENT_OPT_IN_H
#define CONSENT_OPT_IN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct service;
struct submit_sending;
struct db;
struct store_confirmation;
struct store_consent_act;
struct store_contact;
struct store_opt_in;

/* Checks an opt-in before it is stored: the template has {{confirm_url}}, and the mail can be sent.
   INVALID, NOT_FOUND or FORBIDDEN, as of email_draft_new. */
bool consent_opt_in_check(struct service *service, const struct base_id *workspace,
    const struct store_opt_in *opt_in, GError **error);

/* A mail that asks somebody to confirm. All borrowed. */
struct consent_opt_in_mail {
	const struct base_id *workspace;
	const struct store_opt_in *opt_in;  /* of the audience */
	const char *to;			    /* an email */
	const struct base_id *id;	    /* of the confirmation */
	const char *address;		    /* of the person, whose fields the mail may name; NULL:
					       nobody's */
	const char *first_name, *last_name; /* as given now; NULL: those of the person */
	const char *language; /* BCP 47, where that of the person is not known; NULL: English */
};

/* Makes the mail, with the fields of the person as variables (person/contact_field.h), and checks
   that it can be sent. claim: an attempt is to be made at once
   (submit/submit.h). Errors of submit_send_check. The caller frees it with service_once_free. */
struct submit_sending *consent_opt_in_compose(
    struct service *service, const struct consent_opt_in_mail *mail, bool claim, GError **error);

/* Inside a transaction: stores the mail of consent_opt_in_compose. */
bool consent_opt_in_store(struct service *service, struct submit_sending *mail, GError **error);

/* To be called when that transaction has failed. */
void consent_opt_in_failed(
    struct service *service, struct submit_sending *mail, const GError *failure);

/* Inside a transaction: a confirmation begins: stores and records it. */
bool consent_opt_in_begin(struct db *db, const struct store_confirmation *confirmation,
    const struct store_consent_act *act, GError **error);

/* Stores a new contact that waits, and its mail. *mail_r is for service_once_finish; NULL as
   mail_r: the spool sends it. The caller frees it with service_once_free. CONFLICT "Contact already
   exists". */
bool consent_opt_in_wait(struct service *service, struct store_contact *contact,
    const struct store_consent_act *act, struct submit_sending **mail_r, GError **error);

/* Sends the mail of a contact again, with the same link. NOT_FOUND of store/person/contact.h;
   CONFLICT "Contact is not pending"; LIMITED within LIMIT_CONFIRM_AGAIN_MS of the last time; then
   *wait_ms_r is the rest of it. */
bool consent_opt_in_again(struct service *service, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *contact, struct submit_sending **mail_r,
    gint64 *wait_ms_r, GError **error);

struct person_chooser;

/* Inside a transaction: a new person takes names, properties and topics (given, as of a
   confirmation). The caller tells webhooks of the contact. */
bool consent_opt_in_take(
    struct db *db, const struct person_chooser *chooser, const char *given, GError **error);

enum consent_opt_in_state {
	OPT_IN_WAITS, /* the link can confirm */
	OPT_IN_DONE,  /* the person is subscribed */
	OPT_IN_OVER,  /* the person has left since; the link changes nothing */
};

/* A link as its page shows it. */
struct consent_opt_in_view {
	struct base_id workspace_id;
	char *address, *audience;
	char *language; /* of the person; NULL: not known */
	bool by_link;	/* opening the link confirms */
	enum consent_opt_in_state state;
};

void consent_opt_in_view_free(struct consent_opt_in_view *view);
DEFINE_AUTO(consent_opt_in_view, consent_opt_in_view_free)

/* Reads the link of a token. NOT_FOUND when the token is not authentic, or the membership is gone.
   The caller frees the result. */
struct consent_opt_in_view *consent_opt_in_look(
    struct service *service, const char *token, GError **error);

/* Confirms by the link of a token, if it waits. ip, user_agent: of the person, NULL: not known.
   Returns the link as it is then, with the errors of consent_opt_in_look and of db/transaction.h;
   the caller frees it. */
struct consent_opt_in_view *consent_opt_in_confirm(struct service *service, const char *token,
    const char *ip, const char *user_agent, GError **error);

/* Tells workflows of what a form has taken: given is JSON as of a confirmation. */
bool consent_opt_in_tell_form(struct db *db, const struct person_chooser *chooser,
    const struct base_id *form, const struct base_id *audience, const char *given, GError **error);

#endif
