/* SPDX-License-Identifier: MIT */
/* Reads emails under /resend, and names the faults of their fields. */
#include "fcgi/resend/email.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "config/settings.h"
#include "email/attachment.h"
#include "email/moment.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/handlers.h"
#include "fcgi/resend/limits.h"
#include "json/fields.h"
#include "json/place.h"
#include "json/strict.h"
#include "json/writer.h"
#include "service/service.h"
#include "text/time_zone.h"

#define REPLY_TO "Reply-To"

/* An attachment as it is given. */
struct file {
	const char *path, *content_type, *content_id, *inline_content_id;
	const struct json *filename; /* clients may give false for none */
	const struct json *content;
};

/* A content of another type is refused as one that cannot be read is. */
#define ANY_KIND                                                                                   \
	(JSON_KIND(JSON_BOOLEAN) | JSON_KIND(JSON_NUMBER) | JSON_KIND(JSON_STRING) |               \
	    JSON_KIND(JSON_ARRAY) | JSON_KIND(JSON_OBJECT))

/* clang-format off */
static const struct json_field file_fields[] = {
	JSON_FIELD("filename", FIELD_JSON, struct file, filename,
		.kinds = JSON_KIND(JSON_STRING) | JSON_KIND(JSON_BOOLEAN)),
	JSON_FIELD("path", FIELD_STRING, struct file, path),
	JSON_FIELD("content", FIELD_JSON, struct file, content, .kinds = ANY_KIND),
	JSON_FIELD("content_type", FIELD_STRING, struct file, content_type, .max = LIMIT_CONTENT_TYPE_LENGTH),
	JSON_FIELD("content_id", FIELD_STRING, struct file, content_id, .max = LIMIT_CONTENT_ID_LENGTH),
	JSON_FIELD("inline_content_id", FIELD_STRING, struct file, inline_content_id, .max = LIMIT_CONTENT_ID_LENGTH),
};

/* Read by read_template. */
static const struct json_field template_fields[] = {
	JSON_KNOWN("id"),
	JSON_KNOWN("alias"),
	JSON_KNOWN_AS("variables", JSON_KIND(JSON_OBJECT)),
};

#define SUBMISSION(name, type, ...) JSON_FIELD(#name, type, struct fcgi_resend_email, submission.name, __VA_ARGS__)
static const struct json_field fields[] = {
	SUBMISSION(from, FIELD_STRING, .max = LIMIT_RESEND_FROM_LENGTH),
	SUBMISSION(to, FIELD_STRINGS, .required = true, .min = 1),
	SUBMISSION(subject, FIELD_STRING, .max = LIMIT_RESEND_SUBJECT_LENGTH),
	SUBMISSION(cc, FIELD_STRINGS),
	SUBMISSION(bcc, FIELD_STRINGS),
	SUBMISSION(reply_to, FIELD_STRINGS),
	SUBMISSION(html, FIELD_STRING, .bytes = true, .max = LIMIT_HTML_BYTES),
	SUBMISSION(text, FIELD_STRING, .bytes = true, .max = LIMIT_TEXT_BYTES),
	JSON_FIELD("template", FIELD_JSON, struct fcgi_resend_email, template, .kinds = JSON_KIND(JSON_OBJECT),
		JSON_MEMBERS(template_fields)),
	SUBMISSION(headers, FIELD_JSON, .max = LIMIT_HEADERS, .kinds = JSON_KIND(JSON_OBJECT)),
	JSON_FIELD("tags", FIELD_JSON, struct fcgi_resend_email, tags,
		.kinds = JSON_KIND(JSON_ARRAY) | JSON_KIND(JSON_OBJECT)),
	JSON_FIELD("attachments", FIELD_LIST, struct fcgi_resend_email, files, .max = LIMIT_RESEND_ATTACHMENTS,
		JSON_ELEMENTS(file_fields, struct file)),
	JSON_FIELD("scheduled_at", FIELD_STRING, struct fcgi_resend_email, scheduled_at),
	JSON_FIELD("topic_id", FIELD_STRING, struct fcgi_resend_email, topic_id),
};
/* clang-format on */

const struct json_table fcgi_resend_email_body = JSON_TABLE(fields);

static bool
email_invalid(GError **error, const char *field, const char *sentence)
{
	return fcgi_resend_fail(error, RESEND_INVALID, "Invalid `%s` field. %s.", field, sentence);
}

