/* SPDX-License-Identifier: MIT */
/* Emails as requests give them, and the checks of their parts. */
#ifndef EMAIL_SUBMISSION_H
#define EMAIL_SUBMISSION_H

#include <glib.h>
#include <stdbool.h>

#include "content/variables.h"
#include "email/purpose.h"

struct base_id;
struct service;
struct email_draft_cache;
struct email_prefetch;
struct email_raw_message;
struct json;
struct mail_address;
struct store_email;

/* A file as a request gives it: content (base64) or data, or path (URL). */
struct email_submission_attachment {
	const char *filename, *path, *content, *content_type, *content_id;
	GBytes *data;			/* the content, decoded already */
	const struct json *alternative; /* a boolean: whether it is another form of the texts; NULL:
					   it is where it is an invitation (text/calendar with a
					   method, RFC 6047) */
};

/* An email as a request gives it. Texts are UTF-8 without NUL, within their lengths, and NULL when
   not given. All is borrowed. */
struct email_submission {
	enum email_purpose purpose;
	const char *from;
	const char **to, **cc, **bcc,
	    **reply_to; /* each an RFC 5322 list; NULL-terminated, or NULL */
	const char *subject, *html, *text, *template_id;
	const char *published;	  /* instead of html, text and template_id: the id or alias of a
			       template with drafts (content/template_fill.h), which also gives from,
			       subject and reply_to where they are NULL */
	const char *default_from; /* where neither from nor the published template names a sender */
	const struct json *variables, *headers; /* objects */
	const struct json *tags;		/* an object, or an array of {name, value} */
	GPtrArray *left_out; /* of char *, owned: header fields that the service sets, or that steer
				a provider where the relay does not take them, are left out, and
				their names are put here; a valid Message-ID or Date stays. NULL:
				they are refused */
	GArray *attachments; /* of struct email_submission_attachment, or NULL */
	gsize attachments_most;		     /* bytes of all together; 0: LIMIT_ATTACHMENTS_BYTES */
	const struct email_raw_message *raw; /* the message as it is to be sent (email/raw.h), in
			      place of all from html on; to may be empty then; NULL: none */
	gint64 scheduled_at;		     /* epoch ms, 0 = now */
	struct content_variables_found (*resolve)(const char *name, void *context); /* finds the
			    value of a variable that is used but not in variables; may be NULL */
	void *resolve_context;
	struct email_draft_cache *cache; /* of a batch: then no attachment has a path, and
					    email_draft_settle follows; NULL: none */
	const struct email_prefetch
	    *prefetch;			   /* rows that were looked up for several; NULL: none */
	const struct base_id *only_domain; /* the sender's domain must be this one; NULL: any of the
					      workspace */
	const char *topic_id;		   /* of a topic: it is a mailing */
	const struct base_id *workflow;	   /* of a step */
	const char *stream; /* the word of another stream (store/email/stream.h); NULL: that of its
			       purpose */
	const struct json *reply_tracking; /* a boolean: its Reply-To is ours; NULL: as its domain
					      says */
};

/* Puts the addresses of a submission into an email: sender, lists, and each envelope recipient
   once. from_r is the sender; the caller frees it. INVALID, naming the field. */
bool email_submission_read_addresses(const struct email_submission *submission,
    struct store_email *email, struct mail_address **from_r, GError **error);

/* Checks the sender and the addresses to reply to alone, each where it is given, in the same words.
   INVALID, naming the field. */
bool email_submission_check_sender(const struct email_submission *submission, GError **error);

/* Checks all attachments of a submission and decodes those given by content. in_batch: none may be
   given by URL. The result is an array of GBytes in their order, NULL for those given by URL.
   INVALID, naming the field. The caller frees it. */
GPtrArray *email_submission_decode_attachments(
    const struct email_submission *submission, bool in_batch, GError **error);

/* The error of attachments that are too large together, for a number of MB. */
#define EMAIL_ATTACHMENTS_TOO_LARGE "Total attachments size exceeds maximum of %dMB"

/* Adds a checked attachment with this content to an email. */
void email_submission_add_attachment(
    const struct email_submission_attachment *given, GBytes *content, struct store_email *email);

/* Fetches the attachments given by URL, for at most LIMIT_FETCH_MS, into contents, and adds all
   attachments to the email. INVALID, naming the field; LIMITED when [limits] fetching_requests of
   the email's workspace fetch on this host already; TEMPORARY or FAILED of fetch_get. */
bool email_submission_add_attachments(struct service *service,
    const struct email_submission *submission, GPtrArray *contents, struct store_email *email,
    GError **error);

/* Check "headers" and "tags" of a submission. A header is a text, or an array of texts where a
   message may have several fields of its name. *text_r is the JSON text to store, NULL when there
   are none; the caller owns it. Names and values of tags in an array are ASCII letters, digits, _
   and -. steers: fields that steer a provider stay, where others are left out. INVALID, naming the
   member. */
bool email_submission_headers(
    const struct email_submission *submission, bool steers, char **text_r, GError **error);
bool email_submission_tags(const struct json *given, char **text_r, GError **error);

/* Checks that no member of "headers" steers the provider of a relay (mail/steering.h). INVALID,
   naming the member. */
bool email_submission_steers_nothing(const struct json *given, GError **error);

/* The Message-ID that the sender has set in stored headers. NULL: none. The caller owns it. */
char *email_submission_message_id(const char *headers);

/* Reads stored headers as an array of struct mail_header, which borrows from *document_r. The
   caller frees the array, then the document. */
GArray *email_submission_read_headers(const char *text, struct json **document_r, GError **error);

/* The addresses of a stored list, without names, as an array of char *; empty for NULL and "".
   FAILED when the list is damaged. The caller owns it. */
GPtrArray *email_envelope_addresses(const char *list, GError **error);

/* The form in which an address that a client searches for is stored as a recipient; NULL when text
   is no address. The caller owns it. */
char *email_envelope_recipient(const char *text);

#endif
