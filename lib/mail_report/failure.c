/* SPDX-License-Identifier: MIT */
/* Reads codes and words about a recipient that could not be reached. */
#include "mail_report/failure.h"

#include <string.h>

/* The place behind a number of at most so many digits; NULL without one. */
static const char *
skip_number(const char *text, gsize digits)
{
	gsize length = strspn(text, "0123456789");

	return length > 0 && length <= digits ? text + length : NULL;
}

bool
mail_report_failure_read_status(const char *text, char status_r[12])
{
	const char *begin = text + strspn(text, " \t");
	const char *end = strchr("245", *begin) && *begin && begin[1] == '.' && begin[2] >= '0' &&
				  begin[2] <= '7' && begin[3] == '.'
			      ? skip_number(begin + 4, 3)
			      : NULL;

	/* Longer ones are IP addresses or versions of programs. */
	if (!end || g_ascii_isalnum(*end) || (*end == '.' && g_ascii_isdigit(end[1])))
		return false;
	g_strlcpy(status_r, begin, MIN((gsize)12, (gsize)(end - begin) + 1));
	return true;
}

bool
mail_report_failure_is_vague(const char *status)
{
	return !*status || g_str_has_suffix(status, ".0");
}

static bool
begins_word(const char *text, const char *at)
{
	return at == text || (!g_ascii_isalnum(at[-1]) && at[-1] != '.' && at[-1] != '-');
}

bool
mail_report_failure_find_status(const char *text, char status_r[12])
{
	char status[12], first[12] = "";

	for (const char *p = text; *p; p++) {
		if ((*p != '4' && *p != '5') ||
		    (p != text && p[-1] != '-' && !begins_word(text, p)) ||
		    !mail_report_failure_read_status(p, status))
			continue;
		if (!mail_report_failure_is_vague(status)) {
			g_strlcpy(status_r, status, 12);
			return true;
		}
		if (!*first)
			g_strlcpy(first, status, sizeof(first));
	}
	if (*first)
		g_strlcpy(status_r, first, 12);
	return *first;
}

int
mail_report_failure_find_code(const char *text)
{
	for (const char *p = text; *p; p++)
		if ((*p == '4' || *p == '5') && begins_word(text, p) && p[1] >= '0' &&
		    p[1] <= '5' && g_ascii_isdigit(p[2]) && strchr(" -\t\n,;:)]>'\"", p[3]))
			return (p[0] - '0') * 100 + (p[1] - '0') * 10 + (p[2] - '0');
	return 0;
}

/* Whether a token names something: an address, a URL, a host. */
static bool
failure_is_name(const char *token, gsize size)
{
	if (memchr(token, '@', size) || g_strstr_len(token, (gssize)size, "://"))
		return true;
	for (gsize i = 1; i + 1 < size; i++)
		if (token[i] == '.' && g_ascii_isalnum(token[i - 1]) &&
		    g_ascii_isalnum(token[i + 1]))
			return true;
	return false;
}

/* Adds a word, a number as "#"; leaves out the codes of replies. */
static void
failure_add_word(GString *words, const char *word, gsize size)
{
	bool number = strspn(word, "0123456789") >= size;

	if (size == 0 || (number && size == 3 && (*word == '4' || *word == '5')))
		return;
	g_string_append_len(words, number ? "#" : word, number ? 1 : (gssize)size);
	g_string_append_c(words, ' ');
}

static bool
is_in_word(char c)
{
	return g_ascii_isalnum(c) || c == '\'' || (c & 0x80);
}

/* Names of lists of blocked hosts stand in names of hosts, too. */
static bool
is_blocklist(const char *token, gsize size)
{
	static const char *const lists[] = {
	    "spamhaus", "spamcop", "dnsbl", "uribl", "surbl", "sorbs", "rbl."};

	for (gsize i = 0; i < G_N_ELEMENTS(lists); i++)
		if (g_strstr_len(token, (gssize)size, lists[i]) && !memchr(token, '@', size))
			return true;
	return false;
}

