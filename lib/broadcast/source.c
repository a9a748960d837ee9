/* SPDX-License-Identifier: MIT */
/* Reads the sources of variants, and puts them together with the templates that they include. */
#include "broadcast/source.h"

#include <string.h>

#include "base/error.h"
#include "content/template_link.h"
#include "content/template_render.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/template/template.h"
#include "template/template.h"

#define UNSUBSCRIBE "unsubscribe_url"

void
broadcast_source_free(struct broadcast_source *source)
{
	g_free(source->subject);
	g_free(source->variables);
	g_clear_pointer(&source->html, g_bytes_unref);
	g_clear_pointer(&source->text, g_bytes_unref);
	g_free(source);
}

static bool
check_part(const char *part, const char *source,
    bool (*check)(const char *source, gsize size, GError **error), GError **error)
{
	if (!source || check(source, strlen(source), error))
		return true;
	g_prefix_error(error, "%s: ", part);
	return false;
}

static GBytes *
source_copy(const char *text)
{
	return text && *text ? g_bytes_new(text, strlen(text)) : NULL;
}

/* Checks html and text that a request gives. *linked_r (may be NULL): with what they include; the
   caller frees it. */
static bool
link_own(struct service *service, const struct base_id *workspace,
    const struct broadcast_variant *own, struct store_template **linked_r, GError **error)
{
	AUTO(store_template) template = g_new0(struct store_template, 1);

	if (!check_part("subject", own->subject, template_check_subject, error) ||
	    !check_part("preview_text", own->preview_text, template_check_subject, error) ||
	    !check_part("html", own->html, template_check, error) ||
	    !check_part("text", own->text, template_check, error))
		return false;
	template->id = g_strdup("");
	template->workspace_id = *workspace;
	template->html = source_copy(own->html);
	template->text = source_copy(own->text);
	template->preview = g_strdup(own->preview_text);
	if (!content_template_link(service->db, template, error))
		return false;
	if (linked_r)
		*linked_r = g_steal_pointer(&template);
	return true;
}

bool
broadcast_source_check(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	const struct broadcast_variant own = {
	    content->subject, content->html, content->text, NULL, content->preview_text};

	if (!link_own(service, workspace, &own, NULL, error))
		return false;
	for (guint i = 0; content->variants && i < content->variants->len; i++)
		if (!link_own(service, workspace,
			&g_array_index(content->variants, struct broadcast_variant, i), NULL,
			error))
			return false;
	return true;
}

/* Takes what the variant does not give itself from its template. */
static bool
source_take_template(struct service *service, const struct base_id *workspace, const char *id,
    const char *preview, struct broadcast_source *source, GError **error)
{
	AUTO(store_template) template =
	    content_template_read(service->db, workspace, id, preview, error);

	if (!template) {
		/* In a body, a thing that is not there is a fault of the body. */
		if (error && g_error_matches(*error, PH_ERROR, PH_ERROR_NOT_FOUND))
			(*error)->code = PH_ERROR_INVALID;
		return false;
	}
	if (!source->subject)
		source->subject = g_strdup(template->subject);
	source->html = g_bytes_ref(template->html);
	if (!source->text && template->text)
		source->text = g_bytes_ref(template->text);
	source->variables = g_strdup(template->variables);
	return true;
}

struct broadcast_source *
broadcast_source_read(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, guint number, GError **error)
{
	AUTO(broadcast_source) source = g_new0(struct broadcast_source, 1);
	const struct broadcast_variant variant = broadcast_variant(content, number);
	struct store_template *found = NULL;

	if (!link_own(service, workspace, &variant, &found, error))
		return NULL;
	AUTO(store_template) linked = found;
	source->subject = g_strdup(variant.subject);
	source->html = g_steal_pointer(&linked->html);
	source->text = g_steal_pointer(&linked->text);
	source->is_inline = !variant.template_id;
	if (variant.template_id && !source_take_template(service, workspace, variant.template_id,
				       variant.preview_text, source, error))
		return NULL;
	return g_steal_pointer(&source);
}

static bool
source_refers(GBytes *bytes)
{
	gsize size;
	const char *source = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	return source && template_refers(source, size, UNSUBSCRIBE);
}

bool
broadcast_source_is_whole(const struct broadcast_source *source, GError **error)
{
	if (!source->subject || !*source->subject)
		return base_invalid(error, "subject is required");
	return source->html || source->text ||
	       base_invalid(error, "html or text is required when template_id is absent");
}

bool
broadcast_source_unsubscribes(const struct broadcast_source *source)
{
	return source_refers(source->html ? source->html : source->text);
}

void
broadcast_source_put(const struct broadcast_source *source, struct store_email *email)
{
	g_ptr_array_set_size(email->parts, 0);
	if (source->html)
		store_email_add_part(email, PART_HTML, g_bytes_ref(source->html), NULL, NULL, NULL);
	if (source->text)
		store_email_add_part(email, PART_TEXT, g_bytes_ref(source->text), NULL, NULL, NULL);
	g_free(email->subject);
	email->subject = g_strdup(source->subject ? source->subject : "");
	if (!email->variables)
		email->variables = g_strdup(source->variables ? source->variables : "{}");
}
