/* SPDX-License-Identifier: MIT */
/* Words what a value must be. */
#include "json/kinds.h"

#include "json/field.h"
#include "json/place.h"
#include "json/value.h"

bool
json_kinds_fail(const struct json_place *place, unsigned kinds, GError **error)
{
	static const struct {
		unsigned kinds;
		const char *name;
	} names[] = {
	    {JSON_KIND(JSON_STRING), "a string"},
	    {JSON_KIND(JSON_NUMBER), "a number"},
	    {JSON_KIND(JSON_INTEGER), "an integer"},
	    {JSON_KIND(JSON_BOOLEAN), "a boolean"},
	    {JSON_KIND(JSON_ARRAY), "an array"},
	    {JSON_KIND(JSON_OBJECT), "an object"},
	};
	g_autoptr(GString) text = g_string_new(NULL);

	if (kinds & JSON_KIND(JSON_NUMBER))
		kinds &= ~JSON_KIND(JSON_INTEGER);
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		if (!(kinds & names[i].kinds))
			continue;
		kinds &= ~names[i].kinds;
		if (text->len > 0)
			g_string_append(text, kinds ? ", " : " or ");
		g_string_append(text, names[i].name);
	}
	return json_place_fail(place, error, "must be %s", text->str);
}
