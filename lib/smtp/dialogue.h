/* SPDX-License-Identifier: MIT */
/* What the two sides say: libesmtp tells nobody why a session could not be had, so we listen, and
   does not survive all that a relay may say, so we put words in its mouth:

   CHUNKING is hidden always. When a message is refused in the middle of BDAT, libesmtp sends what
   it has not read of it as the beginning of the next; and with PIPELINING it sends the message
   before it has read the answers to RCPT. PIPELINING is hidden where a message has several
   recipients. When the connection is lost, or a reply is malformed, while more than two replies are
   outstanding, libesmtp calls a null pointer. XUSR and XEXCH50 are hidden: nobody wants them. A
   reply of three digits alone (RFC 5321 4.2) gets the blank without which libesmtp ends the
   session. */
#ifndef SMTP_DIALOGUE_H
#define SMTP_DIALOGUE_H

#include <glib.h>
#include <stdbool.h>

enum smtp_dialogue_step {
	DIALOGUE_CONNECT,
	DIALOGUE_GREETING,
	DIALOGUE_HELLO,
	DIALOGUE_STARTTLS,
	DIALOGUE_HANDSHAKE,
	DIALOGUE_AUTH,
	DIALOGUE_MAIL, /* the session was had */
};

struct smtp_dialogue {
	bool wants_tls, wants_auth; /* before AUTH and MAIL; before MAIL */
	bool hides_pipelining;

	/* What follows is of one connection: */
	enum smtp_dialogue_step step;
	gsize column;	     /* how much of a line has come */
	bool continued;	     /* more lines of the reply follow the last one */
	bool over;	     /* QUIT was sent, or is due: step and reply stay what they were */
	bool secured;	     /* TLS is up */
	bool authenticated;  /* AUTH was answered 235 */
	bool injected;	     /* plain text came behind the reply to STARTTLS */
	const char *refused; /* what is wrong with the certificate, a constant; or NULL */
	GString *reply;	     /* all that was read since the last command, at most 8 KB */
	GString *hello;	     /* the reply to the last EHLO */
};

void smtp_dialogue_init(struct smtp_dialogue *dialogue);
void smtp_dialogue_clear(struct smtp_dialogue *dialogue);

/* For each connection: nothing was said yet. */
void smtp_dialogue_reset(struct smtp_dialogue *dialogue);

/* A command is about to be sent. False when it must not be, since TLS or AUTH is wanted and is not
   there: libesmtp goes on without both. */
bool smtp_dialogue_sends(struct smtp_dialogue *dialogue, const char *bytes, gsize size);
/* Bytes have come that libesmtp is about to look at; changes them as said above. */
void smtp_dialogue_receives(struct smtp_dialogue *dialogue, char *bytes, gsize size);

/* The code of the reply; 0 when there is none. */
int smtp_dialogue_code(const struct smtp_dialogue *dialogue);

/* The reply is one whole reply and nothing follows it. */
bool smtp_dialogue_is_one_reply(const struct smtp_dialogue *dialogue);

/* The words behind keyword in the reply to EHLO, "" when there are none; NULL when it does not
   offer keyword. The caller owns it. */
char *smtp_dialogue_offer(const struct smtp_dialogue *dialogue, const char *keyword);

#endif
