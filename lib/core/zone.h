/* SPDX-License-Identifier: MIT */
/* The DNS records that a sending domain needs. Pure: no look-ups, no clock. */
#ifndef CORE_ZONE_H
#define CORE_ZONE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct store_domain;
struct store_domain_key;
struct base_settings;

enum core_zone_purpose {
	ZONE_DKIM, /* the public half of a key */
	ZONE_MX,   /* where reports on what was sent come back to */
	ZONE_SPF,  /* who may send with that return path */
	ZONE_DMARC,
};

/* Whether it is there, as far as DNS has told. */
enum core_zone_state {
	ZONE_UNKNOWN, /* it has not */
	ZONE_FOUND,
	ZONE_MISSING,
	ZONE_WRONG,
};

/* The word of the API for it; NULL for ZONE_UNKNOWN. And the opposite: ZONE_UNKNOWN for NULL and
   what is none. */
const char *core_zone_state_name(enum core_zone_state state);
enum core_zone_state core_zone_state(const char *name);

/* The MX of a domain's return paths. */
#define ZONE_MX_PRIORITY 10
#define ZONE_MX_PRIORITY_TEXT G_STRINGIFY(ZONE_MX_PRIORITY)

/* One record. */
struct core_zone_record {
	enum core_zone_purpose purpose;
	const struct store_domain_key *key; /* of ZONE_DKIM; the domain's */
	bool required;			    /* the domain's status depends on it */
	char *name;			    /* whole, without a final dot */
	char *value;			    /* of TXT the text, not split; of MX the host */
	enum core_zone_state state;
	char *found; /* what DNS says, a line for each record; NULL: nothing, or not known */
};

/* "TXT" or "MX". */
const char *core_zone_type(const struct core_zone_record *record);

/* What it is for, in the words of the API. */
const char *core_zone_label(const struct core_zone_record *record);

/* The host that delivery reports come back to: [service] mail_from_mx, without which it is the host
   of [service] url or, where that is no domain name, this machine's. The caller owns it. */
char *core_zone_mx(const struct base_settings *settings);

/* The records of a domain whose keys have been read, in the order of the API: DKIM for each key, MX
   and SPF of the return path, DMARC. Of the keys only an active RSA one is required. The MX is
   core_zone_mx; SPF allows [service] spf, without which it allows that MX. Their states are
   those that the domain's findings tell. An array of struct core_zone_record, which the caller
   owns; it must not outlive the domain. */
GPtrArray *core_zone_records(
    const struct store_domain *domain, const struct base_settings *settings);

/* Sets required anew, after the state of a key has changed. */
void core_zone_set_required(struct core_zone_record *record);

/* What is kept of the records' states, as JSON, for the domain's findings. The caller owns it. */
char *core_zone_findings(const GPtrArray *records);

/* The part of a record's name in front of base ("send.mail" of "send.mail.example.com" for
   "example.com"), as a form of a DNS provider wants it. The caller owns it. */
char *core_zone_relative(const struct core_zone_record *record, const char *base);

/* The part of the name that one registers: what the names in such a form are relative to. Points
   into the name. */
const char *core_zone_apex(const char *domain);

/* Its value as a form of a DNS provider takes it: what has more than 255 bytes, as strings of at
   most so many, each in quotes, with a space between each two. The caller owns it. */
char *core_zone_text(const struct core_zone_record *record);

/* The record as a line of a zone file (RFC 1035 section 5.1), its name whole, a text in strings of
   at most 255 bytes, without a line end. The caller owns it. */
char *core_zone_line(const struct core_zone_record *record);

#endif
