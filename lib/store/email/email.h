/* SPDX-License-Identifier: MIT */
/* Emails with their recipients, as stored: inserted, read, and changed until they leave. Errors
   that a function does not name are those of db/statement.h. */
#ifndef STORE_EMAIL_EMAIL_H
#define STORE_EMAIL_EMAIL_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/email/body.h"
#include "store/email/event.h"
#include "store/email/stream.h"
#include "store/figure/figure.h"

struct db;
struct db_prefetch;
struct db_prefetch_form;
struct store_rest;

/* The word of the API for it. */
const char *store_email_type_name(enum store_email_type type);

/* The tracking of an email. Each bit needs content of its own for each recipient, so the email
   leaves as one message for each recipient. Stored as number. */
enum store_email_tracking {
	TRACK_OPENS = 1,
	TRACK_CLICKS = 2,
	TRACK_UNSUBSCRIBE = 4, /* it says how to unsubscribe: it is a mailing */
	TRACK_SECRET = 8,      /* its contents are for its recipients alone: nothing shows them */
	TRACK_TEST = 16, /* a test of a broadcast: no figure counts it (store/figure/figure.h), and
			    its links to unsubscribe change nothing */
	TRACK_REPLIES = 32, /* its Reply-To is ours, so that replies come back here */
	TRACK_ENDS = 64, /* it does not leave once its execution was ended by a goal or an exit */
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define TRACK_UNSUBSCRIBE_SQL "4"
#define TRACK_TEST_SQL "16"

enum store_email_part_role {
	PART_HTML = 1,
	PART_TEXT = 2,
	PART_ATTACHMENT = 3,
	PART_MESSAGE = 4, /* the whole message, as it is sent; html and text are only shown then */
	PART_ALTERNATIVE = 5, /* an attachment that is another form of html and text */
	PART_LAST = PART_ALTERNATIVE,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define PART_ATTACHMENT_SQL "3"
#define PART_ALTERNATIVE_SQL "5"

/* One piece of an email's content. */
struct store_email_part {
	enum store_email_part_role role;
	char *filename, *content_type,
	    *content_id;	/* of attachments; content_id NULL where none was given */
	struct store_body body; /* data is NULL until it is read */
};

enum store_email_recipient_kind { RECIPIENT_TO = 1, RECIPIENT_CC = 2, RECIPIENT_BCC = 3 };
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define RECIPIENT_TO_SQL "1"

/* An envelope recipient; its number is its place in the email's list. */
struct store_email_recipient {
	enum store_email_recipient_kind kind;
	char *address;			/* "" of a person who was erased */
	enum store_event_status status; /* of its latest event, EVENT_NONE when there is none */
	gint64 status_at;
	gint64 sent_at; /* when the relay accepted the message for it; 0: not yet, or the email has
			   it */
};

/* An email with its contents and recipients. Lists of addresses are RFC 5322 lists in UTF-8;
   texts are NULL where there is none. */
struct store_email {
	struct base_id id;
	struct base_id workspace_id;
	struct base_id domain_id;
	char *domain; /* its name; read by store_email_get, NULL when the domain is gone */
	char *relays; /* its route: names, separated by blanks; read with domain; NULL = none */
	char *return_path;   /* the label of its return paths; read with domain; NULL = send */
	char *tracking_host; /* the host of its links; read with domain; NULL: [service] url's */
	bool tls_enforced;   /* it leaves over TLS alone; read with domain */
	enum store_email_type type;
	enum store_stream stream; /* of a transactional one; 0: transactional */
	bool is_limited;	  /* its stream is paused or has a pace; read with domain */
	guint tracking;		  /* enum store_email_tracking */
	char *sender;
	char *to, *cc, *bcc, *reply_to;
	char *subject;
	char *template_id;
	GBytes *counted_tags; /* of its tags, as in store/figure/figure.h */
	char *variables;      /* JSON object, name to string, resolved; NULL: html and text are not
				 searched for references */
	char *headers;	      /* JSON object, name to string */
	char *tags;	      /* JSON object, name to string */
	bool has_topic, has_workflow;
	struct base_id topic_id;    /* if has_topic: of a mailing */
	struct base_id workflow_id; /* if has_workflow: that sends it, */
	char *step_id;		    /* and its node; else NULL */
	char *topic; /* its name; read by store_email_get, NULL when there is none, or it is gone */
	guint ruled; /* of a mailing: the rules that its workspace has (store/outbox/sending.h);
			read by store_email_get */
	char *sending;	    /* rules of its own (sending/rules.h), JSON; NULL: none; read by
			       store_email_get, of a part by delivery/part.h */
	bool has_broadcast; /* it is a part of a broadcast (delivery/part.h sets this and the next)
			     */
	struct base_id broadcast_id, list_id;
	int variant;
	char *list;	/* the name of list_id: its first audience, else the broadcast itself */
	char *utm;	/* as in link/utm.h; NULL: links stay as they are */
	gint64 created; /* times are epoch ms; 0 = none */
	gint64 scheduled_at;
	gint64 sent; /* when the relay first accepted it; read with its recipients */
	gint64 cancelled;
	GPtrArray *parts;		/* of struct store_email_part */
	GPtrArray *recipients;		/* of struct store_email_recipient, by number */
	struct store_event *last_event; /* in lists: its latest event; NULL = none */
};

/* Whether the email is a mailing, whatever its type: it says how to unsubscribe, and is sent to
   nobody who has left all mailings, or its topic. */
bool store_email_is_mailing(const struct store_email *email);

/* The stream of an email. A step of a workflow is transactional unless it is a mailing. */
enum store_stream store_email_stream(const struct store_email *email);

/* Whether a registered domain sends it, which signs it and has its return path. Mail of the service
   itself (store/workspace/workspace.h) may have none: domain is then the one of its sender. */
bool store_email_has_domain(const struct store_email *email);

/* Whether it is a part of a broadcast (store/broadcast/part.h). */
bool store_email_is_part(const struct store_email *email);

/* A new email with a fresh id, the time of now, and empty arrays. The caller frees it. */
struct store_email *store_email_new(void);
void store_email_free(struct store_email *email);

/* A copy with texts of its own, which shares parts and recipients. The caller frees it. */
struct store_email *store_email_share(const struct store_email *email);
DEFINE_AUTO(store_email, store_email_free)

/* The things that its figures are counted for; borrows from the email. */
struct store_figure_origin store_email_origin(const struct store_email *email);

/* The address of a recipient; NULL when there is none of this number, or it was erased. */
const char *store_email_address(const struct store_email *email, guint number);

/* The address of a recipient of a mailing; NULL when the email is none, or a test of one. */
const char *store_email_mailed(const struct store_email *email, guint number);

/* Both take ownership of their texts. */
struct store_email_part *store_email_add_part(struct store_email *email,
    enum store_email_part_role role, GBytes *data, char *filename, char *content_type,
    char *content_id);
void store_email_add_recipient(
    struct store_email *email, enum store_email_recipient_kind kind, char *address);

/* Adds html or text that the email has for itself: it is stored beside the email when it is small
   (store_body_make_own). */
void store_email_add_own(struct store_email *email, enum store_email_part_role role, GBytes *data);

/* The content of the first part in this role; NULL when there is none, or it was not read. Not
   owned. */
const struct store_body *store_email_body(
    const struct store_email *email, enum store_email_part_role role);

/* Whether another program has composed the email's message. */
bool store_email_is_raw(const struct store_email *email);

/* Inside a transaction: stores emails of one workspace with their parts, contents and recipients, a
   few statements for all of them, and counts them (store/figure/figure.h). */
bool store_email_insert(
    struct db *db, const struct store_email *const *emails, guint count, GError **error);

/* Reads an email with parts and recipients, and the contents of the parts up to this role
   (PART_TEXT: html and text; PART_LAST: all). NOT_FOUND. The caller frees it. */
struct store_email *store_email_get(struct db *db, const struct base_id *workspace,
    const struct base_id *id, enum store_email_part_role contents, GError **error);

/* The bytes of all contents of an email together, but for its own ones, which are small
   (store_body_make_own). NOT_FOUND. */
bool store_email_size(struct db *db, const struct base_id *workspace, const struct base_id *id,
    guint64 *size_r, GError **error);

/* Reads an email as an answer shows it: its html and text, its recipients, and for each of these
   the newest events (store/email/event.h), as *histories_r. It takes one statement if these are few
   and html and text are its own; its other parts are read only if they are not. The name of its
   domain is not read. NOT_FOUND. The caller frees the email, and the histories by
   store_event_history_clear and g_free. It takes what ahead has (store_email_show_ahead; NULL:
   nothing). */
struct store_email *store_email_show(struct db *db, const struct db_prefetch *ahead,
    const struct base_id *workspace, const struct base_id *id,
    struct store_event_history **histories_r, GError **error);

/* Reads most of that for many (db/prefetch.h). Values: the ids of email and workspace. */
extern const struct db_prefetch_form store_email_show_ahead;

/* The addresses of an email's recipients, by their numbers, as an array of char *: "" of a person
   who was erased. NOT_FOUND. The caller owns it. */
GPtrArray *store_email_recipients(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Reads the emails of outbox entries, at most STORE_EMAIL_BATCH, in three statements for all of
   them; contents only where they are small. emails_r[i] is the email ids[i] of workspaces[i],
   NULL when there is none. The caller frees them. */
#define STORE_EMAIL_BATCH 50
bool store_email_get_batch(struct db *db, const struct base_id *workspaces,
    const struct base_id *ids, guint count, struct store_email **emails_r, GError **error);

/* Reads the contents that store_email_get_batch left out, if any; forget frees all contents. */
bool store_email_read_contents(struct db *db, struct store_email *email, GError **error);
void store_email_forget_contents(struct store_email *email);

/* The filter of a list. */
struct store_email_filter {
	enum store_event_status status; /* some recipient's latest; EVENT_NONE = any */
	const char *address;		/* some recipient, the one of this status; NULL = any */
	const char *search;		/* the pattern of some recipient's address; NULL = any */
	const char *sender;		/* the sender's address; NULL = any */
	const char *tag;		/* the name of one of its tags; NULL = any */
	const char *value;		/* that tag's value; NULL = any */
	const gint64 *since, *until;	/* since <= created < until, epoch ms; NULL = any time */
	const struct base_id *before;	/* only older ones; NULL = from the newest on */
	const struct base_id *after; /* only newer ones, the nearest ones; NULL = any. Not together
					with status, address, search, sender and tag */
	enum store_email_type type;  /* 0: any. Of store_email_list_of alone */
};

/* A page of emails without parts, newest first, at most limit, as an array of struct store_email
   with recipients and last_event. The caller owns it. */
GPtrArray *store_email_list(struct db *db, const struct base_id *workspace,
    const struct store_email_filter *filter, guint limit, GError **error);

/* The same, not with after. With a type or several filters it looks at no more than
   LIMIT_EMAILS_LOOKED rows that one of the filters finds: a page may be short, or empty, and then
   tells its rest. */
GPtrArray *store_email_list_of(struct db *db, const struct base_id *workspace,
    const struct store_email_filter *filter, guint limit, struct store_rest *rest_r,
    GError **error);

/* When the relay accepted an email. */
struct store_email_sent {
	struct base_id workspace_id, id;
	gint64 time; /* epoch ms */
};

/* Inside a transaction: stores the time at which the relay first accepted each email in its own
   row, for those whose recipients do not have it (store_event_insert). */
bool store_email_sent(
    struct db *db, const struct store_email_sent *sent, guint count, GError **error);

#endif
