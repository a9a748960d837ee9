/* SPDX-License-Identifier: MIT */
/* The picture of a user who has none (/avatar). */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "base/error.h"
#include "fcgi/api/context.h"
#include "service/service.h"
#include "store/workspace/creator.h"

#define SUFFIX ".svg"
#define MAX_AGE "public, max-age=3600"

static bool
creator_parse(const char *file, struct base_id *id_r)
{
	if (!g_str_has_suffix(file, SUFFIX))
		return false;
	g_autofree char *text = g_strndup(file, strlen(file) - strlen(SUFFIX));
	return base_id_parse(text, id_r);
}

/* Appends the first visible character of a name, in upper case. */
static void
append_initial(GString *initials, const char *name)
{
	while (name && *name && !g_unichar_isgraph(g_utf8_get_char(name)))
		name = g_utf8_next_char(name);
	if (name && *name)
		g_string_append_unichar(initials, g_unichar_toupper(g_utf8_get_char(name)));
}

/* The initials of the name or, without a name, of the address; escaped for XML. The caller owns
 * them. */
static char *
initials_of(const struct store_creator *user)
{
	g_autoptr(GString) initials = g_string_new(NULL);

	append_initial(initials, user->first_name);
	append_initial(initials, user->last_name);
	if (initials->len == 0)
		append_initial(initials, user->email);
	return g_markup_escape_text(initials->str, -1);
}

/* A hue (0 to 359) that depends on the id alone. */
static guint
hue_of(const struct base_id *id)
{
	guint sum = 0;

	for (gsize i = 0; i < sizeof(id->bytes); i++)
		sum = sum * 31 + id->bytes[i];
	return sum % 360;
}

static char *
creator_draw(const struct store_creator *user)
{
	g_autofree char *initials = initials_of(user);

	return g_strdup_printf(
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"64\" height=\"64\""
	    " viewBox=\"0 0 64 64\" role=\"img\" aria-label=\"%s\">"
	    "<rect width=\"64\" height=\"64\" fill=\"hsl(%u,45%%,40%%)\"/>"
	    "<text x=\"32\" y=\"41\" font-family=\"sans-serif\" font-size=\"26\" fill=\"#fff\""
	    " text-anchor=\"middle\">%s</text></svg>\n",
	    initials, hue_of(&user->id), initials);
}

bool
fcgi_avatar_get(struct fcgi_call *call, GError **error)
{
	struct store_creator user;
	struct base_id id;

	if (!creator_parse(call->arguments[0], &id)) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "User not found");
		return false;
	}
	if (!service_ensure(call->service, error) ||
	    !store_creator_get(call->service->db, &id, &user, error))
		return false;
	char *svg = creator_draw(&user);
	store_creator_clear(&user);
	fcgi_reply_document(
	    call->reply, "image/svg+xml", g_bytes_new_take(svg, strlen(svg)), MAX_AGE);
	fcgi_reply_header(call->reply, "Content-Security-Policy", "default-src 'none'");
	return true;
}
