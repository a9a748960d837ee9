/* SPDX-License-Identifier: MIT */
/* Checks the parts of a submission, and puts them into an email: addresses, attachments, header
 * fields and tags. */
#include "email/submission.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/fetch.h"
#include "base/limits/unit.h"
#include "config/settings.h"
#include "email/attachment.h"
#include "fetch/fetch.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "mail/address.h"
#include "mail/header.h"
#include "mail/message.h"
#include "mail/steering.h"
#include "mail/structured.h"
#include "service/fetching.h"
#include "service/service.h"
#include "store/email/email.h"

/* Checks that the texts, joined to one list, have at most LIMIT_ADDRESS_LIST_BYTES. */
static bool
submission_check_size(const char *field, const char *const *texts, GError **error)
{
	gsize size = 0;

	for (guint i = 0; texts && texts[i] && size <= LIMIT_ADDRESS_LIST_BYTES; i++)
		size += strlen(texts[i]) + (i > 0 ? strlen(", ") : 0);
	if (size <= LIMIT_ADDRESS_LIST_BYTES)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s must be at most %d bytes", field,
	    LIMIT_ADDRESS_LIST_BYTES);
	return false;
}

/* Reads the addresses of all texts of a field, at most LIMIT_RECIPIENTS, as an array of struct
   mail_address. */
static GPtrArray *
submission_read_list(const char *field, const char *const *texts, GError **error)
{
	g_autoptr(GPtrArray) all = mail_address_list_new();

	if (!submission_check_size(field, texts, error))
		return NULL;
	for (guint i = 0; texts && texts[i]; i++) {
		if (!mail_address_add_list(all, texts[i], error)) {
			if (texts[1])
				g_prefix_error(error, "%s[%u] ", field, i);
			else
				g_prefix_error(error, "%s ", field);
			return NULL;
		}
		if (all->len > LIMIT_RECIPIENTS) {
			g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
			    "%s must have at most %d addresses", field, LIMIT_RECIPIENTS);
			return NULL;
		}
	}
	return g_steal_pointer(&all);
}

static void
submission_add_recipients(struct store_email *email, enum store_email_recipient_kind kind,
    const GPtrArray *addresses, GHashTable *seen)
{
	for (guint i = 0; i < addresses->len; i++) {
		const struct mail_address *address = addresses->pdata[i];

		if (g_hash_table_add(seen, mail_address_key(address->address)))
			store_email_add_recipient(email, kind, g_strdup(address->address));
	}
}

static char *
list_text(const GPtrArray *addresses)
{
	return addresses->len > 0 ? mail_address_format_list(addresses) : NULL;
}

static bool
submission_read_recipients(
    const struct email_submission *submission, struct store_email *email, GError **error)
{
	g_autoptr(GPtrArray) to = submission_read_list("to", submission->to, error);
	g_autoptr(GPtrArray) cc = to ? submission_read_list("cc", submission->cc, error) : NULL;
	g_autoptr(GPtrArray) bcc = cc ? submission_read_list("bcc", submission->bcc, error) : NULL;
	g_autoptr(GPtrArray) reply_to =
	    bcc ? submission_read_list("reply_to", submission->reply_to, error) : NULL;
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	if (!reply_to)
		return false;
	if (to->len == 0 && !submission->raw) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "to is required");
		return false;
	}
	submission_add_recipients(email, RECIPIENT_TO, to, seen);
	submission_add_recipients(email, RECIPIENT_CC, cc, seen);
	submission_add_recipients(email, RECIPIENT_BCC, bcc, seen);
	email->to = list_text(to);
	email->cc = list_text(cc);
	email->bcc = list_text(bcc);
	email->reply_to = list_text(reply_to);
	return true;
}

/* The sender as emails keep it. Clients of Resend read it back as they gave it; a text with another
   spelling of the address, or with a comment, has the form of all others, in which it is looked
   for. */
static char *
submission_write_sender(const struct email_submission *submission, const struct mail_address *from)
{
	g_autofree char *given = g_strstrip(g_strdup(submission->from));
	g_autofree char *end = g_strdup_printf("<%s>", from->address);

	return submission->purpose == EMAIL_PURPOSE_COMPAT_REQUEST && g_str_has_suffix(given, end)
		   ? g_steal_pointer(&given)
		   : mail_address_format(from);
}

