/* SPDX-License-Identifier: MIT */
/* Reads the contents of broadcasts. */
#include "broadcast/content.h"

#include <string.h>

#include "base/limits/broadcast.h"
#include "base/limits/email.h"
#include "json/fields.h"
#include "json/strict.h"
#include "mail/address.h"
#include "sending/hours.h"
#include "store/domain/domain.h"

/* clang-format off */
/* The fields of a variant, with a subject of this length. */
#define VARIANT_FIELDS(subject_length) \
	JSON_FIELD("subject", FIELD_STRING, struct broadcast_variant, subject, .max = subject_length), \
	JSON_FIELD("html", FIELD_STRING, struct broadcast_variant, html, .bytes = true, .max = LIMIT_HTML_BYTES), \
	JSON_FIELD("text", FIELD_STRING, struct broadcast_variant, text, .bytes = true, .max = LIMIT_TEXT_BYTES), \
	JSON_FIELD("template_id", FIELD_STRING, struct broadcast_variant, template_id, .blank = true)
static const struct json_field variant_fields[] = {VARIANT_FIELDS(LIMIT_SUBJECT_LENGTH)};
static const struct json_field stored_variant_fields[] = {VARIANT_FIELDS(LIMIT_STORED_SUBJECT_LENGTH)};

#define ATTACHMENT_FIELDS \
	JSON_FIELD("id", FIELD_STRING, struct broadcast_attachment, id, .blank = true), \
	JSON_FIELD("filename", FIELD_STRING, struct broadcast_attachment, filename, .blank = true, .max = LIMIT_FILENAME_LENGTH), \
	JSON_FIELD("content", FIELD_STRING, struct broadcast_attachment, content), \
	JSON_FIELD("content_type", FIELD_STRING, struct broadcast_attachment, content_type, .max = LIMIT_CONTENT_TYPE_LENGTH), \
	JSON_FIELD("content_id", FIELD_STRING, struct broadcast_attachment, content_id, .min = 1, .max = LIMIT_CONTENT_ID_LENGTH)
static const struct json_field attachment_fields[] = {ATTACHMENT_FIELDS};
static const struct json_field stored_attachment_fields[] = {ATTACHMENT_FIELDS,
	JSON_FIELD("size", FIELD_INTEGER, struct broadcast_attachment, size)};

static const struct json_field utm_fields[] = {JSON_KNOWN("source"), JSON_KNOWN("medium"), JSON_KNOWN("campaign"),
	JSON_KNOWN("term"), JSON_KNOWN("content")};

#define FIELDS(from_length, subject_length, variants_of, attachments_of) \
	JSON_FIELD("name", FIELD_STRING, struct broadcast_content, name, .min = 1, .max = LIMIT_BROADCAST_NAME_LENGTH), \
	JSON_FIELD("from", FIELD_STRING, struct broadcast_content, from, .min = 1, .max = from_length), \
	JSON_FIELD("reply_to", FIELD_STRINGS, struct broadcast_content, reply_to, .blank = true), \
	JSON_FIELD("subject", FIELD_STRING, struct broadcast_content, subject, .max = subject_length), \
	JSON_FIELD("preview_text", FIELD_STRING, struct broadcast_content, preview_text, .max = LIMIT_PREVIEW_LENGTH), \
	JSON_FIELD("html", FIELD_STRING, struct broadcast_content, html, .bytes = true, .max = LIMIT_HTML_BYTES), \
	JSON_FIELD("template_id", FIELD_STRING, struct broadcast_content, template_id, .blank = true), \
	JSON_FIELD("text", FIELD_STRING, struct broadcast_content, text, .bytes = true, .max = LIMIT_TEXT_BYTES), \
	JSON_FIELD("topic_id", FIELD_STRING, struct broadcast_content, topic_id, .blank = true), \
	JSON_FIELD("audiences", FIELD_STRINGS, struct broadcast_content, audiences), \
	JSON_FIELD("segments", FIELD_STRINGS, struct broadcast_content, segments), \
	JSON_FIELD("exclude_segments", FIELD_STRINGS, struct broadcast_content, exclude_segments), \
	JSON_FIELD("utm", FIELD_OBJECT, struct broadcast_content, utm, .elements = utm_fields, .element_count = G_N_ELEMENTS(utm_fields)), \
	JSON_FIELD("tags", FIELD_OBJECT, struct broadcast_content, tags, .max = LIMIT_TAGS), \
	JSON_FIELD("variants", FIELD_LIST, struct broadcast_content, variants, .blank = true, .min = 2, .max = BROADCAST_VARIANTS, \
		JSON_ELEMENTS(variants_of, struct broadcast_variant)), \
	JSON_FIELD("test_share", FIELD_INTEGER, struct broadcast_content, test_share, .min = 1, .max = 100), \
	JSON_FIELD("winner_by", FIELD_STRING, struct broadcast_content, winner_by), \
	JSON_FIELD("decide_after", FIELD_INTEGER, struct broadcast_content, decide_after, \
		.min = LIMIT_BROADCAST_DECIDE_LEAST_MS, .max = LIMIT_BROADCAST_DECIDE_MS), \
	JSON_FIELD("hours", FIELD_JSON, struct broadcast_content, hours, \
		.kinds = JSON_KIND(JSON_STRING) | JSON_KIND(JSON_OBJECT), JSON_MEMBERS(sending_hours_fields)), \
	JSON_FIELD("ignore_cap", FIELD_BOOLEAN, struct broadcast_content, ignore_cap), \
	JSON_FIELD("priority", FIELD_STRING, struct broadcast_content, priority), \
	JSON_FIELD("attachments", FIELD_LIST, struct broadcast_content, attachments, .max = LIMIT_ATTACHMENTS, \
		.above = "Too many attachments: {count}. Max is {max}", \
		JSON_ELEMENTS(attachments_of, struct broadcast_attachment))
