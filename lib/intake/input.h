/* SPDX-License-Identifier: MIT */
/* For this room: what the client sends, as lines of commands and as data. */
#ifndef INTAKE_INPUT_H
#define INTAKE_INPUT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct intake_host;

#define INTAKE_LINE_MAX 2048	   /* bytes of a command with its line end */
#define INTAKE_AUTH_LINE_MAX 12288 /* of one of AUTH (RFC 4954 section 4) */

struct intake_input;

/* An input that has read nothing. host is borrowed. The caller frees it. */
struct intake_input *intake_input_new(const struct intake_host *host);
void intake_input_free(struct intake_input *input);
DEFINE_AUTO(intake_input, intake_input_free)

enum intake_got {
	INTAKE_GOT,	 /* what was wanted */
	INTAKE_GOT_LONG, /* it is longer than allowed, and has been passed over to its end */
	INTAKE_GOT_BARE, /* the line has a CR or LF by itself */
	INTAKE_GOT_END,	 /* the client is gone */
	INTAKE_GOT_SILENCE,
	INTAKE_GOT_TIME,    /* the session takes too long */
	INTAKE_GOT_STOP,    /* the service stops */
	INTAKE_GOT_CROWDED, /* there is no room for a large message; it has been passed over */
};

/* Whether a whole line waits to be looked at. */
bool intake_input_waits(const struct intake_input *input);

/* Whether any bytes wait. */
bool intake_input_has_more(const struct intake_input *input);

/* Reads a command up to CRLF, of at most INTAKE_LINE_MAX bytes, or INTAKE_AUTH_LINE_MAX where
   is_auth is set or it begins with AUTH. is_between: no transaction is under way. *line_r is the
   line without its end; it lives until the next call. */
enum intake_got intake_input_line(
    struct intake_input *input, bool is_auth, bool is_between, char **line_r);

/* Reads data up to CRLF, dot, CRLF, which alone end them (RFC 5321 section 4.5.2), and takes the
   dots away that the client has put in front of lines. most: the largest size. Calls enter_large of
   the host. The caller owns *data_r. */
enum intake_got intake_input_data(struct intake_input *input, gsize most, GByteArray **data_r);

#endif