bool
email_submission_read_addresses(const struct email_submission *submission,
    struct store_email *email, struct mail_address **from_r, GError **error)
{
	AUTO(mail_address) from = mail_address_parse(submission->from, error);

	if (!from) {
		g_prefix_error(error, "from ");
		return false;
	}
	if (!submission_read_recipients(submission, email, error))
		return false;
	email->sender = submission_write_sender(submission, from);
	*from_r = g_steal_pointer(&from);
	return true;
}

bool
email_submission_check_sender(const struct email_submission *submission, GError **error)
{
	AUTO(mail_address)
	from = submission->from ? mail_address_parse(submission->from, error) : NULL;

	if (submission->from && !from) {
		g_prefix_error(error, "from ");
		return false;
	}
	g_autoptr(GPtrArray) reply_to =
	    submission_read_list("reply_to", submission->reply_to, error);
	return reply_to;
}

GPtrArray *
email_envelope_addresses(const char *list, GError **error)
{
	bool any = list && *list;
	g_autoptr(GPtrArray) parsed = any ? mail_address_reread_list(list, error) : NULL;

	if (any && !parsed)
		return NULL;
	GPtrArray *addresses = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; parsed && i < parsed->len; i++)
		g_ptr_array_add(
		    addresses, g_strdup(((const struct mail_address *)parsed->pdata[i])->address));
	return addresses;
}

char *
email_envelope_recipient(const char *text)
{
	char *normal = NULL;

	mail_address_valid(text, &normal);
	return normal;
}

static bool
attachment_invalid(GError **error, guint number, const char *text)
{
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "attachments[%u]%s", number, text);
	return false;
}

static bool
submission_too_large(gsize most, GError **error)
{
	return base_invalid(error, EMAIL_ATTACHMENTS_TOO_LARGE, (int)(most / LIMIT_MIB));
}

static bool
submission_has_controls(const char *text)
{
	for (const char *p = text; *p; p = g_utf8_next_char(p))
		if (g_unichar_iscntrl(g_utf8_get_char(p)))
			return true;
	return false;
}

static bool
submission_check_attachment(
    const struct email_submission_attachment *given, guint number, bool in_batch, GError **error)
{
	if (submission_has_controls(given->filename))
		return attachment_invalid(
		    error, number, ".filename must not contain control characters");
	if (!given->path == !(given->content || given->data))
		return attachment_invalid(error, number, " must have either path or content");
	if (given->path && !fetch_url_valid(given->path))
		return attachment_invalid(error, number, ".path must be a valid URL");
	if (given->path && in_batch)
		return attachment_invalid(error, number, ".path cannot be used in a batch");
	if (given->content_type && !mail_header_content_type(given->content_type))
		return attachment_invalid(
		    error, number, ".content_type must be a media type like text/plain");
	if (given->content_id && !mail_header_id(given->content_id, strlen(given->content_id)))
		return attachment_invalid(
		    error, number, ".content_id must be printable ASCII without spaces, < and >");
	return true;
}

/* Readers find a part by its id. */
static bool
submission_check_ids(const struct email_submission *submission, GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	const GArray *attachments = submission->attachments;

	for (guint i = 0; attachments && i < attachments->len; i++) {
		const char *id =
		    g_array_index(attachments, struct email_submission_attachment, i).content_id;

		if (id && !g_hash_table_add(seen, (char *)id))
			return attachment_invalid(error, i, ".content_id is given twice");
	}
	return true;
}

static const struct email_submission_attachment *
submission_given_at(const struct email_submission *submission, guint number)
{
	return &g_array_index(submission->attachments, struct email_submission_attachment, number);
}

static void
free_bytes(void *bytes)
{
	g_clear_pointer((GBytes **)&bytes, g_bytes_unref);
}

static gsize
total_size(const GPtrArray *contents)
{
	gsize total = 0;

	for (guint i = 0; i < contents->len; i++)
		total += contents->pdata[i] ? g_bytes_get_size(contents->pdata[i]) : 0;
	return total;
}

