#ifndef CORE_TEMPLATE_H
#define CORE_TEMPLATE_H

#include <glib.h>
#include <stdbool.h>

struct template;

/* Whether a template can be stored: id, name, html, text, subject and defaults. INVALID, naming the
 * field. */
bool core_template_check(const struct template *template, GError **error);

#endif