#define GIVEN_FIELDS FIELDS(LIMIT_FROM_LENGTH, LIMIT_SUBJECT_LENGTH, variant_fields, attachment_fields)
static const struct json_field fields[] = {GIVEN_FIELDS};
static const struct json_field file_fields[] = {JSON_KNOWN("id"), GIVEN_FIELDS};
/* A content may have come through a front that takes more. */
static const struct json_field stored_fields[] = {
	FIELDS(LIMIT_STORED_FROM_LENGTH, LIMIT_STORED_SUBJECT_LENGTH, stored_variant_fields, stored_attachment_fields)};
/* clang-format on */

const struct json_table broadcast_body = JSON_TABLE(fields);
const struct json_table broadcast_file = JSON_TABLE(file_fields);
const struct json_table broadcast_utm = JSON_TABLE(utm_fields);

#define TEST_SHARE 100
#define WINNER_BY "opens"
#define DECIDE_AFTER_MS (4LL * 60 * 60 * 1000)
bool
broadcast_read_object(
    const struct json *object, struct broadcast_content *content_r, GError **error)
{
	*content_r = (struct broadcast_content){
	    .test_share = TEST_SHARE, .winner_by = WINNER_BY, .decide_after = DECIDE_AFTER_MS};
	return json_fields_read(
	    object, stored_fields, G_N_ELEMENTS(stored_fields), content_r, error);
}

bool
broadcast_check_body(const struct json *given, GError **error)
{
	struct broadcast_content content = {0};
	bool good = json_fields_read(given, fields, G_N_ELEMENTS(fields), &content, error);

	json_fields_free(fields, G_N_ELEMENTS(fields), &content);
	return good;
}

struct json *
broadcast_read(const char *text, struct broadcast_content *content_r, GError **error)
{
	AUTO(json) document = json_parse(text, strlen(text), error);

	if (!document || !broadcast_read_object(document, content_r, error)) {
		g_prefix_error(error, "a stored broadcast: ");
		return NULL;
	}
	return g_steal_pointer(&document);
}

void
broadcast_clear(struct broadcast_content *content)
{
	json_fields_free(stored_fields, G_N_ELEMENTS(stored_fields), content);
}

const char *
broadcast_name(const struct broadcast_content *content)
{
	return content->name			       ? content->name
	       : content->subject && *content->subject ? content->subject
						       : "Broadcast";
}

guint
broadcast_variant_count(const struct broadcast_content *content)
{
	return content->variants ? MAX(content->variants->len, 1) : 1;
}

struct broadcast_variant
broadcast_variant(const struct broadcast_content *content, guint number)
{
	const struct broadcast_variant *own =
	    content->variants && number < content->variants->len
		? &g_array_index(content->variants, struct broadcast_variant, number)
		: NULL;
	bool has_content = own && (own->html || own->template_id);

	return (struct broadcast_variant){
	    .subject = own && own->subject ? own->subject : content->subject,
	    .html = has_content ? own->html : content->html,
	    .text = own && own->text ? own->text : content->text,
	    .template_id = has_content ? own->template_id : content->template_id,
	    .preview_text = content->preview_text,
	};
}

bool
broadcast_domain(struct db *db, const struct base_id *workspace,
    const struct broadcast_content *content, struct base_id *domain_r)
{
	AUTO(mail_address)
	from = content->from ? mail_address_parse(content->from, NULL) : NULL;
	AUTO(store_domain)
	domain =
	    from ? store_domain_find_sender(db, workspace, mail_address_domain(from), NULL, NULL)
		 : NULL;

	if (domain)
		*domain_r = domain->id;
	return domain;
}
