/* SPDX-License-Identifier: MIT */
/* Writes the header fields that have a grammar: addresses, URLs, ids and phrases. */
#include "mail/structured.h"

#include <string.h>

#include "base/error.h"
#include "mail/address.h"
#include "mail/field.h"
#include "mail/header.h"
#include "text/hostname.h"

enum grammar {
	GRAMMAR_TEXT,	   /* unstructured (RFC 5322 section 2.2.1) */
	GRAMMAR_TOKENS,	   /* words, ids, dates: ASCII alone */
	GRAMMAR_ADDRESSES, /* as To */
	GRAMMAR_PHRASES,   /* separated by commas */
	GRAMMAR_URLS,	   /* between < and >, separated by commas (RFC 2369 section 2) */
	GRAMMAR_LIST_ID,   /* a phrase, and an id between < and > (RFC 2919 section 3) */
};

/* The fields that have a grammar, and those that may stand once (RFC 5322 section 3.6, RFC 2369
   section 2, RFC 2919 section 3, RFC 8058, RFC 3834 section 5, RFC 8098 section 2.1, and those that
   readers take the first or the last one of). Those that a caller must not give are not here
   (mail_header_reserved). */
static const struct {
	const char *name;
	enum grammar grammar;
	bool repeats;
} fields[] = {
    {"Abuse-Reports-To", GRAMMAR_ADDRESSES, false},
    {"Accept-Language", GRAMMAR_TOKENS, false},
    {"Archived-At", GRAMMAR_URLS, true},
    {"Auto-Submitted", GRAMMAR_TOKENS, false},
    {"Autocrypt", GRAMMAR_TOKENS, false},
    {"BIMI-Selector", GRAMMAR_TOKENS, false},
    {"Comments", GRAMMAR_TEXT, true},
    {"Delivered-To", GRAMMAR_ADDRESSES, true},
    {"Disposition-Notification-Options", GRAMMAR_TOKENS, false},
    {"Disposition-Notification-To", GRAMMAR_ADDRESSES, false},
    {"Envelope-To", GRAMMAR_ADDRESSES, true},
    {"Errors-To", GRAMMAR_ADDRESSES, false},
    {"Expires", GRAMMAR_TOKENS, false},
    {"Expiry-Date", GRAMMAR_TOKENS, false},
    {"Feedback-ID", GRAMMAR_TOKENS, false},
    {"Importance", GRAMMAR_TOKENS, false},
    {"In-Reply-To", GRAMMAR_TOKENS, false},
    {"Keywords", GRAMMAR_PHRASES, true},
    {"List-Archive", GRAMMAR_URLS, false},
    {"List-Help", GRAMMAR_URLS, false},
    {"List-Id", GRAMMAR_LIST_ID, false},
    {"List-Owner", GRAMMAR_URLS, false},
    {"List-Post", GRAMMAR_URLS, false},
    {"List-Subscribe", GRAMMAR_URLS, false},
    {"List-Unsubscribe", GRAMMAR_URLS, false},
    {"List-Unsubscribe-Post", GRAMMAR_TOKENS, false},
    {"MT-Priority", GRAMMAR_TOKENS, false},
    {"Mail-Followup-To", GRAMMAR_ADDRESSES, false},
    {"Mail-Reply-To", GRAMMAR_ADDRESSES, false},
    {"Message-Context", GRAMMAR_TOKENS, false},
    {"Obsoletes", GRAMMAR_TOKENS, false},
    {"Original-From", GRAMMAR_ADDRESSES, false},
    {"Original-Message-ID", GRAMMAR_TOKENS, false},
    {"Precedence", GRAMMAR_TOKENS, false},
    {"Priority", GRAMMAR_TOKENS, false},
    {"References", GRAMMAR_TOKENS, false},
    {"Reply-By", GRAMMAR_TOKENS, false},
    {"Require-Recipient-Valid-Since", GRAMMAR_TOKENS, false},
    {"Return-Receipt-To", GRAMMAR_ADDRESSES, false},
    {"Sensitivity", GRAMMAR_TOKENS, false},
    {"Supersedes", GRAMMAR_TOKENS, false},
    {"TLS-Required", GRAMMAR_TOKENS, false},
    {"X-Confirm-Reading-To", GRAMMAR_ADDRESSES, false},
    {"X-MSMail-Priority", GRAMMAR_TOKENS, false},
    {"X-Priority", GRAMMAR_TOKENS, false},
};

/* The place of a field in the table; its size: it is not there. */
static gsize
field_find(const char *name)
{
	gsize i = 0;

	while (i < G_N_ELEMENTS(fields) && g_ascii_strcasecmp(fields[i].name, name) != 0)
		i++;
	return i;
}

