/* SPDX-License-Identifier: MIT */
/* Commands and replies that we exchange with a relay ourselves, between those of libesmtp: the
   greeting behind implicit TLS, and AUTH. To be called while libesmtp has nothing to read or write,
   that is in its callbacks. */
#ifndef SMTP_LINE_H
#define SMTP_LINE_H

#include <openssl/ssl.h>
#include <stdbool.h>

#include "smtp/connect.h"
#include "smtp/dialogue.h"

struct smtp_line {
	struct smtp_wire *wire;
	SSL *ssl; /* NULL: without TLS */
	struct smtp_dialogue *dialogue;
};

/* Sends text and CR LF. False when the connection is lost, or its time is over. */
bool smtp_line_send(const struct smtp_line *line, const char *text);

/* Reads a reply into dialogue->reply. Its code; 0 when the connection is lost, its time is over, or
   the relay speaks no SMTP. */
int smtp_line_receive(const struct smtp_line *line);

#endif
