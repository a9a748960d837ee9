/* SPDX-License-Identifier: MIT */
/* Writes the user who made something as JSON. */
#include "service/creator.h"

#include "config/settings.h"
#include "json/writer.h"
#include "store/workspace/creator.h"

void
service_creator_write(struct json_writer *writer, const struct store_creator *creator,
    const struct config_settings *settings)
{
	g_autofree char *avatar = NULL;
	char id[ID_TEXT_SIZE];

	if (creator->email && !creator->picture)
		avatar = g_strdup_printf("%s/avatar/%s.svg",
		    config_settings_text(settings, SETTING_SERVICE_URL),
		    base_id_format(&creator->id, id));
	json_writer_string(writer, "email", creator->email);
	json_writer_string(writer, "first_name", creator->first_name);
	json_writer_string(writer, "last_name", creator->last_name);
	json_writer_string(writer, "profile_picture", avatar ? avatar : creator->picture);
}
