/* SPDX-License-Identifier: MIT */
/* AUTH (RFC 4954), which libesmtp does without a choice of the mechanism and without XOAUTH2. */
#ifndef SMTP_LOGIN_H
#define SMTP_LOGIN_H

#include "smtp/line.h"
#include "smtp/relay.h"

/* Logs in after the reply to EHLO: sets dialogue->authenticated. Else dialogue is over: at
   DIALOGUE_AUTH, with the relay's reply or with token_fault; at DIALOGUE_HELLO when the relay
   offers no mechanism that the settings allow. */
void smtp_login_run(const struct smtp_line *line, const struct smtp_relay *relay);

#endif
