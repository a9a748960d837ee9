/* The text of an email that has html alone. */
#ifndef CORE_DERIVE_H
#define CORE_DERIVE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "mail/template.h"

struct body;

/* Texts that were derived from html, variables still in them, for the next emails with the same
   html: most emails are made of a few. */
struct derived;

struct derived *core_derived_new(void);
void core_derived_free(struct derived *derived);
DEFINE_AUTO(derived, core_derived_free)

/* The text of this html, whose form with the values that lookup gives is filled; derived may be
   NULL, for an email alone: the text is the same with and without. The caller owns it. */
GBytes *core_derive_text(struct derived *derived, const struct body *html, GBytes *filled,
    mail_template_lookup lookup, void *context);

#endif
