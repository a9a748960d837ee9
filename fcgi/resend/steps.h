/* SPDX-License-Identifier: MIT */
/* Steps and connections of automations, and the designs of workflows (automation/design.h) that
   mean the same. */
#ifndef FCGI_RESEND_STEPS_H
#define FCGI_RESEND_STEPS_H

#include <glib.h>
#include <stdbool.h>

struct json;

/* Checks the shape of steps and connections: arrays of {key, type, config} and {from, to, type}
   with known types; connections may be NULL. INVALID. NOT_IMPLEMENTED, naming the member, for steps
   that the service does not have. */
bool fcgi_resend_steps_check(
    const struct json *steps, const struct json *connections, GError **error);

/* Returns {steps, connections} as JSON text: as they were given, with a config and a type for those
   that have none. The caller owns it. */
char *fcgi_resend_steps_form(const struct json *steps, const struct json *connections);

/* Returns the design that a form means, JSON text, which the caller owns. A node's id is the key of
   its step. INVALID, naming the step's key; NOT_IMPLEMENTED for a rule or a value that no design
   has. */
char *fcgi_resend_steps_design(const struct json *form, GError **error);

/* Returns the form that means a design; the caller owns it. NOT_IMPLEMENTED when there is none. */
char *fcgi_resend_steps_of(const char *design, GError **error);

/* The same without the configs of steps: also of a design whose trigger has a goal, an exit or
   another setting that no form has. NOT_IMPLEMENTED where a node is no step. */
char *fcgi_resend_steps_names(const char *design, GError **error);

#endif
