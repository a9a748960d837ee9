/* SPDX-License-Identifier: MIT */
/* created_by. */
#include "fcgi/handlers/creator_view.h"

#include "base/settings.h"
#include "json/writer.h"
#include "store/creator.h"

void
fcgi_creator_view_write(struct json_writer *writer, const struct base_settings *settings,
    const struct store_creator *creator)
{
	g_autofree char *avatar = NULL;
	char id[ID_TEXT_SIZE];

	if (creator->email && !creator->picture)
		avatar = g_strdup_printf("%s/avatar/%s.svg",
		    base_settings_text(settings, SETTING_SERVICE_URL),
		    base_id_format(&creator->id, id));
	json_writer_string(writer, "email", creator->email);
	json_writer_string(writer, "first_name", creator->first_name);
	json_writer_string(writer, "last_name", creator->last_name);
	json_writer_string(writer, "profile_picture", avatar ? avatar : creator->picture);
}