static bool
email_missing(GError **error, const char *field)
{
	return fcgi_resend_fail(error, RESEND_MISSING_FIELD, "Missing `%s` field.", field);
}

static bool
email_is_given(const char *text)
{
	return text && *text;
}

bool
fcgi_resend_email_fail(GError *local, GError **error)
{
	g_autoptr(GError) own = local;
	const char *text = local->message;
	g_autofree char *field = g_strndup(text, strcspn(text, " .[:"));
	const char *rest = text + strcspn(text, " ");

	if (local->domain == PH_ERROR && local->code == PH_ERROR_FORBIDDEN &&
	    g_str_has_prefix(text, "Domain ")) {
		g_autofree char *name = g_strndup(rest + 1, strcspn(rest + 1, " "));
		return fcgi_resend_fail(error, RESEND_FORBIDDEN,
		    "The %s domain is not verified. Please, add and verify your domain", name);
	}
	if (!g_error_matches(local, PH_ERROR, PH_ERROR_INVALID)) {
		g_propagate_error(error, g_steal_pointer(&own));
		return false;
	}
	if (g_str_has_prefix(text, "The template "))
		return fcgi_resend_fail(
		    error, RESEND_INVALID, "Invalid `template` field. %s", text);
	if (g_str_has_prefix(text, "Invalid `"))
		return fcgi_resend_fail(error, RESEND_INVALID, "%s", text);
	if (strcmp(text, "Topic not found") == 0)
		return email_invalid(error, "topic_id", text);
	if (strcmp(rest, " is required") == 0)
		return email_missing(error, field);
	if (g_str_has_prefix(text, "Total attachments"))
		return email_invalid(error, "attachments", text);
	if (strcmp(rest, " must have either path or content") == 0)
		return fcgi_resend_fail(error, RESEND_INVALID_ATTACHMENT,
		    "Attachment must have either a `content` or `path`.");
	return fcgi_resend_fail(error,
	    strcmp(field, "from") == 0 ? RESEND_INVALID_FROM
	    : strcmp(field, "attachments") == 0 && strstr(text, "].path")
		? RESEND_INVALID_ATTACHMENT
		: RESEND_INVALID,
	    "Invalid `%s` field. %s.", field, text);
}

bool
fcgi_resend_email_time(
    const struct fcgi_call *call, const char *text, gint64 *time_r, GError **error)
{
	const char *name = config_settings_text(call->service->settings, SETTING_RESEND_TIME_ZONE);
	g_autoptr(GTimeZone) zone = text_time_zone(name);

	return (zone && email_moment_read(text, base_clock_now(), zone, time_r)) ||
	       email_invalid(error, "scheduled_at",
		   "scheduled_at must be an ISO 8601 time, or a time such as in 1 hour or "
		   "tomorrow at 9am");
}

static bool
keep_content(const struct json *content, guint number,
    struct email_submission_attachment *attachment, GError **error)
{
	attachment->data = email_attachment_content(content);
	/* A long array of numbers takes much memory, and is not read again. */
	json_forget(content);
	if (attachment->data)
		return true;
	return fcgi_resend_fail(error, RESEND_INVALID_ATTACHMENT,
	    "Invalid `attachments` field. attachments[%u].content must be base64, an array of "
	    "numbers from 0 to 255 or a Buffer.",
	    number);
}

static bool
email_is_empty(const struct json *content)
{
	gsize size;

	return json_string(content, &size) && size == 0;
}

/* The id of an attachment without the brackets that it has in a header, which some clients write.
 */
static const char *
email_bare_id(struct fcgi_resend_email *email, const char *id)
{
	gsize length = id ? strlen(id) : 0;

	if (length < 3 || id[0] != '<' || id[length - 1] != '>')
		return id;
	char *bare = g_strndup(id + 1, length - 2);
	g_ptr_array_add(email->names, bare);
	return bare;
}

