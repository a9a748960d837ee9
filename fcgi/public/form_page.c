/* SPDX-License-Identifier: MIT */
/* Draws forms. */
#include "fcgi/public/form_page.h"

#include <string.h>

#include "base/error.h"
#include "consent/form.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "fcgi/public/choices.h"
#include "fcgi/public/form_body.h"
#include "fcgi/public/sheet.h"
#include "json/strict.h"
#include "service/service.h"
#include "store/consent/form.h"
#include "store/consent/topic.h"
#include "store/person/property.h"
#include "store/workspace/preference_page.h"
#include "text/hostname.h"

/* A form as it is drawn. */
struct drawing {
	GString *html;
	const struct store_form *form;
	const char *const *words;
	GPtrArray *properties;		    /* of struct store_property */
	GPtrArray *topics;		    /* of struct store_topic */
	bool wrong;			    /* the address is none */
	const struct fcgi_form_body *typed; /* NULL: nothing */
};

static void
form_page_append(
    const struct drawing *drawing, const char *before, const char *text, const char *after)
{
	g_autofree char *escaped = g_markup_escape_text(text, -1);

	g_string_append_printf(drawing->html, "%s%s%s", before, escaped, after);
}

/* The text that was typed into a field; NULL: none. */
static const char *
typed_into(const struct drawing *drawing, const char *name)
{
	return drawing->typed ? g_hash_table_lookup(drawing->typed->values, name) : NULL;
}

/* Appends a label and its field, with the text that was typed. attributes: trusted HTML. */
static void
append_field(
    const struct drawing *drawing, const char *name, const char *label, const char *attributes)
{
	form_page_append(drawing, "<p><label for=\"field-", name, "\">");
	form_page_append(drawing, "", label, "</label>\n");
	form_page_append(drawing, "<input id=\"field-", name, "\"");
	form_page_append(drawing, " name=\"", name, "\"");
	const char *typed = typed_into(drawing, name);
	if (typed && strstr(attributes, "checkbox"))
		g_string_append(drawing->html, " checked");
	else if (typed)
		form_page_append(drawing, " value=\"", typed, "\"");
	g_string_append_printf(drawing->html, " %s></p>\n", attributes);
}

static const struct store_property *
form_page_find_property(const struct drawing *drawing, const char *key)
{
	for (guint i = 0; i < drawing->properties->len; i++) {
		const struct store_property *property = drawing->properties->pdata[i];

		if (strcmp(property->key, key) == 0)
			return property;
	}
	return NULL;
}

static void
append_named(const struct drawing *drawing, const char *key)
{
	static const char *const attributes[] = {
	    [PROPERTY_STRING] = "type=\"text\"",
	    [PROPERTY_NUMBER] = "type=\"number\" step=\"any\"",
	    [PROPERTY_BOOLEAN] = "type=\"checkbox\" value=\"true\"",
	    [PROPERTY_DATE] = "type=\"date\"",
	};
	const struct store_property *property = form_page_find_property(drawing, key);

	if (strcmp(key, "first_name") == 0)
		append_field(drawing, key, drawing->words[WORD_FIRST_NAME],
		    "type=\"text\" maxlength=\"100\" autocomplete=\"given-name\"");
	else if (strcmp(key, "last_name") == 0)
		append_field(drawing, key, drawing->words[WORD_LAST_NAME],
		    "type=\"text\" maxlength=\"100\" autocomplete=\"family-name\"");
	else if (property)
		append_field(drawing, key, key, attributes[property->type]);
}

static void
append_fields(const struct drawing *drawing)
{
	const char *text = drawing->form->fields;
	AUTO(json) fields = json_parse_any(text, strlen(text), NULL);

	append_field(drawing, "email", drawing->words[WORD_EMAIL],
	    drawing->wrong ? "type=\"email\" required autocomplete=\"email\""
			     " aria-invalid=\"true\" aria-describedby=\"note\""
			   : "type=\"email\" required autocomplete=\"email\"");
	for (gsize i = 0; i < json_array_length(fields); i++)
		append_named(drawing, json_string(json_array_at(fields, i), NULL));
}

static bool
is_typed_topic(const struct drawing *drawing, const char *id)
{
	return drawing->typed &&
	       g_ptr_array_find_with_equal_func(drawing->typed->topics, id, g_str_equal, NULL);
}

static void
append_topic(const struct drawing *drawing, guint number, const struct store_topic *topic)
{
	char id[ID_TEXT_SIZE];

	base_id_format(&topic->id, id);
	g_string_append_printf(drawing->html,
	    "<div><input type=\"checkbox\" id=\"topic-%u\" name=\"topic\" value=\"%s\"%s>"
	    "<label for=\"topic-%u\">",
	    number, id, is_typed_topic(drawing, id) ? " checked" : "", number);
	form_page_append(drawing, "", topic->name, "</label></div>\n");
}

static void
form_page_append_topics(const struct drawing *drawing)
{
	if (drawing->topics->len == 0)
		return;
	form_page_append(
	    drawing, "<fieldset>\n<legend>", drawing->words[WORD_TOPICS], "</legend>\n");
	for (guint i = 0; i < drawing->topics->len; i++)
		append_topic(drawing, i, drawing->topics->pdata[i]);
	g_string_append(drawing->html, "</fieldset>\n");
}

