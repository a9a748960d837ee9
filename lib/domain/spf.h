/* SPDX-License-Identifier: MIT */
/* Reads SPF records as receivers do (RFC 7208). Asks DNS nothing itself, and uses no clock. */
#ifndef DOMAIN_SPF_H
#define DOMAIN_SPF_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "dns/question.h"

/* Receivers look up so many times for one record, with those that it includes, and so often for
   nothing (RFC 7208 section 4.6.4); more is an error. */
#define SPF_LOOKUPS 10
#define SPF_VOID_LOOKUPS 2
/* A longer record is an error. It would not fit into an answer of 512 bytes many times over. */
#define SPF_BYTES 16384
/* The mechanisms of our record that are looked for. */
#define SPF_WANTED 64

/* The DNS answers that a record needs: those that are known, and the questions that a judgement
   missed. */
struct domain_spf_lookups {
	GHashTable *known; /* of struct dns_question, by type and name */
	GPtrArray *wanted; /* of struct dns_question, not asked yet; the same ones, borrowed */
};

/* Lookups without a question. The caller frees them. */
struct domain_spf_lookups *domain_spf_lookups_new(void);
void domain_spf_lookups_free(struct domain_spf_lookups *lookups);
DEFINE_AUTO(domain_spf_lookups, domain_spf_lookups_free)

enum domain_spf_state {
	SPF_PASSES,
	SPF_SEEMS_TO_PASS, /* it names all that it has to, but a DNS answer that counts is lacking
			    */
	SPF_UNKNOWN,	   /* what it lacks may stand in a record that DNS has not answered for */
	SPF_FAILS,
};

/* Whether the SPF record text of name lets all servers pass that our record lets pass: each of our
   mechanisms, or for an address a network that contains it, stands in the record or in one that it
   includes or redirects to, and is reached: no "all" stands in front of it, and no mechanism with
   "-", "~" or "?" that has such a server. Nor is the record an error (permerror) to a receiver on
   the way there: by its syntax, its look-ups, or a record that it includes.
   A question that lookups does not know is put to its wanted ones; once they have their outcomes,
   the caller judges again, until there are none. lookups may be NULL: nothing is known then, and
   the text alone is judged. *fault_r is why it fails, a static text; NULL otherwise. */
enum domain_spf_state domain_spf_judge(const char *text, const char *ours, const char *name,
    struct domain_spf_lookups *lookups, const char **fault_r);

/* Whether text is an SPF record at all (RFC 7208 section 4.5). */
bool domain_spf_is_record(const char *text);

/* The SPF record among the texts of an answer; NULL when there is none, or several. *count_r is
   how many there are. */
const char *domain_spf_record(const struct dns_question *answered, guint *count_r);

#endif