/* Takes an attachment over into the submission. */
static bool
email_read_file(struct fcgi_resend_email *email, guint number, GError **error)
{
	const struct file *file = &g_array_index(email->files, struct file, number);
	const char *filename = json_string(file->filename, NULL);
	struct email_submission_attachment attachment = {
	    .path = email_is_given(file->path) ? file->path : NULL,
	    .content_type = email_is_given(file->content_type) ? file->content_type : NULL,
	    .content_id = email_is_given(file->content_id)	    ? file->content_id
			  : email_is_given(file->inline_content_id) ? file->inline_content_id
								    : NULL};
	attachment.content_id = email_bare_id(email, attachment.content_id);

	/* An empty content beside a path is none. */
	if (!attachment.path ? !file->content : file->content && !email_is_empty(file->content))
		return fcgi_resend_fail(error, RESEND_INVALID_ATTACHMENT,
		    "Attachment must have either a `content` or `path`.");
	if (!email_is_given(filename) && !attachment.path) {
		g_autofree char *path = g_strdup_printf("attachments[%u].filename", number);
		return email_missing(error, path);
	}
	if (filename && g_utf8_strlen(filename, -1) > LIMIT_FILENAME_LENGTH)
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `attachments` field. attachments[%u].filename must be at most %d "
		    "characters.",
		    number, LIMIT_FILENAME_LENGTH);
	char *name = email_is_given(filename) ? g_strdup(filename)
					      : email_attachment_filename(attachment.path);
	g_ptr_array_add(email->names, name);
	attachment.filename = name;
	if (!attachment.content_type)
		attachment.content_type = email_attachment_type(name);
	if (!attachment.path && !keep_content(file->content, number, &attachment, error))
		return false;
	g_array_append_val(email->submission.attachments, attachment);
	return true;
}

static void
clear_attachment(void *data)
{
	g_clear_pointer(&((struct email_submission_attachment *)data)->data, g_bytes_unref);
}

static bool
read_files(struct fcgi_resend_email *email, GError **error)
{
	guint count = email->files ? email->files->len : 0;

	if (count == 0)
		return true;
	email->names = g_ptr_array_new_with_free_func(g_free);
	email->submission.attachments =
	    g_array_new(FALSE, FALSE, sizeof(struct email_submission_attachment));
	g_array_set_clear_func(email->submission.attachments, clear_attachment);
	for (guint i = 0; i < count; i++)
		if (!email_read_file(email, i, error))
			return false;
	return true;
}

/* Makes the submission one of a template, which is named by its id or its alias. */
static bool
email_read_template(struct fcgi_resend_email *email, GError **error)
{
	struct email_submission *submission = &email->submission;
	const struct json *id = json_member_get(email->template, "id");
	const struct json *variables = json_member_get(email->template, "variables");

	if (!id)
		id = json_member_get(email->template, "alias");
	if (email_is_given(submission->html) || email_is_given(submission->text))
		return email_invalid(
		    error, "template", "template cannot be used together with html or text");
	if (id && json_kind(id) != JSON_STRING)
		return email_invalid(error, "template", "template.id must be a string");
	if (!email_is_given(json_string(id, NULL)))
		return email_missing(error, "template.id");
	if (variables && json_kind(variables) != JSON_OBJECT)
		return email_invalid(error, "template", "template.variables must be an object");
	submission->published = json_string(id, NULL);
	submission->variables = variables;
	submission->html = submission->text = NULL;
	return true;
}

/* Whether an element of the tags is {"name": "value"} rather than {name, value}: Symfony's are. */
static bool
is_plain_tag(const struct json *tag)
{
	struct json_iterator members = json_members(tag);
	const struct json *value;
	const char *name;

	return json_iterator_next(&members, &name, &value) && !json_member_has(tag, "name") &&
	       !json_member_has(tag, "value");
}

static void
write_plain_tags(struct json_writer *writer, const struct json *tags)
{
	struct json_iterator members = json_members(tags);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "name", name);
		json_writer_value(writer, "value", value);
		json_writer_end_object(writer);
	}
}

/* Writes tags, of which some are in an object, as an array of {name, value}, whose texts have the
   same limits. */
static struct json *
list_tags(const struct json *tags)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_array(writer, NULL);
	if (json_kind(tags) == JSON_OBJECT)
		write_plain_tags(writer, tags);
	for (gsize i = 0; i < json_array_length(tags); i++)
		if (is_plain_tag(json_array_at(tags, i)))
			write_plain_tags(writer, json_array_at(tags, i));
		else
			json_writer_value(writer, NULL, json_array_at(tags, i));
	json_writer_end_array(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	return json_parse_any(text, strlen(text), NULL);
}

static bool
has_plain_tags(const struct json *tags)
{
	for (gsize i = 0; i < json_array_length(tags); i++)
		if (is_plain_tag(json_array_at(tags, i)))
			return true;
	return json_kind(tags) == JSON_OBJECT;
}