const char *
mail_structured_pass(const char *p)
{
	char open = *p, close = open == '(' ? ')' : '"';
	guint depth = 1;

	for (p++; *p && depth > 0; p++)
		if (*p == '\\' && p[1])
			p++;
		else if (*p == close)
			depth--;
		else if (*p == open)
			depth++;
	return p;
}

bool
mail_structured_repeats(const char *name)
{
	gsize i = field_find(name);

	return i == G_N_ELEMENTS(fields) || fields[i].repeats;
}

static enum grammar
grammar_of(const struct mail_header *header)
{
	gsize i = field_find(header->name);

	return i < G_N_ELEMENTS(fields) ? fields[i].grammar : GRAMMAR_TEXT;
}

static void
append_percent(GString *out, const char *text, gsize size)
{
	for (gsize i = 0; i < size; i++) {
		if (text[i] > ' ' && text[i] <= '~')
			g_string_append_c(out, text[i]);
		else
			g_string_append_printf(out, "%%%02X", (guchar)text[i]);
	}
}

/* Appends the host of size bytes as A-labels. False: it has none. */
static bool
append_host(GString *out, const char *host, gsize size)
{
	g_autofree char *name = g_strndup(host, size);
	g_autofree char *ascii = g_str_is_ascii(name) ? g_strdup(name) : text_hostname_host(name);

	if (ascii)
		g_string_append(out, ascii);
	return ascii;
}

/* Appends user@host:port. */
static bool
structured_append_authority(GString *out, const char *text, gsize size)
{
	const char *at = memrchr(text, '@', size);
	const char *host = at ? at + 1 : text;
	gsize rest = size - (gsize)(host - text);
	const char *colon = memchr(host, ':', rest);
	gsize length = colon ? (gsize)(colon - host) : rest;

	append_percent(out, text, (gsize)(host - text));
	if (!append_host(out, host, length))
		return false;
	append_percent(out, host + length, rest - length);
	return true;
}

/* Appends the addresses of a mailto (RFC 6068), separated by commas. */
static bool
append_addresses(GString *out, const char *text, gsize size)
{
	const char *end = text + size;

	while (text < end) {
		const char *comma = memchr(text, ',', (gsize)(end - text));
		const char *stop = comma ? comma : end;
		const char *at = memrchr(text, '@', (gsize)(stop - text));
		const char *host = at ? at + 1 : stop;

		append_percent(out, text, (gsize)(host - text));
		if (!append_host(out, host, (gsize)(stop - host)))
			return false;
		if (comma)
			g_string_append_c(out, ',');
		text = comma ? comma + 1 : end;
	}
	return true;
}

/* Appends a URL of size bytes in ASCII. False: its host has no such form. */
static bool
structured_append_url(GString *out, const char *url, gsize size)
{
	gsize scheme = strcspn(url, ":>") + 1, begin = scheme, length;
	bool is_mailto = g_ascii_strncasecmp(url, "mailto:", 7) == 0;
	bool has_host = scheme < size && strncmp(url + scheme, "//", 2) == 0;

	if (!is_mailto && !has_host) {
		append_percent(out, url, size);
		return true;
	}
	begin += has_host ? 2 : 0;
	length = MIN(strcspn(url + begin, is_mailto ? "?#>" : "/\\?#>"), size - begin);
	append_percent(out, url, begin);
	if (!(is_mailto ? append_addresses : structured_append_authority)(out, url + begin, length))
		return false;
	append_percent(out, url + begin + length, size - begin - length);
	return true;
}

/* The value with its URLs in ASCII; NULL, and the reason, where that cannot be. The caller owns it.
 */
static char *
urls_make(const char *value, const char **why_r)
{
	g_autoptr(GString) out = g_string_new(NULL);

	*why_r = "must have text that is not ASCII only in URLs, which stand between < and >";
	while (*value) {
		gsize gap = strcspn(value, "<");
		const char *url = value + gap + 1, *end = value[gap] ? strchr(url, '>') : NULL;
		g_autofree char *before = g_strndup(value, gap);

		if (!g_str_is_ascii(before) || (value[gap] && !end))
			return NULL;
		g_string_append(out, before);
		if (!end)
			break;
		g_string_append_c(out, '<');
		if (!structured_append_url(out, url, (gsize)(end - url))) {
			*why_r = "must have URLs with valid host names";
			return NULL;
		}
		g_string_append_c(out, '>');
		value = end + 1;
	}
	return g_strdup(out->str);
}

/* Takes the quotes from a phrase, where it has them around it. */
static char *
phrase_make(const char *text, gsize size)
{
	g_autofree char *given = g_strndup(text, size);
	const char *p = g_strstrip(given);
	gsize length = strlen(p);
	GString *phrase = g_string_new(NULL);

	if (length < 2 || *p != '"' || p[length - 1] != '"')
		return g_string_free(g_string_append(phrase, p), FALSE);
	for (gsize i = 1; i + 1 < length; i++) {
		i += p[i] == '\\' && i + 2 < length;
		g_string_append_c(phrase, p[i]);
	}
	return g_string_free(phrase, FALSE);
}

