/* SPDX-License-Identifier: MIT */
/* Reads and writes lists of addresses. */
#include "mail/address.h"

#include <gmime/gmime.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "mail/part.h"
#include "mail/words.h"

#define ECHO_LENGTH 100

/* An element of a list of addresses, trimmed, without comments. Parsed here and not by GMime,
   which skips text that it cannot read, so that only part of the list would be sent, and which
   leaks memory when it fails. */
struct element {
	char *text;
	char *name;	 /* without quotes, encoded words still encoded; "" when there is none */
	char *addr_spec; /* the text in angle brackets, or all of it without brackets */
};

/* The end of the quoted string or domain literal at p, or NULL. */
static const char *
quoted_end(const char *p, char close)
{
	for (p++; *p && *p != close; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p : NULL;
}

/* The end of the comment at p, which may contain comments (RFC 5322 section 3.2.2), or NULL. */
static const char *
comment_end(const char *p)
{
	for (int depth = 0; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '(')
			depth++;
		else if (*p == ')' && --depth == 0)
			return p;
	}
	return NULL;
}

enum place { BEFORE_ANGLE, WITHIN_ANGLE, AFTER_ANGLE };

/* The last character of the piece at p: a comment, a quoted string, a literal, or p itself.
   NULL, and the reason, where the piece is not allowed. */
static const char *
piece_end(const char *p, enum place place, const char **why_r)
{
	*why_r = "is not one";
	if (*p == '(')
		return comment_end(p);
	if (place == AFTER_ANGLE && *p != ' ') {
		*why_r = "has text after the address";
		return NULL;
	}
	switch (*p) {
	case '"':
		return quoted_end(p, '"');
	case '[':
		return quoted_end(p, ']');
	case '<':
		return place == BEFORE_ANGLE ? p : NULL;
	case '>':
		return place == WITHIN_ANGLE ? p : NULL;
	case ':':
	case ';':
		*why_r = "is a group; give its addresses, separated by commas";
		return NULL;
	case ',':
	case '\\':
		return NULL;
	default:
		return p;
	}
}

static void
clear_element(struct element *element)
{
	g_free(element->text);
	g_free(element->name);
	g_free(element->addr_spec);
}

/* The parts of an element while it is read. */
struct parts {
	GString *all;
	GString *name;	/* before the angle bracket */
	GString *angle; /* within them */
	bool phrase;	/* the name so far needs no quotes */
	bool commented; /* comments are over, whose blank is not added yet */
	enum place place;
};

static void
address_end_word(GString *name)
{
	if (name->len > 0 && name->str[name->len - 1] != ' ')
		g_string_append_c(name, ' ');
}

/* Adds the words of a name, with one space between two of them. */
static void
address_add_word(struct parts *parts, const char *piece, gsize size)
{
	GString *name = parts->name;

	if (*piece == '"') {
		address_end_word(name);
		for (gsize i = 1; i + 1 < size; i++) {
			i += piece[i] == '\\';
			g_string_append_c(name, piece[i]);
		}
		g_string_append_c(name, ' ');
	} else if (*piece != ' ') {
		g_string_append_len(name, piece, size);
		parts->phrase = parts->phrase &&
				(mail_addr_spec_is_atext(*piece) || *piece == '.' || *piece & 0x80);
	} else {
		address_end_word(name);
	}
}

/* Adds a piece, which is no comment, to the part that it belongs to. */
static void
put_piece(struct parts *parts, const char *piece, gsize size)
{
	g_string_append_len(parts->all, piece, size);
	if (*piece == '<' || *piece == '>')
		parts->place++;
	else if (parts->place == BEFORE_ANGLE)
		address_add_word(parts, piece, size);
	else if (parts->place == WITHIN_ANGLE)
		g_string_append_len(parts->angle, piece, size);
}

/* Adds a piece. Comments are a blank, but beside the @ they are nothing. False: the piece is not
   allowed there. */
static bool
add_piece(struct parts *parts, const char *piece, gsize size)
{
	if (*piece == '(') {
		parts->commented = !g_str_has_suffix(parts->all->str, "@");
		return true;
	}
	if (parts->commented && *piece != '@')
		put_piece(parts, " ", 1);
	parts->commented = false;
	put_piece(parts, piece, size);
	return *piece != '<' || parts->phrase;
}

static void
take_parts(struct parts *parts, struct element *element_r)
{
	bool bare = parts->place == BEFORE_ANGLE;

	element_r->text = g_strdup(g_strstrip(parts->all->str));
	element_r->name = g_strdup(bare ? "" : g_strstrip(parts->name->str));
	element_r->addr_spec = g_strdup(g_strstrip(bare ? parts->all->str : parts->angle->str));
}

