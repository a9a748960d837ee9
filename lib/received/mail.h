/* SPDX-License-Identifier: MIT */
/* For this room: a mail of one workspace, on its way into the database. */
#ifndef RECEIVED_MAIL_H
#define RECEIVED_MAIL_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "received/authentication.h"

struct base_id;
struct db;
struct json;
struct received_route;
struct received_session;
struct received_target;
struct service;
struct store_received;
struct store_reported;

struct received_mail {
	struct store_received *row;
	GPtrArray *routes;  /* const struct received_route *: its recipients */
	GPtrArray *targets; /* const struct received_target *: of each, that of this workspace */
	GBytes *bytes;
	struct json *message; /* received/message.h */
	struct received_authentication authentication;
	char *event_data;    /* JSON, for webhooks */
	GPtrArray *drafts;   /* struct email_draft: the emails by which it is forwarded */
	GPtrArray *forwards; /* struct store_received_forward */
	struct store_reported *answered; /* the email that it answers; NULL: none */
	guint recipient;		 /* its number there; G_MAXUINT: not known */
	bool is_counted;		 /* a person answers: the recipient gets an event */
	bool is_new;			 /* it was not known */
};

/* A mail of the workspace with a new id, and nothing else. The caller frees it. */
struct received_mail *received_mail_new(const struct base_id *workspace);
void received_mail_free(struct received_mail *mail);
DEFINE_AUTO(received_mail, received_mail_free)

/* Adds a recipient. Both live as long as the mail. */
void received_mail_add(struct received_mail *mail, const struct received_route *route,
    const struct received_target *target);

/* Makes the row, once message, authentication and answered are known (received/reply.h has set its
   writer). spam: the score, or NULL. */
void received_mail_write(struct received_mail *mail, const struct received_session *session,
    const char *sender, const char *spam, gint64 now);

/* Makes the emails by which it is forwarded, as its routes say. Errors of the database; what cannot
   be forwarded is noted. */
bool received_mail_forward(
    struct service *service, struct received_mail *mail, const char *sender, GError **error);

/* Inside a transaction: tells webhooks and workflows of it. */
bool received_mail_tell(struct db *db, const struct received_mail *mail, GError **error);

/* Counts it, and what a route drops, for the metrics. */
void received_mail_count(const struct received_mail *mail);
void received_mail_count_dropped(const struct received_route *route);

#endif