/* A field that no person sees; programs fill it in. hide: trusted HTML. */
static void
append_trap(const struct drawing *drawing, const char *hide)
{
	g_string_append_printf(drawing->html, "<div %s aria-hidden=\"true\">", hide);
	form_page_append(
	    drawing, "<label for=\"field-website\">", drawing->words[WORD_TRAP], "</label>");
	g_string_append(drawing->html,
	    "<input id=\"field-website\" name=\"website\" type=\"text\" tabindex=\"-1\""
	    " autocomplete=\"off\"></div>\n");
}

static void
append_form(const struct drawing *drawing, const char *hide)
{
	append_fields(drawing);
	form_page_append_topics(drawing);
	append_trap(drawing, hide);
	form_page_append(drawing, "<p><button type=\"submit\">", drawing->words[WORD_SUBSCRIBE],
	    "</button></p>\n</form>\n");
}

/* The topics that the form offers, as far as they are there. The caller owns the array. */
static GPtrArray *
form_page_read_topics(struct db *db, const struct store_form *form, GError **error)
{
	AUTO(json) offered = json_parse_any(form->topics, strlen(form->topics), NULL);
	g_autoptr(GPtrArray) topics = g_ptr_array_new_with_free_func(store_topic_destroy);
	struct base_id id;

	for (gsize i = 0; i < json_array_length(offered); i++) {
		g_autoptr(GError) failure = NULL;
		struct store_topic *topic =
		    base_id_parse(json_string(json_array_at(offered, i), NULL), &id)
			? store_topic_get(db, &form->workspace_id, &id, &failure)
			: NULL;

		if (topic)
			g_ptr_array_add(topics, topic);
		else if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return NULL;
		}
	}
	return g_steal_pointer(&topics);
}

/* Reads what is drawn; clear it with clear. */
static bool
read_drawing(struct fcgi_call *call, const struct store_form *form, struct drawing *drawing_r,
    guint *language_r, GError **error)
{
	struct db *db = call->service->db;
	const char *accepted = fcgi_request_header(call->request, "HTTP_ACCEPT_LANGUAGE");

	*language_r = fcgi_choices_language(NULL, accepted);
	*drawing_r = (struct drawing){.form = form, .words = fcgi_words[*language_r]};
	drawing_r->properties = store_property_list(db, &form->workspace_id, error);
	drawing_r->topics = drawing_r->properties ? form_page_read_topics(db, form, error) : NULL;
	return drawing_r->topics != NULL;
}

static void
form_page_clear(struct drawing *drawing)
{
	g_clear_pointer(&drawing->properties, g_ptr_array_unref);
	g_clear_pointer(&drawing->topics, g_ptr_array_unref);
}

static void
form_page_draw(struct fcgi_call *call, struct drawing *drawing,
    const struct store_preference_page *branding, guint language, guint status, enum fcgi_word note)
{
	const struct store_form *form = drawing->form;
	g_autofree char *target = text_hostname_origin(form->redirect_url, true);
	g_autofree char *stamp = consent_form_stamp(call->service, &form->id);
	const struct fcgi_sheet_guard guard = {.target = target, .framed = true};
	struct fcgi_sheet sheet;

	fcgi_sheet_open(&sheet, branding, fcgi_choices_languages[language], form->name, false);
	drawing->html = sheet.html;
	drawing->wrong = note == WORD_NO_EMAIL;
	if (note != WORD_COUNT)
		form_page_append(
		    drawing, "<p role=\"status\" id=\"note\">", drawing->words[note], "</p>\n");
	if (note != WORD_THANKS) {
		form_page_append(drawing,
		    "<form method=\"post\">\n<input type=\"hidden\" name=\"t\" value=\"", stamp,
		    "\">\n");
		append_form(drawing, "class=\"trap\"");
	}
	fcgi_sheet_reply(&sheet, call->reply, status, &guard);
}

bool
fcgi_form_page_reply(struct fcgi_call *call, const struct store_form *form, guint status,
    enum fcgi_word note, const struct fcgi_form_body *typed, GError **error)
{
	AUTO(store_preference_page) branding =
	    store_preference_page_get(call->service->db, &form->workspace_id, error);
	struct drawing drawing = {0};
	guint language;
	bool done = branding && read_drawing(call, form, &drawing, &language, error);

	drawing.typed = typed;
	if (done)
		form_page_draw(call, &drawing, branding, language, status, note);
	form_page_clear(&drawing);
	return done;
}

bool
fcgi_form_page_snippet(struct fcgi_call *call, const struct store_form *form, GError **error)
{
	g_autofree char *url = consent_form_url(call->service, &form->id);
	struct drawing drawing = {0};
	guint language;
	bool done = read_drawing(call, form, &drawing, &language, error);

	if (done) {
		drawing.html = g_string_new(NULL);
		form_page_append(&drawing, "<form method=\"post\" action=\"", url, "\">\n");
		append_form(&drawing, "style=\"position:absolute;left:-9999px\"");
		fcgi_reply_document(call->reply, "text/plain; charset=utf-8",
		    g_string_free_to_bytes(drawing.html), "no-store");
	}
	form_page_clear(&drawing);
	return done;
}
