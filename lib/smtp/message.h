/* SPDX-License-Identifier: MIT */
#ifndef SMTP_MESSAGE_H
#define SMTP_MESSAGE_H

#include <glib.h>

enum smtp_outcome {
	SMTP_NOT_TRIED, /* the session ended before; it costs this recipient no attempt */
	SMTP_SENT,
	SMTP_PERMANENT,
	SMTP_TEMPORARY,
	SMTP_UNCERTAIN, /* the final dot went out, and no reply that can be read came back */
};

/* What was answered, that is, whose fault a refusal is. */
enum smtp_stage {
	SMTP_STAGE_SESSION, /* nobody's: not tried */
	SMTP_STAGE_MAIL,    /* the sender's, or the size's (552) */
	SMTP_STAGE_RCPT,    /* this recipient's */
	SMTP_STAGE_DATA,    /* the message's */
};

#define SMTP_ENHANCED_SIZE 12
#define SMTP_TEXT_BYTES 500

struct smtp_recipient {
	const char *address;
	/* From here on set by the session; all 0 before: */
	enum smtp_outcome outcome;
	enum smtp_stage stage;
	int code;			   /* of the reply; 0 when there was none */
	char enhanced[SMTP_ENHANCED_SIZE]; /* "5.1.1" (RFC 3463) or "" */
	char *text; /* the reply without its codes, or our own words where there was none: one line
		       of printable UTF-8, at most SMTP_TEXT_BYTES. The caller's to g_free; NULL
		       when not tried */
};

struct smtp_message {
	const char *sender; /* return path; "" is <> */
	struct smtp_recipient *recipients;
	guint count;
	const char *envid; /* at most 100 characters (RFC 3461 4.4), or NULL */
	void *context;	   /* the caller's */
};

/* Every recipient is SMTP_NOT_TRIED. */
void smtp_message_clear(struct smtp_message *message);

#endif