static void
add_token(GString *words, const char *token, gsize size)
{
	gsize begin = 0;

	if (failure_is_name(token, size)) {
		if (is_blocklist(token, size))
			g_string_append(words, "blocklist ");
		else if (!memchr(token, '@', size) && strspn(token, "0123456789.#-:;,") < size)
			g_string_append(words, "~ ");
		return;
	}
	for (gsize i = 0; i <= size; i++)
		if (i == size || !is_in_word(token[i])) {
			failure_add_word(words, token + begin, i - begin);
			begin = i + 1;
		}
}

/* The words of a text, each behind one space. The caller owns them. */
static char *
words_of(const char *text)
{
	static const char apostrophe[] = "\xe2\x80\x99";
	g_autofree char *head = g_strndup(text, MAIL_REPORT_FAILURE_BYTES);
	g_autofree char *valid = g_utf8_make_valid(head, -1);
	g_autofree char *lower = g_utf8_strdown(valid, -1);
	g_autoptr(GString) plain = g_string_new(lower);
	GString *words = g_string_new(" ");

	g_string_replace(plain, apostrophe, "'", 0);
	for (const char *p = plain->str; *p;) {
		gsize size = strcspn(p, " \t\r\n<>(){}[]|\"");

		add_token(words, p, size);
		p += size + (p[size] != '\0');
	}
	return g_string_free(words, FALSE);
}

/* Whether a phrase stands in the words. */
static bool
failure_matches(const char *words, gsize length, const char *phrase, gsize size)
{
	bool first = *phrase == '^', last = phrase[size - 1] == '$';
	const char *text = phrase + first, *end = words + length;

	size -= (gsize)first + last;
	for (const char *p = words; (p = memmem(p, (gsize)(end - p), text, size)); p += size)
		/* Letters beyond ASCII stand in scripts that may have no spaces. */
		if ((first ? p == words + 1 : p[-1] == ' ' || *p & 0x80) &&
		    (!last || p + size + 1 == end))
			return true;
	return false;
}

static bool
has_phrase(const char *words, gsize length, const char *phrases)
{
	const char *end;

	for (const char *p = phrases + 1; *p; p = end + 1) {
		end = strchr(p, '|');
		if (failure_matches(words, length, p, (gsize)(end - p)))
			return true;
	}
	return false;
}

/* The first row of one of these topics with a phrase that stands in the words. */
static const struct mail_report_failure_words *
find_row(const char *words, guint topics)
{
	gsize length = strlen(words);

	for (const struct mail_report_failure_words *row = mail_report_failure_words; row->phrases;
	     row++)
		if (row->topic & topics && has_phrase(words, length, row->phrases))
			return row;
	return NULL;
}

static guint
topics_of(const char *words)
{
	gsize length = strlen(words);
	guint topics = 0;

	for (const struct mail_report_failure_words *row = mail_report_failure_words; row->phrases;
	     row++)
		if (!(topics & row->topic) && has_phrase(words, length, row->phrases))
			topics |= row->topic;
	return topics;
}

guint
mail_report_failure_topics(const char *text)
{
	g_autofree char *words = words_of(text);

	return topics_of(words);
}

/* Whether topics are about something else than whether the mailbox exists: such a failure
   suppresses no address. */
static bool
spares(guint topics)
{
	return topics & (MAIL_REPORT_FAILURE_FULL | MAIL_REPORT_FAILURE_RATE |
			    MAIL_REPORT_FAILURE_LATER | MAIL_REPORT_FAILURE_SIZE |
			    MAIL_REPORT_FAILURE_POLICY | MAIL_REPORT_FAILURE_HOST);
}

/* The code that completes a vague one, of the topic that counts most. */
static const char *
completion(const char *words, guint topics)
{
	static const guint order[] = {MAIL_REPORT_FAILURE_FULL, MAIL_REPORT_FAILURE_POLICY,
	    MAIL_REPORT_FAILURE_SIZE, MAIL_REPORT_FAILURE_HOST, MAIL_REPORT_FAILURE_DISABLED,
	    MAIL_REPORT_FAILURE_GONE | MAIL_REPORT_FAILURE_UNAVAILABLE,
	    MAIL_REPORT_FAILURE_NETWORK};

	for (gsize i = 0; i < G_N_ELEMENTS(order); i++)
		if (topics & order[i]) {
			const struct mail_report_failure_words *row = find_row(words, order[i]);

			return row ? row->status : "5.7.1";
		}
	return NULL;
}

