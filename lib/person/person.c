/* SPDX-License-Identifier: MIT */
/* Checks properties of people, and their definitions. */
#include "person/person.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/person.h"
#include "base/limits/workflow.h"
#include "json/value.h"
#include "property/property.h"
#include "service/service.h"
#include "text/language.h"
#include "text/time_zone.h"

bool
person_check_language(const char *language, GError **error)
{
	return !language ||
	       (strlen(language) <= LIMIT_LANGUAGE_LENGTH && text_language_is_tag(language)) ||
	       base_invalid(error, "language must be a BCP 47 language tag");
}

bool
person_check_time_zone(const char *time_zone, GError **error)
{
	return !time_zone ||
	       (strlen(time_zone) <= LIMIT_TIME_ZONE_LENGTH && text_time_zone_is_name(time_zone)) ||
	       base_invalid(error, "time_zone must be an IANA time zone");
}

bool
person_check_defined(const GPtrArray *definitions, const struct json *properties, GError **error)
{
	for (guint i = 0; i < definitions->len; i++) {
		const struct store_property *property = definitions->pdata[i];
		g_autofree char *what = g_strconcat("properties.", property->key, NULL);

		if (!property_check_value(
			what, property->type, json_member_get(properties, property->key), error))
			return false;
	}
	return true;
}

bool
person_check_properties(struct service *service, const struct base_id *workspace,
    const struct json *properties, GError **error)
{
	if (json_member_count(properties) == 0)
		return true;
	g_autoptr(GPtrArray) definitions = store_property_list(service->db, workspace, error);
	return definitions && person_check_defined(definitions, properties, error);
}

bool
person_check_size(const char *properties, GError **error)
{
	return strlen(properties) <= LIMIT_CONTACT_PROPERTIES_BYTES ||
	       base_invalid(
		   error, "properties must be at most %d bytes", LIMIT_CONTACT_PROPERTIES_BYTES);
}
