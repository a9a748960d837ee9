/* SPDX-License-Identifier: MIT */
/* Reads DMARC records, and finds policies and organizational domains, as receivers do (RFC 9989).
   Asks DNS nothing itself. */
#ifndef DOMAIN_DMARC_H
#define DOMAIN_DMARC_H

#include <glib.h>
#include <stdbool.h>

struct dns_question;

/* The most queries of a walk up the tree of names (RFC 9989 section 4.10). */
#define DMARC_TREE 8

/* Whether a text is a DMARC record: its first tag is v=DMARC1. Blanks around "=" and ";" are
   allowed. */
bool domain_dmarc_is_record(const char *text);

/* Whether a receiver takes a policy from a DMARC record: p, sp and np are valid, or it has an
   address for reports, which makes it p=none (RFC 9989 section 4.7). */
bool domain_dmarc_has_policy(const char *text);

/* The value of a record's first tag of this name; NULL when there is none. Text that is no tag is
   passed over. The caller owns it. */
char *domain_dmarc_tag(const char *text, const char *tag);

/* Whether a tag of a record has this value, in any case. */
bool domain_dmarc_says(const char *text, const char *tag, const char *value);

/* The questions of the walk from a domain up: at the domain itself, then at its parents, at most
   DMARC_TREE. Those between it and its parent of seven labels are left out. The caller owns the
   array of struct dns_question. */
GPtrArray *domain_dmarc_tree(const char *domain);

/* Once the questions of its tree have their outcomes: the organizational domain of domain, which
   points into it; domain itself when no record is found. A question without an answer counts as no
   record. */
const char *domain_dmarc_organization(const char *domain, const GPtrArray *tree);

/* The policy that a domain without a record of its own has: the record of its organizational
   domain, or that of the public suffix above. NULL: none, or it is no policy. It lives as long as
   the tree. */
const char *domain_dmarc_inherited(const char *domain, const GPtrArray *tree);

/* The number of DMARC records in an answer; receivers take several for none. */
guint domain_dmarc_count(const struct dns_question *answered);

enum domain_dmarc_strength { DMARC_NONE, DMARC_QUARANTINE, DMARC_REJECT };

/* Its word: "none", "quarantine", "reject". */
const char *domain_dmarc_word(enum domain_dmarc_strength strength);

/* The policy that holds for a domain. Texts live as long as domain and tree. */
struct domain_dmarc_policy {
	const char
	    *found_at;	    /* the name of the record: "_dmarc.example.com"; NULL: there is none */
	const char *record; /* its text; NULL: none */
	const char *organization; /* the organizational domain */
	guint asked;	 /* the questions of the tree that the walk needed, from the first */
	bool has_policy; /* receivers take one from the record: the rest is set */
	bool is_testing; /* t=y: it is applied one step weaker */
	enum domain_dmarc_strength strength, applied;
};

/* The policy of a domain, once the questions of its tree have their outcomes: that of its own
   record, else of its organizational domain's (sp, else p), else of that with psd=y above. A
   question without an answer counts as no record. */
struct domain_dmarc_policy domain_dmarc_discover(const char *domain, const GPtrArray *tree);

#endif
