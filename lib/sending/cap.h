/* SPDX-License-Identifier: MIT */
/* Caps: how many mailings a person gets in some days. */
#ifndef SENDING_CAP_H
#define SENDING_CAP_H

#include <glib.h>
#include <stdbool.h>

#include "json/fields.h"

struct json;
struct json_place;
struct json_writer;

/* At most so many mailings in days times 24 hours. mailings 0: there is none. */
struct sending_cap {
	gint64 mailings, days;
	gint64 wait;	       /* ms for which a mailing waits for its place; 0: it does not, */
	gint64 wait_number;    /* as it was given: so many */
	const char *wait_unit; /* of this unit, a literal */
};

/* The members of the object. */
extern const struct json_field sending_cap_fields[3];

/* Reads a cap at place. NULL: there is none. INVALID, naming the member. */
bool sending_cap_read(const struct json *value, const struct json_place *place,
    struct sending_cap *cap_r, GError **error);

/* Writes it with all members; null where there is none. */
void sending_cap_write(struct json_writer *writer, const char *key, const struct sending_cap *cap);

/* The ms for which a place is taken. */
gint64 sending_cap_length(const struct sending_cap *cap);

/* "cap: at most 3 in 7 days". The caller owns it. */
char *sending_cap_text(const struct sending_cap *cap);

#endif