GPtrArray *
email_submission_decode_attachments(
    const struct email_submission *submission, bool in_batch, GError **error)
{
	g_autoptr(GPtrArray) contents = g_ptr_array_new_with_free_func(free_bytes);
	gsize most =
	    submission->attachments_most ? submission->attachments_most : LIMIT_ATTACHMENTS_BYTES;

	for (guint i = 0; submission->attachments && i < submission->attachments->len; i++) {
		const struct email_submission_attachment *given =
		    submission_given_at(submission, i);
		GBytes *data;

		if (!submission_check_attachment(given, i, in_batch, error))
			return NULL;
		data = given->data ? g_bytes_ref(given->data) : NULL;
		if (given->content) {
			data = email_attachment_base64(given->content, strlen(given->content));
			if (!data) {
				attachment_invalid(
				    error, i, ".content must be a valid base64 encoded string");
				return NULL;
			}
		}
		g_ptr_array_add(contents, data);
	}
	if (total_size(contents) > most) {
		submission_too_large(most, error);
		return NULL;
	}
	return submission_check_ids(submission, error) ? g_steal_pointer(&contents) : NULL;
}

static GBytes *
submission_fetch(struct service *service, const char *url, guint number, gsize room,
    gint64 deadline, GError **error)
{
	g_autoptr(GError) why = NULL;
	const struct fetch_rules rules = {
	    config_settings_list(service->settings, SETTING_FETCH_ALLOW),
	    config_settings_list(service->settings, SETTING_FETCH_PORTS)};
	GBytes *data = fetch_get(url, &rules, room, deadline, &why);

	if (data)
		return data;
	if (g_error_matches(why, PH_ERROR, PH_ERROR_TOO_LARGE))
		submission_too_large(LIMIT_ATTACHMENTS_BYTES, error);
	else if (g_error_matches(why, PH_ERROR, PH_ERROR_INVALID))
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "attachments[%u].path could not be fetched: %s", number, why->message);
	else
		g_propagate_error(error, g_steal_pointer(&why));
	return NULL;
}

static bool
fetch_missing(struct service *service, const struct email_submission *submission,
    GPtrArray *contents, GError **error)
{
	gint64 deadline = base_clock_boot() + LIMIT_FETCH_MS;

	for (guint i = 0; i < contents->len; i++) {
		if (contents->pdata[i])
			continue;
		contents->pdata[i] =
		    submission_fetch(service, submission_given_at(submission, i)->path, i,
			LIMIT_ATTACHMENTS_BYTES - total_size(contents), deadline, error);
		if (!contents->pdata[i])
			return false;
	}
	return true;
}

static bool
fetch_all(struct service *service, const struct email_submission *submission,
    const struct base_id *workspace, GPtrArray *contents, GError **error)
{
	int slot;

	if (!g_ptr_array_find(contents, NULL, NULL))
		return true;
	if (!service_fetching_begin(service, workspace, &slot, error))
		return false;
	bool done = fetch_missing(service, submission, contents, error);
	service_fetching_end(slot);
	return done;
}

static bool
is_alternative(const struct email_submission_attachment *given)
{
	return given->alternative ? json_boolean(given->alternative)
				  : given->content_type && mail_header_invites(given->content_type);
}

void
email_submission_add_attachment(
    const struct email_submission_attachment *given, GBytes *content, struct store_email *email)
{
	store_email_add_part(email, is_alternative(given) ? PART_ALTERNATIVE : PART_ATTACHMENT,
	    content, g_strdup(given->filename),
	    g_strdup(given->content_type ? given->content_type : "application/octet-stream"),
	    g_strdup(given->content_id));
}

bool
email_submission_add_attachments(struct service *service, const struct email_submission *submission,
    GPtrArray *contents, struct store_email *email, GError **error)
{
	if (!fetch_all(service, submission, &email->workspace_id, contents, error))
		return false;
	for (guint i = 0; i < contents->len; i++)
		email_submission_add_attachment(
		    submission_given_at(submission, i), contents->pdata[i], email);
	return true;
}

