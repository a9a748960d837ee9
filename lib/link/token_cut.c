/* SPDX-License-Identifier: MIT */
/* Cuts tokens that act for a person out of texts that others read. */
#include "link/token_cut.h"

#include <stdbool.h>
#include <string.h>

#include "base/id.h"
#include "base/secret.h"
#include "link/token.h"

#define TOKEN_LENGTH (TOKEN_TEXT_SIZE - 1)
#define HEX_LENGTH (TOKEN_HEX_SIZE - 1)
#define SIGN_IN_LENGTH (LINK_SIGN_IN_TOKEN_SIZE - 1)
#define LINK_MAX 4096 /* of a click link's destination, encoded */
#define WORD_MAX (LINK_MAX + 2)
#define BASE64_LINE 76
#define BASE64_LEAST 48 /* characters of a part that could have a token */

/* So many texts are checked for a signature; after that, what looks like a token is cut. */
#define CHECKS_MAX 20000

struct cutting {
	const struct base_secret *secret;
	const char *text, *end;
	guint *checks; /* made so far */
	bool keeps_downloads;
	GString *out; /* NULL: nothing was cut yet */
	const char *copied;
};

static GString *token_cut_cut(
    const struct base_secret *secret, const char *text, gsize size, guint *checks);

static bool
token_cut_is_word(char c)
{
	return g_ascii_isalnum(c) || c == '-' || c == '_';
}

/* The length of a soft line break of quoted-printable (RFC 2045 section 6.7) at p; 0: none. */
static gsize
soft_break(const char *p, const char *end)
{
	if (end - p >= 3 && memcmp(p, "=\r\n", 3) == 0)
		return 3;
	return end - p >= 2 && memcmp(p, "=\n", 2) == 0 ? 2 : 0;
}

/* A run of base64url characters, without its soft line breaks. */
struct word {
	const char *from, *to; /* its place in the text */
	char text[WORD_MAX + 1];
	gsize length;
};

/* Reads the word at p. False for one that is longer than any that matters. */
static bool
token_cut_read_word(const struct cutting *cutting, const char *p, struct word *word)
{
	word->from = p;
	word->length = 0;
	for (word->to = p; p < cutting->end; word->to = p) {
		gsize skipped = token_cut_is_word(*p) ? 0 : soft_break(p, cutting->end);

		if (skipped && p + skipped < cutting->end && token_cut_is_word(p[skipped]))
			p += skipped;
		else if (!token_cut_is_word(*p))
			break;
		if (word->length < WORD_MAX)
			word->text[word->length] = *p;
		word->length++;
		p++;
	}
	if (word->length > WORD_MAX)
		return false;
	word->text[word->length] = '\0';
	return true;
}

/* Whether the text before p ends so, in any case of letters. */
static bool
is_behind(const struct cutting *cutting, const char *p, const char *before)
{
	gsize size = strlen(before);

	return (gsize)(p - cutting->text) >= size &&
	       g_ascii_strncasecmp(p - size, before, size) == 0;
}

static bool
is_token(struct cutting *cutting, const char *text)
{
	struct link_token token;
	struct base_id id;

	if (base_id_parse(text, &id))
		return false;
	return ++*cutting->checks > CHECKS_MAX ||
	       link_token_read(cutting->secret, TOKEN_UNSUBSCRIBE, text, NULL, &token) ||
	       link_token_read(cutting->secret, TOKEN_CONFIRM, text, NULL, &token);
}

/* Whether the text that follows a token is the end of a URL to download. */
static bool
is_download(struct cutting *cutting, const char *text, const char *rest)
{
	static const char *const marks[] = {"?e=3D", "?e=", "%3Fe%3D", "%3fe%3d"};
	struct link_token token;

	for (guint i = 0; i < G_N_ELEMENTS(marks); i++) {
		gsize size = strlen(marks[i]), digits = 0;
		const char *p = rest + size;

		if ((gsize)(cutting->end - rest) < size || memcmp(rest, marks[i], size) != 0)
			continue;
		while (p + digits < cutting->end && g_ascii_isdigit(p[digits]) && digits < 20)
			digits++;
		g_autofree char *expires = g_strndup(p, digits);
		if (++*cutting->checks > CHECKS_MAX ||
		    link_token_read(cutting->secret, TOKEN_ATTACHMENT, text, expires, &token))
			return true;
	}
	return false;
}

static bool
token_cut_is_address(struct cutting *cutting, const char *text)
{
	struct link_token token;

	return ++*cutting->checks > CHECKS_MAX ||
	       link_token_read_hex(cutting->secret, TOKEN_UNSUBSCRIBE, text, &token);
}

/* Whether the destination of a click link, as base64url, has a token. */
static bool
leads_to_token(struct cutting *cutting, const char *text)
{
	g_autoptr(GBytes) bytes = base_secret_base64url_decode(text);
	gsize size;
	const char *link = bytes ? g_bytes_get_data(bytes, &size) : NULL;
	GString *found = link ? token_cut_cut(cutting->secret, link, size, cutting->checks) : NULL;

	++*cutting->checks;
	if (found)
		g_string_free(found, TRUE);
	return found;
}

/* How many characters at the beginning of a word belong to an escape before it: %2F, =3D, \n. */
static gsize
escape_length(const struct cutting *cutting, const struct word *word)
{
	if (is_behind(cutting, word->from, "\\"))
		return 1;
	bool escaped = is_behind(cutting, word->from, "%") || is_behind(cutting, word->from, "=");

	return escaped && word->length > 2 && g_ascii_isxdigit(word->text[0]) &&
		       g_ascii_isxdigit(word->text[1])
		   ? 2
		   : 0;
}

