/* SPDX-License-Identifier: MIT */
/* The DNS records that a sending domain needs. Makes no DNS queries and uses no clock. */
#ifndef DOMAIN_ZONE_H
#define DOMAIN_ZONE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct store_domain;
struct store_domain_key;
struct config_settings;

enum domain_zone_purpose {
	ZONE_DKIM, /* the public half of a key */
	ZONE_MX,   /* the host that receives delivery reports */
	ZONE_SPF,  /* the hosts that may send with that return path */
	ZONE_DMARC,
	ZONE_RECEIVING, /* the host that takes the domain's mail */
	ZONE_TLS,	/* where reports about TLS go (RFC 8460) */
	ZONE_TRACKING,	/* the host of the domain's links is this installation */
};

/* The state of a record, by the last answer of DNS. */
enum domain_zone_state {
	ZONE_UNKNOWN, /* DNS has not answered */
	ZONE_FOUND,
	ZONE_MISSING,
	ZONE_WRONG,
};

/* Returns the API's word for a state; NULL for ZONE_UNKNOWN. */
const char *domain_zone_state_name(enum domain_zone_state state);

/* The MX of a domain's return paths. */
#define ZONE_MX_PRIORITY 10
#define ZONE_MX_PRIORITY_TEXT G_STRINGIFY(ZONE_MX_PRIORITY)

/* One record. */
struct domain_zone_record {
	enum domain_zone_purpose purpose;
	const struct store_domain_key *key; /* of ZONE_DKIM; the domain owns it */
	bool required;			    /* the domain's status depends on it */
	char *name;			    /* the full name, without a final dot */
	char *value;			    /* of TXT the text, unsplit; of MX and CNAME the host */
	enum domain_zone_state state;
	char *found; /* the answer of DNS, a line for each record; NULL: none, or not known */
	const char
	    *fault; /* why an SPF record that was looked up just now fails; NULL: not known */
};

/* "TXT", "MX" or "CNAME". */
const char *domain_zone_type(const struct domain_zone_record *record);

/* Whether it is an MX, which has a priority. */
bool domain_zone_is_mx(const struct domain_zone_record *record);

/* The purpose, in the words of the API. */
const char *domain_zone_label(const struct domain_zone_record *record);

/* The host that receives delivery reports: [service] mail_from_mx; if that is not set, the host of
   [service] url; if that is no domain name, the name of this machine. The caller owns it. */
char *domain_zone_mx(const struct config_settings *settings);

/* The host to which tracking hosts lead: [service] tracking_host, or the host of [service] url.
   NULL where that is an address. The caller owns it. */
char *domain_zone_target(const struct config_settings *settings);
/* The address to which reports about the domain go, d+TOKEN@send.DOMAIN. It has a token that names
   the domain, and is public. The caller owns it. */
char *domain_zone_report_address(
    const struct store_domain *domain, const struct config_settings *settings);

/* Makes the records of a domain whose keys have been read, in the order of the API: DKIM for each
   key, MX and SPF of the return path, DMARC; for a domain that receives, its MX and the address of
   reports about TLS, too, and for one with a tracking host its CNAME, which are not required. Among
   the keys only active RSA keys are required. The MX is domain_zone_mx, and not required where the
   relays of the domain's route need none; SPF allows [service] spf or, if that is not set, the MX.
   The states are those in the domain's findings. The result is an array of struct
   domain_zone_record, which the caller frees before the domain. */
GPtrArray *domain_zone_records(
    const struct store_domain *domain, const struct config_settings *settings);

/* Updates required after the state of a key has changed. */
void domain_zone_set_required(struct domain_zone_record *record);

/* The states of the records as JSON, to be stored as the domain's findings. The caller owns it. */
char *domain_zone_findings(const GPtrArray *records);

/* The part of a record's name in front of base, as the form of a DNS provider asks for it:
   "send.mail" of "send.mail.example.com" for "example.com"; "@" of "example.com". The caller owns
   it. */
char *domain_zone_relative(const struct domain_zone_record *record, const char *base);

/* The registrable part of a name, which names in such a form are relative to. Points into the
   name. */
const char *domain_zone_apex(const char *domain);

/* A record's value as the form of a DNS provider takes it: a text of more than 255 bytes is split
   into quoted strings of at most 255 bytes, separated by spaces. The caller owns it. */
char *domain_zone_text(const struct domain_zone_record *record);

/* A record as a line of a zone file (RFC 1035 section 5.1): the full name, a text in strings of at
   most 255 bytes, without a line end. The caller owns it. */
char *domain_zone_line(const struct domain_zone_record *record);

#endif