/* Reads the first element of a list at *text, up to its comma, and moves *text behind the comma,
   to NULL after the last element. False when its structure is wrong: *why_r continues the text
   ("is a group"). The caller clears the element. */
static bool
take_element(const char **text, struct element *element_r, const char **why_r)
{
	g_autoptr(GString) all = g_string_new(NULL);
	g_autoptr(GString) name = g_string_new(NULL);
	g_autoptr(GString) angle = g_string_new(NULL);
	struct parts parts = {.all = all, .name = name, .angle = angle, .phrase = true};
	const char *p;

	for (p = *text; *p && !(*p == ',' && parts.place != WITHIN_ANGLE); p++) {
		const char *end = piece_end(p, parts.place, why_r);
		if (!end || !add_piece(&parts, p, end - p + 1))
			return false;
		p = end;
	}
	*why_r = "is not one";
	if (parts.place == WITHIN_ANGLE)
		return false;
	*text = *p ? p + 1 : NULL;
	take_parts(&parts, element_r);
	return true;
}

static bool
address_has_control(const char *text)
{
	for (; *text; text = g_utf8_next_char(text))
		if (g_unichar_iscntrl(g_utf8_get_char(text)))
			return true;
	return false;
}

/* The given text, shortened for an error. */
static char *
echo(const char *text)
{
	g_autofree char *start =
	    g_utf8_substring(text, 0, MIN(g_utf8_strlen(text, -1), ECHO_LENGTH));
	GString *shown = g_string_new(NULL);

	for (const char *p = start; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);
		g_string_append_unichar(shown, g_unichar_iscntrl(c) ? '?' : c);
	}
	return g_string_free(shown, FALSE);
}

static void
set_invalid(GError **error, const char *text, const char *why)
{
	g_autofree char *shown = echo(text);

	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "must be a valid email address: \"%s\" %s",
	    shown, why);
}

bool
mail_address_valid(const char *addr_spec, char **normal_r)
{
	const char *why;
	g_autofree char *normal = NULL;

	if (g_utf8_validate(addr_spec, -1, NULL) && !address_has_control(addr_spec))
		normal = mail_addr_spec_normal(addr_spec, MAIL_LOCAL_KNOWN, &why);
	bool valid = normal != NULL;
	if (normal_r)
		*normal_r = g_steal_pointer(&normal);
	return valid;
}

static bool
address_check_text(const char *text, GError **error)
{
	mail_gmime_use();
	if (!g_utf8_validate(text, -1, NULL)) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "must be valid UTF-8");
		return false;
	}
	if (address_has_control(text)) {
		set_invalid(error, text, "has control characters or line breaks");
		return false;
	}
	return true;
}

char *
mail_address_normal(const char *addr_spec, enum mail_local local, GError **error)
{
	const char *why;

	if (!address_check_text(addr_spec, error))
		return NULL;
	char *normal = mail_addr_spec_normal(addr_spec, local, &why);
	if (!normal)
		set_invalid(error, addr_spec, why);
	return normal;
}

/* Decodes and checks a name. NULL with error set when it is longer than most or has control
   characters. */
static char *
address_read_name(const char *given, int most, GError **error)
{
	g_autofree char *name = g_strstrip(mail_words_decode_phrase(given));

	if (address_has_control(name)) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "must not have control characters in a name");
		return NULL;
	}
	if (g_utf8_strlen(name, -1) > most) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "must not have a name of more than %d characters", most);
		return NULL;
	}
	return g_steal_pointer(&name);
}

static struct mail_address *
read_element(const struct element *element, enum mail_local local, int most, GError **error)
{
	const char *why;
	g_autofree char *normal = mail_addr_spec_normal(element->addr_spec, local, &why);

	if (!normal) {
		set_invalid(error, element->text, why);
		return NULL;
	}
	g_autofree char *name = address_read_name(element->name, most, error);
	if (!name)
		return NULL;
	struct mail_address *address = g_new0(struct mail_address, 1);
	address->name = g_steal_pointer(&name);
	address->address = g_steal_pointer(&normal);
	return address;
}

static struct mail_address *
address_read_one(const char *text, enum mail_local local, GError **error)
{
	struct element element = {0};
	const char *rest = text;
	const char *why;
	struct mail_address *address = NULL;

	if (!take_element(&rest, &element, &why))
		set_invalid(error, text, why);
	else if (rest)
		set_invalid(error, text, "is a list");
	else
		address = read_element(&element, local, LIMIT_SENDER_NAME_LENGTH, error);
	clear_element(&element);
	return address;
}