/* Whether words may complete the status. */
static bool
failure_is_vague(const char *status)
{
	return mail_report_failure_is_vague(status) && *status != '2';
}

static bool
failure_is_one_of(const char *status, const char *const *list)
{
	return g_strv_contains(list, status);
}

static bool
is_transient(char class, const char *status, guint topics)
{
	/* Mailbox full, system full, no answer from the host, bad connection, directory failure,
	   congested, delivery time expired (RFC 3463), and Exchange's own two of the last. */
	static const char *const passing[] = {"5.2.2", "5.3.1", "5.4.1", "5.4.2", "5.4.3", "5.4.5",
	    "5.4.7", "5.4.300", "5.4.316", NULL};

	if (class == '4' || topics & (MAIL_REPORT_FAILURE_FULL | MAIL_REPORT_FAILURE_RATE))
		return true;
	if (topics & MAIL_REPORT_FAILURE_POLICY)
		return false;
	if (topics & MAIL_REPORT_FAILURE_LATER)
		return true;
	if (failure_is_one_of(status, passing) && !(topics & MAIL_REPORT_FAILURE_GONE))
		return true;
	return topics & MAIL_REPORT_FAILURE_NETWORK &&
	       (mail_report_failure_is_vague(status) || g_str_has_prefix(status, "5.4."));
}

static bool
failure_is_gone(int code, const char *given, const char *status, guint topics,
    enum mail_report_failure_stage stage)
{
	static const char *const mailbox[] = {"5.1.1", "5.1.3", "5.1.6", "5.1.10", "5.2.1", NULL};
	/* Exchange: an unknown recipient at another server, a recipient that its directory lacks.
	 */
	static const char *const open[] = {"5.1.351", "5.4.1", NULL};

	if (spares(topics))
		return false;
	if (failure_is_one_of(status, mailbox))
		return true;
	if (mail_report_failure_is_vague(given) || failure_is_one_of(status, open))
		if (topics & (MAIL_REPORT_FAILURE_GONE | MAIL_REPORT_FAILURE_DISABLED))
			return true;
	return !*given && code == 550 && stage == MAIL_REPORT_FAILURE_RCPT;
}

struct mail_report_failure
mail_report_failure_read(
    int code, const char *status, const char *words, enum mail_report_failure_stage stage)
{
	struct mail_report_failure failure = {.status = ""};
	g_autofree char *plain = words_of(words ? words : "");
	guint topics = topics_of(plain);
	char given[12] = "";

	g_strlcpy(given, status ? status : "", sizeof(given));
	if (mail_report_failure_is_vague(given) && words)
		mail_report_failure_find_status(words, given);
	/* A list of what may have happened, no reply. */
	if (topics & MAIL_REPORT_FAILURE_NETWORK && !code && !*given)
		topics &= ~(guint)(MAIL_REPORT_FAILURE_GONE | MAIL_REPORT_FAILURE_UNAVAILABLE);
	/* At the end of the data a server says this of the message. */
	if (topics & MAIL_REPORT_FAILURE_UNAVAILABLE)
		topics |= stage == MAIL_REPORT_FAILURE_DATA ? MAIL_REPORT_FAILURE_POLICY
							    : MAIL_REPORT_FAILURE_GONE;
	if (stage == MAIL_REPORT_FAILURE_MAIL && topics & MAIL_REPORT_FAILURE_GONE)
		topics = (topics & ~(guint)MAIL_REPORT_FAILURE_GONE) | MAIL_REPORT_FAILURE_POLICY;
	char class = *given ? *given : code ? (char)('0' + code / 100) : '\0';
	const char *completed = failure_is_vague(given) ? completion(plain, topics) : NULL;
	g_strlcpy(failure.status, completed ? completed : given, sizeof(failure.status));
	/* A phrase completes a code, but does not contradict its class. */
	if (completed && class)
		failure.status[0] = class;
	/* A policy's own code says as much with 0. */
	if (completed && strcmp(completed, "5.7.1") == 0 && strncmp(given + 1, ".7.", 3) == 0)
		g_strlcpy(failure.status, given, sizeof(failure.status));
	if (!class)
		class = *failure.status;
	failure.is_transient = is_transient(class, failure.status, topics);
	failure.is_gone =
	    !failure.is_transient && failure_is_gone(code, given, failure.status, topics, stage);
	return failure;
}