static bool
member_invalid(GError **error, const char *field, const char *name, const char *text)
{
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s.%.*s %s", field,
	    LIMIT_HEADER_NAME_LENGTH, name, text);
	return false;
}

#define MESSAGE_ID "Message-ID"

static bool
is_message_id(const char *text)
{
	const char *at = strchr(text, '@');

	return mail_check_message_id(text, NULL) && at && at > text + 1 && at[1] != '>';
}

/* The checks of a header of which a value is given, or each of several. */
struct header_check {
	GHashTable *seen;    /* names in lower case */
	guint count;	     /* of fields */
	bool drops_reserved; /* those that the service sets were looked for before */
};

static bool
submission_check_value(const char *name, const struct json *value, GError **error)
{
	const struct mail_header header = {name, json_string(value, NULL)};

	if (g_utf8_strlen(header.value, -1) > LIMIT_HEADER_VALUE_LENGTH) {
		g_autofree char *text =
		    g_strdup_printf("must be at most %d characters", LIMIT_HEADER_VALUE_LENGTH);
		return member_invalid(error, "headers", name, text);
	}
	if (mail_header_check(&header, error) && mail_structured_check(&header, error))
		return true;
	g_prefix_error(error, "headers.%.*s ", LIMIT_HEADER_NAME_LENGTH, name);
	return false;
}

static bool
check_values(struct header_check *check, const char *name, const struct json *given, GError **error)
{
	gsize count = json_array_length(given);

	for (gsize i = 0; i < count; i++)
		if (json_kind(json_array_at(given, i)) != JSON_STRING)
			return member_invalid(
			    error, "headers", name, "must be a string or an array of strings");
	if (count > 0 && !mail_structured_repeats(name))
		return member_invalid(error, "headers", name,
		    "must be a string: a message has one field of this name");
	for (gsize i = 0; i < count; i++)
		if (!submission_check_value(name, json_array_at(given, i), error))
			return false;
	check->count += (guint)count;
	return true;
}

static bool
submission_check_header(
    struct header_check *check, const char *name, const struct json *given, GError **error)
{
	if (json_kind(given) != JSON_STRING && json_kind(given) != JSON_ARRAY)
		return member_invalid(
		    error, "headers", name, "must be a string or an array of strings");
	if (!check->drops_reserved && mail_header_reserved(name))
		return member_invalid(error, "headers", name, "is set by the service");
	if (!g_hash_table_add(check->seen, g_ascii_strdown(name, -1)))
		return member_invalid(error, "headers", name, "is given twice");
	if (json_kind(given) == JSON_ARRAY)
		return check_values(check, name, given, error);
	check->count++;
	return submission_check_value(name, given, error);
}

/* Whether a sender whose other fields are left out may set this one. */
static bool
may_set(const char *name, const struct json *value, bool steers)
{
	const char *text = json_string(value, NULL);

	if (mail_steering_has(name, strlen(name)))
		return steers;
	if (!mail_header_reserved(name))
		return true;
	return text && ((g_ascii_strcasecmp(name, MESSAGE_ID) == 0 && is_message_id(text)) ||
			   (g_ascii_strcasecmp(name, "Date") == 0 && mail_date_valid(text)));
}

bool
email_submission_headers(
    const struct email_submission *submission, bool steers, char **text_r, GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *left_out = submission->left_out;
	struct header_check check = {seen, 0, left_out != NULL};
	struct json_iterator members = json_members(submission->headers);
	AUTO(json_writer) writer = json_writer_new();
	const struct json *value;
	const char *name;

	if (left_out)
		g_ptr_array_set_size(left_out, 0);
	json_writer_begin_object(writer, NULL);
	while (json_iterator_next(&members, &name, &value)) {
		if (left_out && json_kind(value) == JSON_NULL)
			continue;
		if (left_out && !may_set(name, value, steers)) {
			g_ptr_array_add(left_out, g_strdup(name));
			continue;
		}
		if (!submission_check_header(&check, name, value, error))
			return false;
		json_writer_value(writer, name, value);
	}
	json_writer_end_object(writer);
	if (check.count > LIMIT_HEADERS)
		return base_invalid(error, "headers must have at most %d fields", LIMIT_HEADERS);
	*text_r = g_hash_table_size(seen) > 0 ? json_writer_take(writer, NULL) : NULL;
	return true;
}

