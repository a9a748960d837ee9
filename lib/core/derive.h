/* SPDX-License-Identifier: MIT */
/* What is derived from the html of an email: its text, and its links. */
#ifndef CORE_DERIVE_H
#define CORE_DERIVE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "mail/template.h"

struct store_email;
struct mail_links;

/* What a process keeps of that: texts with variables still in them, for the next emails with the
   same html, for most emails are made of a few; and texts and links of the last emails that have
   several copies, for the next of these: at most LIMIT_DERIVED_KEPT_BYTES. */
struct core_derived;

struct core_derived *core_derived_new(void);
void core_derived_free(struct core_derived *derived);
DEFINE_AUTO(core_derived, core_derived_free)

/* The html of an email as one copy has it. */
struct core_derive_source {
	const struct store_email *email;
	GBytes *filled;		     /* its html, filled with what lookup gives */
	const char *unsubscribe_url; /* the one value that copies differ in, and which has the same
					length in all; NULL: none */
	mail_template_lookup lookup;
	void *context;
};

/* Gives the text and the links, neither where its pointer is NULL. The html is parsed once for
   both, and for all copies of an email that are composed while it is kept. derived may be NULL, for
   an email alone: what comes is the same with and without. The caller owns both. */
void core_derive(struct core_derived *derived, const struct core_derive_source *source,
    GBytes **text_r, struct mail_links **links_r);

#endif
