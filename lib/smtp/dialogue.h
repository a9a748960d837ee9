/* SPDX-License-Identifier: MIT */
/* Follows the commands and replies of a session, for two reasons. libesmtp does not tell why a
   session could not be had, so we read it from the replies. And libesmtp fails on some valid
   replies, so we change them before it reads them:

   - CHUNKING is always hidden. When a message is refused in the middle of BDAT, libesmtp sends the
   rest of it as the beginning of the next message. With PIPELINING it also sends the message before
   it has read the replies to RCPT.
   - PIPELINING is hidden when a message has several recipients. If the connection is lost or a
   reply is malformed while more than two replies are outstanding, libesmtp calls a null pointer.
   - XUSR and XEXCH50 are hidden, since they are not needed.
   - A reply of only three digits (RFC 5321 section 4.2) gets a blank, without which libesmtp ends
   the session. */
#ifndef SMTP_DIALOGUE_H
#define SMTP_DIALOGUE_H

#include <glib.h>
#include <stdbool.h>

#include "smtp/message.h"

enum smtp_dialogue_step {
	DIALOGUE_CONNECT,
	DIALOGUE_GREETING,
	DIALOGUE_HELLO,
	DIALOGUE_STARTTLS,
	DIALOGUE_HANDSHAKE,
	DIALOGUE_AUTH,
	DIALOGUE_MAIL,	/* from here on a session was had */
	DIALOGUE_RESET, /* a probe ends it */
};

struct smtp_dialogue {
	bool wants_tls, wants_auth; /* TLS is needed before AUTH and MAIL; AUTH before MAIL */
	bool hides_pipelining;
	gint64 certificate_end; /* of the last certificate seen, epoch ms; 0: none */

	/* The state of the current connection: */
	enum smtp_dialogue_step step;
	gsize column;		   /* bytes of the current line so far */
	bool continued;		   /* more lines of the reply follow the last one */
	bool over;		   /* QUIT was sent or is due: step and reply stay as they are */
	bool secured;		   /* TLS is up */
	bool bare;		   /* text without TLS came in place of the handshake */
	bool authenticated;	   /* AUTH was answered 235 */
	bool injected;		   /* plain text followed the reply to STARTTLS */
	char *refused;		   /* why the certificate was refused; or NULL */
	int alert;		   /* the TLS alert by which the relay ended the session; 0: none */
	const char *mechanism;	   /* of AUTH, once it was begun; or NULL */
	char *token, *token_fault; /* of XOAUTH2: the last token, and why there is none; or NULL */
	GString *reply;		   /* the bytes read since the last command, at most 8 KB */
	GString *hello;		   /* the reply to the last EHLO */
	char enhanced[SMTP_ENHANCED_SIZE]; /* the code of the failure (smtp/failure.h), or "" */
};

/* Makes the texts of a dialogue whose other members are set. The caller clears it. */
void smtp_dialogue_init(struct smtp_dialogue *dialogue);
void smtp_dialogue_clear(struct smtp_dialogue *dialogue);

/* Begins a new connection. */
void smtp_dialogue_reset(struct smtp_dialogue *dialogue);

/* Notes a command that is about to be sent. False when it must not be sent, because TLS or AUTH is
   wanted and missing: libesmtp would go on without them. */
bool smtp_dialogue_sends(struct smtp_dialogue *dialogue, const char *bytes, gsize size);
/* Notes bytes that libesmtp is about to read as the relay sent them, and changes them as described
   above. */
void smtp_dialogue_receives(struct smtp_dialogue *dialogue, char *bytes, gsize size);

/* The code of the last reply; 0: none yet. */
int smtp_dialogue_code(const struct smtp_dialogue *dialogue);

/* Whether the bytes read are exactly one complete reply. */
bool smtp_dialogue_is_one_reply(const struct smtp_dialogue *dialogue);

/* The parameters of keyword in the reply to EHLO, "" for none; NULL when the relay does not offer
   keyword. The caller owns it. */
char *smtp_dialogue_offer(const struct smtp_dialogue *dialogue, const char *keyword);

#endif