/* The id of a List-Id with < and >, in ASCII, and its phrase, "" without one. False, and the
   reason, for another value. The caller owns both. */
static bool
list_id_make(const char *value, char **phrase_r, char **id_r, const char **why_r)
{
	const char *open = strrchr(value, '<'), *close = open ? strchr(open, '>') : NULL;

	*why_r = "must have an id between < and > at its end";
	if (!close || close[1 + strspn(close + 1, " \t")])
		return false;
	g_autofree char *given = g_strndup(open + 1, (gsize)(close - open - 1));
	g_autofree char *id = g_str_is_ascii(given) ? g_strdup(given) : text_hostname_host(given);
	*why_r = "must have an id that is ASCII, or a valid host name";
	if (!id || !*id || strpbrk(id, " \t"))
		return false;
	*phrase_r = phrase_make(value, (gsize)(open - value));
	*id_r = g_strconcat("<", id, ">", NULL);
	return true;
}

static bool
structured_refuse(GError **error, const char *why)
{
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, why);
	return false;
}

static bool
urls_check(const char *value, GError **error)
{
	const char *why;
	g_autofree char *urls = urls_make(value, &why);

	if (!urls)
		return structured_refuse(error, why);
	return mail_field_fits(urls) ||
	       structured_refuse(error, "must not have a URL of more than 997 characters in ASCII");
}

static bool
list_id_check(const char *value, GError **error)
{
	const char *why;
	g_autofree char *phrase = NULL, *id = NULL;

	return list_id_make(value, &phrase, &id, &why) || structured_refuse(error, why);
}

static bool
structured_has_control(const char *text)
{
	for (; *text; text = g_utf8_next_char(text))
		if (g_unichar_iscntrl(g_utf8_get_char(text)))
			return true;
	return false;
}

bool
mail_structured_check(const struct mail_header *header, GError **error)
{
	enum grammar grammar = grammar_of(header);
	g_autoptr(GPtrArray) addresses = NULL;

	if (g_str_is_ascii(header->value) || grammar == GRAMMAR_TEXT)
		return true;
	if (structured_has_control(header->value))
		return structured_refuse(error, "must not have control characters in it");
	switch (grammar) {
	case GRAMMAR_ADDRESSES:
		addresses = mail_address_parse_list(header->value, error);
		return addresses;
	case GRAMMAR_URLS:
		return urls_check(header->value, error);
	case GRAMMAR_LIST_ID:
		return list_id_check(header->value, error);
	case GRAMMAR_PHRASES:
		return true;
	default:
		return structured_refuse(error, "must be ASCII");
	}
}

static void
addresses_write(struct mail_field *field, const char *value)
{
	g_autoptr(GPtrArray) addresses = mail_address_parse_list(value, NULL);

	for (guint i = 0; i < addresses->len; i++)
		mail_field_address(field, addresses->pdata[i], i + 1 < addresses->len);
}

static void
phrases_write(struct mail_field *field, const char *value)
{
	g_auto(GStrv) given = g_strsplit(value, ",", -1);
	bool any = false;

	for (char **text = given; *text; text++) {
		g_autofree char *phrase = phrase_make(*text, strlen(*text));

		if (!*phrase)
			continue;
		if (any)
			mail_field_word(field, " ", ",");
		mail_field_phrase(field, phrase);
		any = true;
	}
}

static void
urls_write(struct mail_field *field, const char *value)
{
	const char *why;
	g_autofree char *urls = urls_make(value, &why);

	mail_field_words(field, urls);
}

static void
list_id_write(struct mail_field *field, const char *value)
{
	const char *why;
	g_autofree char *phrase = NULL, *id = NULL;

	list_id_make(value, &phrase, &id, &why);
	if (*phrase)
		mail_field_phrase(field, phrase);
	mail_field_word(field, " ", id);
}

void
mail_structured_write(struct mail_field *field, const struct mail_header *header)
{
	static void (*const writers[])(struct mail_field *, const char *) = {
	    [GRAMMAR_TEXT] = mail_field_value,
	    [GRAMMAR_TOKENS] = mail_field_value,
	    [GRAMMAR_ADDRESSES] = addresses_write,
	    [GRAMMAR_PHRASES] = phrases_write,
	    [GRAMMAR_URLS] = urls_write,
	    [GRAMMAR_LIST_ID] = list_id_write,
	};
	/* A stored value may be older than the check. */
	bool is_text = g_str_is_ascii(header->value) || !mail_structured_check(header, NULL);

	writers[is_text ? GRAMMAR_TEXT : grammar_of(header)](field, header->value);
}
