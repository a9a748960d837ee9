/* From a request to an email that is stored and due. */
#include "core/submit.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/attach.h"
#include "core/core.h"
#include "core/envelope.h"
#include "core/extras.h"
#include "core/submission.h"
#include "core/variables.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "mail/address.h"
#include "mail/template.h"
#include "store/domain.h"
#include "store/template.h"

/* What a submission becomes, on its way. */
struct draft {
	const struct submission *submission;
	struct email *email;
	struct mail_address *from;
	struct template *template;
	GPtrArray *contents; /* of the attachments */
	const struct claim *claim;
	struct idempotency *idempotency;
	struct copy copy;
};

static void
draft_clear(struct draft *draft)
{
	g_clear_pointer(&draft->email, store_email_free);
	g_clear_pointer(&draft->from, mail_address_free);
	g_clear_pointer(&draft->template, store_template_free);
	g_clear_pointer(&draft->contents, g_ptr_array_unref);
}

void
core_submitted_clear(struct submitted *submitted)
{
	g_clear_pointer(&submitted->answer, g_free);
	g_clear_pointer(&submitted->email, store_email_free);
}

static bool
invalid(GError **error, const char *text)
{
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, text);
	return false;
}

static bool
check_together(const struct submission *s, GError **error)
{
	if (s->html && s->template_id)
		return invalid(error, "html is not allowed together with template_id");
	if (!s->html && !s->template_id)
		return invalid(error, "html is required when template_id is absent");
	if (!s->subject && !s->template_id)
		return invalid(error, "subject is required");
	if (s->scheduled_at > base_clock_now() + LIMIT_SCHEDULE_MS)
		return invalid(error, "scheduled_at must be at most 30 days ahead");
	for (const char *p = s->subject; p && *p; p++)
		if (g_ascii_iscntrl(*p))
			return invalid(error, "subject must not contain control characters");
	return true;
}