static bool
is_secret(struct cutting *cutting, const struct word *word, gsize skipped)
{
	const char *text = word->text + skipped, *from = word->from + skipped;
	gsize length = word->length - skipped;

	if (length == TOKEN_LENGTH)
		return is_download(cutting, text, word->to) ? !cutting->keeps_downloads
							    : is_token(cutting, text);
	if (length == HEX_LENGTH && token_cut_is_address(cutting, text))
		return true;
	if (length == SIGN_IN_LENGTH &&
	    (is_behind(cutting, from, "/signin#") || is_behind(cutting, from, "/signin%23")))
		return true;
	return length > TOKEN_LENGTH && length <= LINK_MAX && *cutting->checks <= CHECKS_MAX &&
	       (is_behind(cutting, from, "?d=") || is_behind(cutting, from, "?d=3D") ||
		   is_behind(cutting, from, "%3Fd%3D")) &&
	       leads_to_token(cutting, text);
}

static void
copy_to(struct cutting *cutting, const char *p)
{
	if (!cutting->out)
		cutting->out = g_string_sized_new((gsize)(cutting->end - cutting->text));
	g_string_append_len(cutting->out, cutting->copied, p - cutting->copied);
}

static void
token_cut_look_at(struct cutting *cutting, const struct word *word)
{
	gsize escape = escape_length(cutting, word), skipped = 0;

	if (word->length < TOKEN_LENGTH)
		return;
	if (!is_secret(cutting, word, skipped)) {
		skipped = escape;
		if (!skipped || !is_secret(cutting, word, skipped))
			return;
	}
	copy_to(cutting, word->from + skipped);
	g_string_append(cutting->out, TOKEN_CUT);
	cutting->copied = word->to;
}

static GString *
token_cut_run(struct cutting cutting)
{
	const char *text = cutting.text;
	struct word word;

	if (!cutting.secret)
		return NULL;
	cutting.copied = text;
	for (const char *p = text; p < cutting.end;) {
		const char *to = p;

		while (to < cutting.end && token_cut_is_word(*to))
			to++;
		/* Most words are too short, and go on in no other line. */
		if (to - p < TOKEN_LENGTH && (to == p || to == cutting.end || *to != '=')) {
			p = to + (to == p);
			continue;
		}
		if (token_cut_read_word(&cutting, p, &word))
			token_cut_look_at(&cutting, &word);
		p = word.to;
	}
	if (cutting.out)
		copy_to(&cutting, cutting.end);
	return cutting.out;
}

static GString *
token_cut_cut(const struct base_secret *secret, const char *text, gsize size, guint *checks)
{
	return token_cut_run(
	    (struct cutting){.secret = secret, .text = text, .end = text + size, .checks = checks});
}

GString *
link_token_cut_but_downloads(const struct base_secret *secret, const char *text, gsize size)
{
	guint checks = 0;

	return token_cut_run((struct cutting){.secret = secret,
	    .text = text,
	    .end = text + size,
	    .checks = &checks,
	    .keeps_downloads = true});
}

GString *
link_token_cut(const struct base_secret *secret, const char *text, gsize size)
{
	guint checks = 0;

	return token_cut_cut(secret, text, size, &checks);
}

static bool
is_base64(char c)
{
	return g_ascii_isalnum(c) || c == '+' || c == '/' || c == '=';
}

/* The end of the lines of base64 that begin at p. */
static const char *
base64_end(const char *p, const char *end)
{
	while (p < end) {
		const char *line = p;

		while (p < end && is_base64(*p))
			p++;
		const char *behind = p;
		if (p < end && *p == '\r')
			p++;
		if (behind == line || (p < end && *p != '\n'))
			return line;
		if (p < end)
			p++;
	}
	return p;
}

/* Cuts the contents of a part; NULL when it has no token. */
static GString *
cut_base64(const struct base_secret *secret, const char *from, const char *to, guint *checks)
{
	g_autofree char *encoded = g_strndup(from, (gsize)(to - from));
	gsize size;
	g_autofree char *decoded = (char *)g_base64_decode(encoded, &size);
	GString *plain = token_cut_cut(secret, decoded, size, checks);

	if (!plain)
		return NULL;
	g_autofree char *again = g_base64_encode((const guchar *)plain->str, plain->len);
	g_string_truncate(plain, 0);
	for (const char *p = again; *p; p += strnlen(p, BASE64_LINE))
		g_string_append_printf(plain, "%.*s\r\n", BASE64_LINE, p);
	return plain;
}

/* The place behind the next empty line; NULL: there is none. */
static const char *
token_cut_next_part(const char *p, const char *end)
{
	for (; (p = memchr(p, '\n', (gsize)(end - p))); p++)
		if (end - p >= 3 && memcmp(p, "\n\r\n", 3) == 0)
			return p + 3;
		else if (end - p >= 2 && p[1] == '\n')
			return p + 2;
	return NULL;
}

GString *
link_token_cut_message(const struct base_secret *secret, const char *text, gsize size)
{
	const char *end = text + size, *copied = text, *p = text;
	g_autoptr(GString) decoded = g_string_new(NULL);
	guint checks = 0;

	while ((p = token_cut_next_part(p, end))) {
		const char *to = base64_end(p, end);
		GString *part = to - p >= BASE64_LEAST ? cut_base64(secret, p, to, &checks) : NULL;

		if (part) {
			g_string_append_len(decoded, copied, p - copied);
			g_string_append_len(decoded, part->str, (gssize)part->len);
			g_string_free(part, TRUE);
			copied = to;
		}
		p = to;
	}
	if (copied == text)
		return token_cut_cut(secret, text, size, &checks);
	g_string_append_len(decoded, copied, end - copied);
	GString *whole = token_cut_cut(secret, decoded->str, decoded->len, &checks);
	return whole ? whole : g_steal_pointer(&decoded);
}
