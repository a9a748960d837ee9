/* SPDX-License-Identifier: MIT */
/* Brings event names into their normal form. */
#include "rule/event_name.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/workflow.h"

static const char *
event_name_skip_space(const char *text)
{
	while (*text && g_unichar_isspace(g_utf8_get_char(text)))
		text = g_utf8_next_char(text);
	return text;
}

static char *
event_name_trim(const char *given)
{
	const char *start = event_name_skip_space(given), *end = start;

	for (const char *at = start; *at; at = g_utf8_next_char(at))
		if (!g_unichar_isspace(g_utf8_get_char(at)))
			end = g_utf8_next_char(at);
	return g_strndup(start, (gsize)(end - start));
}

static bool
event_name_has_control(const char *text)
{
	for (; *text; text = g_utf8_next_char(text))
		if (g_unichar_iscntrl(g_utf8_get_char(text)))
			return true;
	return false;
}

char *
rule_event_name(const char *field, const char *given, GError **error)
{
	g_autofree char *trimmed = event_name_trim(given);
	g_autofree char *name = g_utf8_strdown(trimmed, -1);
	glong length = g_utf8_strlen(name, -1);

	if (length >= 1 && length <= LIMIT_EVENT_NAME_LENGTH && !event_name_has_control(name))
		return g_steal_pointer(&name);
	if (length >= 1 && length <= LIMIT_EVENT_NAME_LENGTH)
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "%s must not contain control characters", field);
	else
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s must be 1 to %d characters",
		    field, LIMIT_EVENT_NAME_LENGTH);
	return NULL;
}

bool
rule_event_name_reserved(const char *name)
{
	return g_str_has_prefix(name, EVENT_NAME_RESERVED);
}

/* Those that are told to one workflow alone come first. */
static const char *const own_names[] = {"workflow.started", "schedule.due", "date.reached",
    "person.created", "contact.created", "contact.confirmed", "contact.updated",
    "contact.unsubscribed", "contact.deleted", "topic.joined", "topic.left", "form.submitted",
    "person.updated", "segment.entered", "segment.left"};
#define START_NAMES 3

static bool
event_name_is_among(const char *name, gsize count)
{
	for (gsize i = 0; i < count; i++)
		if (strcmp(name, own_names[i]) == 0)
			return true;
	return false;
}

bool
rule_event_name_is_own(const char *name)
{
	return event_name_is_among(name, G_N_ELEMENTS(own_names));
}

bool
rule_event_name_is_start(const char *name)
{
	return event_name_is_among(name, START_NAMES);
}