/* The template with this id, checked again: what is stored may be older than the rules. */
static struct template *
find_template(struct core *core, const struct id *workspace, const char *id, GError **error)
{
	g_autoptr(GError) local = NULL;
	AUTO(template) template = store_template_get(core->db, workspace, id, &local);

	if (!template) {
		if (g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
			invalid(error, "Template not found");
		else
			g_propagate_error(error, g_steal_pointer(&local));
		return NULL;
	}
	gsize size;
	const char *html = g_bytes_get_data(template->html, &size);
	if (!mail_template_check(html, size, NULL)) {
		invalid(error, "Template has no valid HTML");
		return NULL;
	}
	return g_steal_pointer(&template);
}

static bool
set_variables(struct draft *draft, GError **error)
{
	const char *defaults = draft->template ? draft->template->variables : NULL;
	AUTO(variables) variables = core_variables_parse(defaults, error);
	const char *subject = draft->submission->subject;

	if (!variables || !core_variables_add(variables, draft->submission->variables, error))
		return false;
	if (!subject)
		subject = draft->template->subject;
	if (!subject)
		return invalid(error, "subject is required");
	draft->email->variables = core_variables_print(variables);
	draft->email->subject = mail_template_render(subject, strlen(subject), MAIL_TEMPLATE_HEADER,
	    core_variables_lookup, variables, NULL, error);
	return draft->email->subject != NULL;
}

static void
add_text(struct email *email, enum part_role role, const char *given, GBytes *stored)
{
	g_autoptr(GBytes) data = given	  ? g_bytes_new(given, strlen(given))
				 : stored ? g_bytes_ref(stored)
					  : NULL;

	if (data)
		store_email_add_part(email, role, data, NULL, NULL, NULL);
}

static bool
set_content(struct core *core, struct draft *draft, GError **error)
{
	const struct submission *s = draft->submission;
	struct email *email = draft->email;

	if (s->template_id) {
		draft->template = find_template(core, &email->workspace_id, s->template_id, error);
		if (!draft->template)
			return false;
	}
	if (!set_variables(draft, error) ||
	    !core_extras_headers(s->headers, &email->headers, error) ||
	    !core_extras_tags(s->tags, &email->tags, error))
		return false;
	email->template_id = g_strdup(s->template_id);
	add_text(email, PART_HTML, s->html, draft->template ? draft->template->html : NULL);
	add_text(email, PART_TEXT, s->text, draft->template ? draft->template->text : NULL);
	return true;
}

static bool
set_domain(struct core *core, struct draft *draft, GError **error)
{
	const char *name = mail_address_domain(draft->from);
	g_autoptr(GError) local = NULL;
	AUTO(domain)
	domain = store_domain_find_sender(core->db, &draft->email->workspace_id, name, &local);

	if (!domain) {
		if (g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
			g_set_error(error, PH_ERROR, PH_ERROR_FORBIDDEN,
			    "Domain %s is not registered", name);
		else
			g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
	if (!store_domain_verified(domain)) {
		g_set_error(error, PH_ERROR, PH_ERROR_FORBIDDEN, "Domain %s is not verified", name);
		return false;
	}
	draft->email->domain_id = domain->id;
	draft->email->domain = g_strdup(domain->name);
	return true;
}

static void
set_copy(struct draft *draft)
{
	const struct email *email = draft->email;
	struct copy *copy = &draft->copy;

	*copy = (struct copy){
	    .id = base_id_new(),
	    .workspace_id = email->workspace_id,
	    .email_id = email->id,
	    .count = email->recipients->len,
	    .since = email->scheduled_at ? email->scheduled_at : email->created,
	};
	for (guint i = 0; i < copy->count; i++)
		copy->recipients[i] = (guint16)i;
}

static bool
build(struct core *core, struct draft *draft, GError **error)
{
	const struct submission *s = draft->submission;

	if (!check_together(s, error) || !core_envelope_read(s, draft->email, &draft->from, error))
		return false;
	draft->contents = core_attach_decode(s, error);
	if (!draft->contents || !set_content(core, draft, error) ||
	    !set_domain(core, draft, error) ||
	    !core_attach_add(core, s, draft->contents, draft->email, error))
		return false;
	if (s->scheduled_at > draft->email->created)
		draft->email->scheduled_at = s->scheduled_at;
	set_copy(draft);
	return true;
}

static char *
answer_of(const struct email *email)
{
	AUTO(json_writer) writer = json_writer_new();
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&email->id, id));
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static bool
store(struct db *db, void *context, GError **error)
{
	struct draft *draft = context;
	const struct email *email = draft->email;

	return (!draft->idempotency ||
		   store_idempotency_take(db, draft->idempotency, email->created, error)) &&
	       store_email_insert(db, email, error) &&
	       store_outbox_insert(db, &draft->copy, 1, draft->copy.since,
		   email->scheduled_at ? NULL : draft->claim, error);
}

/* The answer that an earlier request with this key got, if there is one. */
static bool
replay(
    struct core *core, struct idempotency *idempotency, struct submitted *submitted, GError **error)
{
	if (!store_idempotency_find(core->db, idempotency, base_clock_now(), error))
		return false;
	if (idempotency->answer) {
		submitted->replayed = true;
		submitted->answer = g_steal_pointer(&idempotency->answer);
	}
	return true;
}

static bool
store_draft(struct core *core, struct draft *draft, struct submitted *submitted, GError **error)
{
	g_autoptr(GError) local = NULL;
	g_autofree char *answer = answer_of(draft->email);

	if (draft->idempotency) {
		draft->idempotency->status = 201;
		draft->idempotency->answer = answer;
	}
	if (db_transact(core->db, store, draft, &local)) {
		submitted->email = g_steal_pointer(&draft->email);
		submitted->copy = draft->copy;
		submitted->answer = g_steal_pointer(&answer);
		return true;
	}
	if (!draft->idempotency || !g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT)) {
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
	/* Another request with this key was faster. */
	if (!replay(core, draft->idempotency, submitted, error))
		return false;
	if (submitted->replayed)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT,
	    "A request with this Idempotency-Key is still in progress");
	return false;
}

bool
core_submit(struct core *core, const struct key *key, const struct submission *submission,
    struct idempotency *idempotency, const struct claim *claim, struct submitted *submitted_r,
    GError **error)
{
	struct draft draft = {.submission = submission, .claim = claim, .idempotency = idempotency};

	*submitted_r = (struct submitted){0};
	if (idempotency && !replay(core, idempotency, submitted_r, error))
		return false;
	if (submitted_r->replayed)
		return true;
	draft.email = store_email_new();
	draft.email->workspace_id = key->workspace_id;
	draft.email->type = EMAIL_TRANSACTIONAL;
	bool done = build(core, &draft, error) && store_draft(core, &draft, submitted_r, error);
	draft_clear(&draft);
	return done;
}