/* Whether the text before the last <address> has another one, or several elements, separated by
   commas, of which one is an address. */
static bool
has_addresses(const char *text)
{
	g_auto(GStrv) elements = g_strsplit(text, ",", -1);
	const char *open = strchr(text, '<');
	bool found = open && strchr(open, '@');

	for (guint i = 0; elements[i] && elements[1] && !found; i++) {
		AUTO(mail_address)
		address = address_read_one(g_strstrip(elements[i]), MAIL_LOCAL_ANY, NULL);

		found = address;
	}
	return found;
}

/* Reads a text that is no list, and ends in <address>: all before it is the name, as people write
   one that needs quotes without them. A text that has addresses before it is a list with a fault in
   it, which nobody must read as a name: its recipients would be lost. NULL: it is no such text.
   The name is not checked yet. */
static struct element *
address_take_named(const char *text)
{
	gsize size = strlen(text);
	const char *open = g_strrstr(text, "<");

	while (size > 0 && text[size - 1] == ' ')
		size--;
	if (!open || text[size - 1] != '>')
		return NULL;
	g_autofree char *name = g_strndup(text, (gsize)(open - text));
	if (has_addresses(name))
		return NULL;
	struct element *element = g_new0(struct element, 1);
	element->text = g_strndup(text, size);
	element->name = g_strdup(g_strstrip(name));
	element->addr_spec = g_strndup(open + 1, (gsize)(text + size - 1 - (open + 1)));
	return element;
}

/* Reads such a text. NULL without an error when it is none, or its address is not valid. */
static struct mail_address *
read_named(const char *text, int most, GError **error)
{
	struct element *element = address_take_named(text);
	const char *why;

	if (!element)
		return NULL;
	g_autofree char *normal =
	    mail_addr_spec_normal(element->addr_spec, MAIL_LOCAL_SENDABLE, &why);
	struct mail_address *address =
	    normal ? read_element(element, MAIL_LOCAL_SENDABLE, most, error) : NULL;
	clear_element(element);
	g_free(element);
	return address;
}

/* Takes the address of read_named (NULL: none), else the fault of the other reading. */
static struct mail_address *
address_choose(struct mail_address *named, GError *fault, GError *named_fault, GError **error)
{
	if (!named)
		g_propagate_error(error, named_fault ? named_fault : g_steal_pointer(&fault));
	g_clear_error(&fault);
	return named;
}

static struct mail_address *
address_parse(const char *text, enum mail_local local, GError **error)
{
	GError *fault = NULL, *named_fault = NULL;

	if (!address_check_text(text, error))
		return NULL;
	struct mail_address *address = address_read_one(text, local, &fault);
	return address ? address
		       : address_choose(read_named(text, LIMIT_SENDER_NAME_LENGTH, &named_fault),
			     fault, named_fault, error);
}

struct mail_address *
mail_address_parse(const char *text, GError **error)
{
	return address_parse(text, MAIL_LOCAL_SENDABLE, error);
}

struct mail_address *
mail_address_reread(const char *text, GError **error)
{
	return address_parse(text, MAIL_LOCAL_ANY, error);
}

/* Adds the first element of *text, which is not empty, and moves behind it. */
static bool
add_element(GPtrArray *list, const char **text, enum mail_local local, GError **error)
{
	struct element element = {0};
	const char *start = *text;
	const char *why;
	struct mail_address *address = NULL;

	if (!take_element(text, &element, &why)) {
		set_invalid(error, start, why);
		return false;
	}
	/* A comment alone is no element. */
	bool empty = !*element.text;
	if (!empty && (address = read_element(&element, local, LIMIT_ADDRESS_NAME_LENGTH, error)))
		g_ptr_array_add(list, address);
	clear_element(&element);
	return empty || address;
}

/* Adds the addresses of a text, up to one more than the limit. */
static bool
add_all(GPtrArray *list, const char *text, enum mail_local local, GError **error)
{
	guint before = list->len;

	for (const char *rest = text; rest && list->len <= LIMIT_RECIPIENTS;) {
		rest += strspn(rest, " ,");
		if (!*rest)
			break;
		if (!add_element(list, &rest, local, error))
			return false;
	}
	if (list->len > before)
		return true;
	set_invalid(error, text, "is empty");
	return false;
}

