/* SPDX-License-Identifier: MIT */
/* Messages to send, the callbacks for them, and the outcome of each recipient. */
#ifndef SMTP_MESSAGE_H
#define SMTP_MESSAGE_H

#include <glib.h>
#include <stdbool.h>

enum smtp_outcome {
	SMTP_NOT_TRIED, /* the session ended before; this is no attempt */
	SMTP_SENT,
	SMTP_PERMANENT,
	SMTP_TEMPORARY,
	SMTP_UNCERTAIN, /* the final dot was sent, and no readable reply came back */
};

/* The command that was answered; it tells whose fault a refusal is. */
enum smtp_stage {
	SMTP_STAGE_SESSION, /* none: not tried */
	SMTP_STAGE_MAIL,    /* the sender's, or that of the size (552) */
	SMTP_STAGE_RCPT,    /* this recipient's */
	SMTP_STAGE_DATA,    /* the message's */
};

#define SMTP_ENHANCED_SIZE 12
#define SMTP_TEXT_BYTES 500

struct smtp_recipient {
	const char *address;
	bool is_held; /* the callback content sets it: the message does not go to this recipient
			 now, who stays SMTP_NOT_TRIED */
	/* The session sets the members below; all are 0 before: */
	enum smtp_outcome outcome;
	enum smtp_stage stage;
	int code;			   /* of the reply; 0: there was none */
	char enhanced[SMTP_ENHANCED_SIZE]; /* "5.1.1" (RFC 3463) or "" */
	char *text; /* the reply without its codes, or our own words if there was none: one line of
		       printable UTF-8, at most SMTP_TEXT_BYTES. The caller owns it; NULL: not
		       tried */
};

struct smtp_message {
	const char *sender; /* return path; "" is <> */
	struct smtp_recipient *recipients;
	guint count;
	const char *envid; /* at most 100 characters (RFC 3461 section 4.4), or NULL */
	bool is_raw;	   /* another program composed it: it may be 8 bit */
	GBytes *seven_bit; /* the callback content sets it where the content that it gives is 8 bit:
			      the same in 7 bit, which the session takes; NULL: there is none */
	void *context;	   /* the caller's */
};

/* Callbacks of a session, called in the thread that runs it. While they run, connect, poll and
   write are those of the system (smtp/connect.h). */
struct smtp_callbacks {
	/* Gives the complete message, just before its MAIL command; for the first message just
	   before the connection is made, so that no connection is made in vain. May block. Lines
	   end in CR LF, have at most 998 bytes, all 7 bit, unless the message is_raw, and there are
	   the fields Date, From and Message-Id. A relay without 8BITMIME (RFC 6152) gets seven_bit
	   in place of 8 bit; without it, the message is SMTP_PERMANENT there. NULL: it is not to be
	   sent now; it stays SMTP_NOT_TRIED, and the session goes on with the next message. */
	GBytes *(*content)(struct smtp_message *message, void *context);
	/* All but the final dot is sent. False: the dot is not sent, the connection ends, and
	   recipients that were not refused before are SMTP_NOT_TRIED. After true, done always
	   follows, unless the process ends. */
	bool (*before_dot)(struct smtp_message *message, void *context);
	/* The outcomes of the recipients are set. Called once for each message with at least one
	   recipient that is not SMTP_NOT_TRIED, as soon as they are known, while the session goes
	   on. */
	void (*done)(struct smtp_message *message, void *context);
};

/* Makes every recipient SMTP_NOT_TRIED. */
void smtp_message_clear(struct smtp_message *message);

/* The outcome by the code of a reply that is no success: 5xx is permanent, except 503 (bad sequence
   of commands); all others are temporary. */
enum smtp_outcome smtp_message_outcome(int code);

/* Makes one line of printable UTF-8 of at most SMTP_TEXT_BYTES. The caller owns it. */
char *smtp_message_text(const char *text);

/* Sets a recipient's outcome from a reply: text is its lines without the code, or NULL. An enhanced
   status code (RFC 2034) at the beginning of a line is removed from it. */
void smtp_message_set_reply(struct smtp_recipient *recipient, enum smtp_outcome outcome,
    enum smtp_stage stage, int code, const char *text);

/* Sets a recipient's outcome without a reply, with our own words. enhanced may be "". */
void smtp_message_set_reason(struct smtp_recipient *recipient, enum smtp_outcome outcome,
    enum smtp_stage stage, const char *enhanced, const char *text);

#endif
