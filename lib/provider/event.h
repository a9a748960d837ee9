/* SPDX-License-Identifier: MIT */
/* The events of a provider's request in one form. */
#ifndef PROVIDER_EVENT_H
#define PROVIDER_EVENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct json;

enum provider_kind {
	PROVIDER_OTHER, /* a kind that we do not record */
	PROVIDER_DELIVERED,
	PROVIDER_DELAYED,
	PROVIDER_BOUNCED,     /* for good */
	PROVIDER_BOUNCED_NOW, /* the mailbox may accept mail another day */
	PROVIDER_SUPPRESSED,
	PROVIDER_FAILED,
	PROVIDER_COMPLAINED,
	PROVIDER_OPENED,
	PROVIDER_CLICKED,
	PROVIDER_UNSUBSCRIBED,
};

/* One event. Texts are NULL where the provider gives none. */
struct provider_event {
	enum provider_kind kind;
	const char *key;	 /* the provider's id of the event */
	const char *recipient;	 /* NULL: it is about the message as a whole */
	const char *reply_id;	 /* the provider's id of the message */
	const char *header_id;	 /* our X-Posthouse-Id */
	const char *metadata_id; /* our posthouse-id of the metadata */
	const char *message_id;	 /* the Message-ID */
	gint64 time;		 /* epoch ms; 0: not known */
	const char *response;	 /* of a server, or the provider's reason */
	const char *enhanced;	 /* its enhanced status code */
	const char *link, *ip, *user_agent;
	bool automated; /* a program opened it */
};

struct provider_batch {
	GPtrArray *events;   /* struct provider_event */
	GPtrArray *trees;    /* struct json: documents inside the document */
	GStringChunk *texts; /* texts that stand in none */
};

/* A batch without events. The caller frees it. */
struct provider_batch *provider_batch_new(void);
void provider_batch_free(struct provider_batch *batch);
DEFINE_AUTO(provider_batch, provider_batch_free)

/* Adds an event of PROVIDER_OTHER, to be filled in. The batch owns it. */
struct provider_event *provider_event_add(struct provider_batch *batch);

/* For the files of this room: */

/* The value at a path of members, "mail/messageId"; NULL: there is none. */
const struct json *provider_value(const struct json *root, const char *path);

/* Its text, if it is a string or a number; NULL where it is anything else, or empty. */
const char *provider_text(const struct json *root, const char *path);

/* The text of a member whose name is compared without case; of a list the first one. */
const char *provider_member(const struct json *object, const char *name);

/* The value of a header field in {name: value}, or in a list of {name, value} or {Name, Value}; or
   NULL. */
const char *provider_field(const struct json *fields, const char *name);

/* A time in ISO 8601, or in seconds (with a fraction or not), as epoch ms; 0: it is none. */
gint64 provider_time_iso(const char *text);
gint64 provider_time_seconds(const char *text);

/* Sets the response and its enhanced status code: status if it has the form of one, else the first
   in the text. "smtp;" in front is left out. */
void provider_event_respond(struct provider_batch *batch, struct provider_event *event,
    const char *status, const char *text);

/* Sets the event's key to a sum of its JSON, for a provider that has no ids of events. */
void provider_event_sum(
    struct provider_batch *batch, struct provider_event *event, const struct json *json);

/* Calls read for each object of a list, or for the only one. False: it is neither, or an element of
   the list is no object. */
bool provider_each(struct provider_batch *batch, const struct json *json,
    void (*read)(struct provider_batch *batch, const struct json *event));

/* A word of a provider and its kind; tables of them end with {NULL}. */
struct provider_word {
	const char *word;
	enum provider_kind kind;
};
enum provider_kind provider_kind_of(const struct provider_word *table, const char *word);

#endif