char *
email_submission_message_id(const char *headers)
{
	AUTO(json) document = headers ? json_parse(headers, strlen(headers), NULL) : NULL;
	struct json_iterator members = json_members(document);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value))
		if (g_ascii_strcasecmp(name, MESSAGE_ID) == 0)
			return g_strdup(json_string(value, NULL));
	return NULL;
}

bool
email_submission_steers_nothing(const struct json *given, GError **error)
{
	struct json_iterator members = json_members(given);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value))
		if (mail_steering_has(name, strlen(name)))
			return member_invalid(error, "headers", name, "is set by the service");
	return true;
}

static bool
tag_fits(const char *text)
{
	return g_utf8_strlen(text, -1) <= LIMIT_TAG_LENGTH;
}

static bool
is_tag_text(const char *text)
{
	gsize length = strlen(text);

	return length >= 1 && length <= LIMIT_TAG_LENGTH &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
		   length;
}

static bool
add_listed_tag(struct json_writer *writer, const struct json *tag, guint number, GHashTable *seen,
    GError **error)
{
	const char *name = json_string(json_member_get(tag, "name"), NULL);
	const char *value = json_string(json_member_get(tag, "value"), NULL);

	if (!name || !value)
		return base_invalid(error, "tags[%u] must have a name and a value", number);
	if (!is_tag_text(name) || !is_tag_text(value))
		return base_invalid(error,
		    "tags[%u] must have 1 to %d ASCII letters, digits, _ and - in name and value",
		    number, LIMIT_TAG_LENGTH);
	if (!g_hash_table_add(seen, (char *)name))
		return base_invalid(error, "tags[%u] has a name that is given twice", number);
	json_writer_string(writer, name, value);
	return true;
}

/* The same for an array of {name, value}, of ASCII letters, digits, _ and -. */
static bool
listed_tags(const struct json *given, char **text_r, GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	AUTO(json_writer) writer = json_writer_new();
	guint count = (guint)json_array_length(given);

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < count; i++)
		if (!add_listed_tag(writer, json_array_at(given, i), i, seen, error))
			return false;
	json_writer_end_object(writer);
	*text_r = count > 0 ? json_writer_take(writer, NULL) : NULL;
	return true;
}

bool
email_submission_tags(const struct json *given, char **text_r, GError **error)
{
	if (json_kind(given) == JSON_ARRAY)
		return listed_tags(given, text_r, error);

	struct json_iterator members = json_members(given);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		if (json_kind(value) != JSON_STRING)
			return member_invalid(error, "tags", name, "must be a string");
		if (!tag_fits(name) || !tag_fits(json_string(value, NULL))) {
			g_autofree char *text = g_strdup_printf(
			    "must be at most %d characters, in name and value", LIMIT_TAG_LENGTH);
			return member_invalid(error, "tags", name, text);
		}
	}
	*text_r = json_member_count(given) > 0 ? json_print(given) : NULL;
	return true;
}

GArray *
email_submission_read_headers(const char *text, struct json **document_r, GError **error)
{
	GArray *headers = g_array_new(FALSE, FALSE, sizeof(struct mail_header));

	*document_r = text ? json_parse_as("stored headers", text, strlen(text), error) : NULL;
	if (text && !*document_r) {
		g_array_unref(headers);
		return NULL;
	}
	struct json_iterator members = json_members(*document_r);
	const struct json *value;
	struct mail_header header;
	while (json_iterator_next(&members, &header.name, &value)) {
		gsize count = json_kind(value) == JSON_ARRAY ? json_array_length(value) : 1;

		for (gsize i = 0; i < count; i++) {
			const struct json *one =
			    json_kind(value) == JSON_ARRAY ? json_array_at(value, i) : value;

			header.value = json_string(one, NULL);
			g_array_append_val(headers, header);
		}
	}
	return headers;
}
