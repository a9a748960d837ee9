/* SPDX-License-Identifier: MIT */
/* Makes the emails whose copies the parts of a broadcast are. */
#include "broadcast/model.h"

#include "base/error.h"
#include "core/content.h"
#include "core/core.h"
#include "core/draft.h"
#include "core/submission.h"
#include "core/template_render.h"
#include "store/email.h"
#include "store/template.h"

/* Takes away the text that was derived from the html: it is derived for each person. */
static void
drop_text(struct store_email *email)
{
	for (guint i = 0; i < email->parts->len; i++)
		if (((const struct store_email_part *)email->parts->pdata[i])->role == PART_TEXT)
			g_ptr_array_remove_index(email->parts, i--);
}

/* Makes the model of a draft: subject and contents unfilled, without recipients. */
static bool
set_model(struct core *core, struct store_email *email, const struct broadcast_variant *variant,
    GError **error)
{
	AUTO(store_template)
	template = variant->template_id ? core_template_read(core->db, &email->workspace_id,
					      variant->template_id, error)
					: NULL;
	const char *subject = variant->subject ? variant->subject
			      : template       ? template->subject
					       : "";

	if (variant->template_id && !template)
		return false;
	if (!variant->text && !(template && template->text))
		drop_text(email);
	g_free(email->subject);
	email->subject = g_strdup(subject);
	email->type = EMAIL_BROADCAST;
	g_free(email->to);
	email->to = g_strdup("");
	g_ptr_array_set_size(email->recipients, 0);
	return true;
}

struct store_email *
broadcast_model_new(struct core *core, const struct base_id *workspace,
    const struct broadcast_content *content, guint number, GError **error)
{
	static const char *to[] = {"delivered@test.posthouse.invalid", NULL};
	struct broadcast_variant variant = broadcast_variant(content, number);
	const struct core_submission submission = {.from = content->from,
	    .to = to,
	    .reply_to = content->reply_to,
	    .subject = variant.subject,
	    .html = variant.html,
	    .text = variant.text,
	    .template_id = variant.template_id,
	    .tags = content->tags,
	    .topic_id = content->topic_id};
	AUTO(core_draft) draft = core_draft_new(core, workspace, &submission, error);

	if (!draft)
		return NULL;
	if (!core_content_unsubscribes(draft->email)) {
		base_invalid(error, "html must have {{unsubscribe_url}}");
		return NULL;
	}
	return set_model(core, draft->email, &variant, error) ? g_steal_pointer(&draft->email)
							      : NULL;
}