static bool
email_read_tags(struct fcgi_resend_email *email, GError **error)
{
	if (has_plain_tags(email->tags))
		email->tags = email->listed_tags = list_tags(email->tags);
	email->submission.tags = email->tags;
	if (json_array_length(email->tags) <= LIMIT_RESEND_TAGS)
		return true;
	return fcgi_resend_fail(error, RESEND_INVALID,
	    "Invalid `tags` field. tags must have at most %d elements.", LIMIT_RESEND_TAGS);
}

/* Lets service leave out the fields that the service sets. A Reply-To stands for the member that is
   not given. */
static void
read_headers(struct fcgi_resend_email *email)
{
	struct email_submission *submission = &email->submission;
	struct json_iterator members = json_members(submission->headers);
	const struct json *value;
	const char *name;

	if (!submission->headers)
		return;
	submission->left_out = email->left_out = g_ptr_array_new_with_free_func(g_free);
	while (!submission->reply_to && json_iterator_next(&members, &name, &value)) {
		if (g_ascii_strcasecmp(name, REPLY_TO) != 0 ||
		    !email_is_given(json_string(value, NULL)))
			continue;
		/* As json_fields_read makes it. */
		submission->reply_to = g_new0(const char *, 2);
		submission->reply_to[0] = json_string(value, NULL);
		email->takes_reply_to = true;
	}
}

void
fcgi_resend_email_note(
    struct fcgi_call *call, const struct fcgi_resend_email *email, const struct json_place *place)
{
	const struct json_place headers = {place, "headers", 0};

	for (guint i = 0; email->left_out && i < email->left_out->len; i++) {
		const struct json_place field = {&headers, email->left_out->pdata[i], 0};

		if (!email->takes_reply_to || g_ascii_strcasecmp(field.name, REPLY_TO) != 0)
			json_unknown_ignore(&call->unknown, &field);
	}
}

/* Fields that depend on one another. */
static bool
email_check(const struct fcgi_call *call, struct fcgi_resend_email *email, GError **error)
{
	struct email_submission *submission = &email->submission;

	if (!email_is_given(submission->from))
		submission->from = NULL;
	if (!submission->from && !email->template)
		return email_missing(error, "from");
	if (!submission->to[1] && !*submission->to[0])
		return email_missing(error, "to");
	if (!email->template && !email_is_given(submission->subject))
		return email_missing(error, "subject");
	if (!email_is_given(submission->subject))
		submission->subject = NULL;
	if (!email->template && !email_is_given(submission->html) &&
	    !email_is_given(submission->text))
		return fcgi_resend_fail(
		    error, RESEND_MISSING_FIELD, "Missing `html` or `text` field.");
	submission->topic_id = email->topic_id;
	read_headers(email);
	return (!email->template || email_read_template(email, error)) &&
	       email_read_tags(email, error) && read_files(email, error) &&
	       (!email->scheduled_at || fcgi_resend_email_time(call, email->scheduled_at,
					    &submission->scheduled_at, error));
}

/* A sender that is too long is an invalid address, as one of another form. */
static bool
email_read_fields(const struct json *object, struct fcgi_resend_email *email, GError **error)
{
	GError *local = NULL;

	if (fcgi_resend_read(object, &fcgi_resend_email_body, email, &local))
		return true;
	if (local->code == RESEND_INVALID &&
	    g_str_has_prefix(local->message, "Invalid `from` field."))
		local->code = RESEND_INVALID_FROM;
	g_propagate_error(error, local);
	return false;
}

bool
fcgi_resend_email_read(struct fcgi_call *call, const struct json *object,
    struct fcgi_resend_email *email, GError **error)
{
	*email = (struct fcgi_resend_email){.submission = {.purpose = EMAIL_PURPOSE_COMPAT_REQUEST,
						.only_domain = fcgi_call_only_domain(call),
						.prefetch = call->prefetch}};
	return email_read_fields(object, email, error) && email_check(call, email, error);
}

void
fcgi_resend_email_clear(struct fcgi_resend_email *email)
{
	json_fields_free(fields, G_N_ELEMENTS(fields), email);
	g_clear_pointer(&email->submission.attachments, g_array_unref);
	g_clear_pointer(&email->names, g_ptr_array_unref);
	g_clear_pointer(&email->left_out, g_ptr_array_unref);
	g_clear_pointer(&email->listed_tags, json_free);
}