static bool
add_list(GPtrArray *list, const char *text, enum mail_local local, GError **error)
{
	guint before = list->len;
	GError *fault = NULL, *named_fault = NULL;

	if (!address_check_text(text, error))
		return false;
	if (add_all(list, text, local, &fault))
		return true;
	g_ptr_array_set_size(list, (int)before);
	struct mail_address *named = address_choose(
	    read_named(text, LIMIT_ADDRESS_NAME_LENGTH, &named_fault), fault, named_fault, error);
	if (named)
		g_ptr_array_add(list, named);
	return named;
}

bool
mail_address_add_list(GPtrArray *list, const char *text, GError **error)
{
	return add_list(list, text, MAIL_LOCAL_SENDABLE, error);
}

GPtrArray *
mail_address_list_new(void)
{
	return g_ptr_array_new_with_free_func(mail_address_destroy);
}

static GPtrArray *
parse_list(const char *text, enum mail_local local, GError **error)
{
	g_autoptr(GPtrArray) list = mail_address_list_new();

	if (!add_list(list, text, local, error))
		return NULL;
	if (list->len <= LIMIT_RECIPIENTS)
		return g_steal_pointer(&list);
	g_set_error(
	    error, PH_ERROR, PH_ERROR_INVALID, "must have at most %d addresses", LIMIT_RECIPIENTS);
	return NULL;
}

GPtrArray *
mail_address_parse_list(const char *text, GError **error)
{
	if (strlen(text) <= LIMIT_ADDRESS_LIST_BYTES)
		return parse_list(text, MAIL_LOCAL_SENDABLE, error);
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "must be at most %d bytes",
	    LIMIT_ADDRESS_LIST_BYTES);
	return NULL;
}

#define LOWER_NUMERIC "abcdefghijklmnopqrstuvwxyz0123456789"
#define ALPHA_NUMERIC LOWER_NUMERIC "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Whether a stored text is one address without a name, of letters, digits and few other signs,
   which needs no parser. */
static bool
address_is_plain(const char *text)
{
	gsize local = strspn(text, ALPHA_NUMERIC "+-_");
	const char *label = text + local + 1;

	if (local == 0 || text[local] != '@')
		return false;
	for (;;) {
		gsize size = strspn(label, LOWER_NUMERIC);

		if (size == 0 || (label[size] && label[size] != '.'))
			return false;
		if (!label[size])
			return label > text + local + 1;
		label += size + 1;
	}
}

GPtrArray *
mail_address_reread_list(const char *text, GError **error)
{
	if (address_is_plain(text)) {
		struct mail_address *address = g_new0(struct mail_address, 1);
		GPtrArray *list = mail_address_list_new();

		address->name = g_strdup("");
		address->address = g_strdup(text);
		g_ptr_array_add(list, address);
		return list;
	}
	return parse_list(text, MAIL_LOCAL_ANY, error);
}

void
mail_address_free(struct mail_address *address)
{
	if (!address)
		return;
	g_free(address->name);
	g_free(address->address);
	g_free(address);
}

const char *
mail_address_domain(const struct mail_address *address)
{
	return strrchr(address->address, '@') + 1;
}

char *
mail_address_key(const char *addr_spec)
{
	return g_ascii_strdown(addr_spec, -1);
}

/* Whether a name needs no quotes: words of atext and of non-ASCII letters, with single spaces
   between them. */
static bool
address_is_phrase(const char *name)
{
	bool after_space = true;

	for (; *name; name++) {
		if (*name == ' ' ? after_space : !(mail_addr_spec_is_atext(*name) || *name & 0x80))
			return false;
		after_space = *name == ' ';
	}
	return !after_space;
}

static char *
format_name(const char *name)
{
	/* A reader would decode a name that looks like an encoded word, quoted or not. */
	if (strstr(name, "=?")) {
		g_autofree char *encoded = g_base64_encode((const guchar *)name, strlen(name));
		return g_strdup_printf("=?utf-8?b?%s?=", encoded);
	}
	return address_is_phrase(name) ? g_strdup(name) : mail_addr_spec_quote(name);
}

char *
mail_address_format(const struct mail_address *address)
{
	if (!*address->name)
		return g_strdup(address->address);
	g_autofree char *name = format_name(address->name);
	return g_strdup_printf("%s <%s>", name, address->address);
}

char *
mail_address_format_list(const GPtrArray *addresses)
{
	GString *list = g_string_new(NULL);

	for (guint i = 0; i < addresses->len; i++) {
		g_autofree char *one = mail_address_format(g_ptr_array_index(addresses, i));
		g_string_append_printf(list, "%s%s", i > 0 ? ", " : "", one);
	}
	return g_string_free(list, FALSE);
}
