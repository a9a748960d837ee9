/* SPDX-License-Identifier: MIT */
/* Reads DNS messages (RFC 1035 section 4). They are not trusted, so each step checks the bounds. */
#include "dns/reply.h"

#include <ares.h>
#include <arpa/inet.h>
#include <string.h>

#include "base/limits/fetch.h"

#define HEADER_SIZE 12
#define RCODE_NXDOMAIN 3
#define CLASS_IN 1
#define TYPE_A 1
#define TYPE_CNAME 5
#define TYPE_SOA 6
#define TYPE_PTR 12
#define TYPE_MX 15
#define TYPE_TXT 16
#define TYPE_AAAA 28
#define ALIASES_MAX 8

struct reader {
	const guint8 *message;
	gsize size;
	gsize at;
};

/* A record of a message; its data is from at to end. */
struct entry {
	char *owner;
	guint type;
	gsize at, end;
};

int
dns_reply_code(enum dns_type type)
{
	static const int codes[] = {
	    [DNS_TXT] = TYPE_TXT,
	    [DNS_MX] = TYPE_MX,
	    [DNS_SOA] = TYPE_SOA,
	    [DNS_A] = TYPE_A,
	    [DNS_PTR] = TYPE_PTR,
	    [DNS_AAAA] = TYPE_AAAA,
	    [DNS_CNAME] = TYPE_CNAME,
	};

	return codes[type];
}

static bool
reply_read_number(struct reader *reader, guint bytes, guint32 *number_r)
{
	if (reader->size - reader->at < bytes)
		return false;
	*number_r = 0;
	for (guint i = 0; i < bytes; i++)
		*number_r = *number_r << 8 | reader->message[reader->at++];
	return true;
}

/* The octets of a name in a message (RFC 1035 section 3.1). An escape in the text, \. or \000, is
   one octet; the length of the first label and the root are added. */
static gsize
octets_of(const char *name)
{
	gsize octets = 2;

	for (; *name; name++, octets++)
		if (*name == '\\')
			name += g_ascii_isdigit(name[1]) ? 3 : 1;
	return octets;
}

/* Reads a name, without a final dot; "" is the root. NULL when it is malformed or too long;
   pointers in a message can make a name of any length. */
static char *
reply_read_name(struct reader *reader)
{
	char *expanded;
	long taken;

	if (reader->at >= reader->size ||
	    ares_expand_name(reader->message + reader->at, reader->message, (int)reader->size,
		&expanded, &taken) != ARES_SUCCESS)
		return NULL;
	char *name = octets_of(expanded) <= LIMIT_DNS_NAME ? g_strdup(expanded) : NULL;
	ares_free_string(expanded);
	reader->at += (gsize)taken;
	return name;
}

static bool
skip_questions(struct reader *reader, guint32 count)
{
	guint32 type_and_class;

	for (; count > 0; count--) {
		g_autofree char *name = reply_read_name(reader);

		if (!name || !reply_read_number(reader, 4, &type_and_class))
			return false;
	}
	return true;
}

static void
reply_free_entry(gpointer data)
{
	struct entry *entry = data;

	g_free(entry->owner);
	g_free(entry);
}

static bool
read_entries(struct reader *reader, guint32 count, GPtrArray *entries)
{
	for (; count > 0; count--) {
		g_autofree char *owner = reply_read_name(reader);
		guint32 type, class, ttl, size;

		if (!owner || !reply_read_number(reader, 2, &type) ||
		    !reply_read_number(reader, 2, &class) || !reply_read_number(reader, 4, &ttl) ||
		    !reply_read_number(reader, 2, &size) || reader->size - reader->at < size)
			return false;
		if (class == CLASS_IN) {
			struct entry *entry = g_new0(struct entry, 1);

			entry->owner = g_steal_pointer(&owner);
			entry->type = type;
			entry->at = reader->at;
			entry->end = reader->at + size;
			g_ptr_array_add(entries, entry);
		}
		reader->at += size;
	}
	return true;
}

static void
append_bytes(GString *text, const guint8 *bytes, gsize size)
{
	for (gsize i = 0; i < size; i++)
		if (bytes[i] == 0 || bytes[i] > 0x7e)
			g_string_append_printf(text, "\\%03d", bytes[i]);
		else
			g_string_append_c(text, (char)bytes[i]);
}

static bool
reply_read_text(const struct reader *reader, const struct entry *entry, struct dns_answer *answer)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (gsize at = entry->at; at < entry->end;) {
		gsize size = reader->message[at++];

		if (entry->end - at < size)
			return false;
		append_bytes(text, reader->message + at, size);
		at += size;
	}
	answer->text = g_strdup(text->str);
	return true;
}

static bool
reply_read_exchange(
    const struct reader *reader, const struct entry *entry, struct dns_answer *answer)
{
	struct reader inner = {reader->message, reader->size, entry->at};

	return reply_read_number(&inner, 2, &answer->number) &&
	       (answer->text = reply_read_name(&inner)) && inner.at == entry->end;
}

/* The mailbox in a SOA: its first label is the local part, in which dots are escaped (RFC 1035
   section 8). */
static char *
mailbox_of(const char *name)
{
	GString *mailbox = g_string_new(NULL);
	bool local = true;

	for (const char *p = name; *p; p++) {
		if (*p == '\\' && p[1] == '.') {
			g_string_append_c(mailbox, *++p);
		} else if (*p == '.' && local) {
			g_string_append_c(mailbox, '@');
			local = false;
		} else {
			g_string_append_c(mailbox, *p);
		}
	}
	return g_string_free(mailbox, FALSE);
}

static bool
read_authority(const struct reader *reader, const struct entry *entry, struct dns_answer *answer)
{
	struct reader inner = {reader->message, reader->size, entry->at};
	g_autofree char *admin = NULL;

	if (!(answer->text = reply_read_name(&inner)) || !(admin = reply_read_name(&inner)) ||
	    !reply_read_number(&inner, 4, &answer->number) || inner.at > entry->end)
		return false;
	answer->admin = mailbox_of(admin);
	answer->zone = g_strdup(entry->owner);
	return true;
}

static bool
reply_read_address(
    const struct reader *reader, const struct entry *entry, struct dns_answer *answer)
{
	const guint8 *bytes = reader->message + entry->at;

	if (entry->end - entry->at != 4)
		return false;
	answer->text = g_strdup_printf("%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
	return true;
}

static bool
reply_read_address6(
    const struct reader *reader, const struct entry *entry, struct dns_answer *answer)
{
	char text[INET6_ADDRSTRLEN];

	if (entry->end - entry->at != 16)
		return false;
	answer->text =
	    g_strdup(inet_ntop(AF_INET6, reader->message + entry->at, text, sizeof(text)));
	return true;
}

static bool
read_pointer(const struct reader *reader, const struct entry *entry, struct dns_answer *answer)
{
	struct reader inner = {reader->message, reader->size, entry->at};

	return (answer->text = reply_read_name(&inner)) && inner.at == entry->end;
}

static struct dns_answer *
read_answer(const struct reader *reader, const struct entry *entry)
{
	struct dns_answer *answer = g_new0(struct dns_answer, 1);

	if (entry->type == TYPE_TXT    ? reply_read_text(reader, entry, answer)
	    : entry->type == TYPE_MX   ? reply_read_exchange(reader, entry, answer)
	    : entry->type == TYPE_A    ? reply_read_address(reader, entry, answer)
	    : entry->type == TYPE_AAAA ? reply_read_address6(reader, entry, answer)
	    : entry->type == TYPE_PTR || entry->type == TYPE_CNAME
		? read_pointer(reader, entry, answer)
		: read_authority(reader, entry, answer))
		return answer;
	dns_answer_free(answer);
	return NULL;
}

/* Collects the records of the question's type that belong to name, or all of them if name is NULL.
 */
static bool
reply_collect(const struct reader *reader, const GPtrArray *entries, const char *name,
    struct dns_question *question)
{
	for (guint i = 0; i < entries->len; i++) {
		const struct entry *entry = entries->pdata[i];
		struct dns_answer *answer;

		if (entry->type != (guint)dns_reply_code(question->type) ||
		    (name && g_ascii_strcasecmp(entry->owner, name) != 0))
			continue;
		answer = read_answer(reader, entry);
		if (!answer) {
			g_ptr_array_set_size(question->answers, 0);
			return false;
		}
		g_ptr_array_add(question->answers, answer);
	}
	return true;
}

/* The target of the alias name; NULL when the reply has no CNAME for it. */
static char *
alias_of(const struct reader *reader, const GPtrArray *entries, const char *name)
{
	for (guint i = 0; i < entries->len; i++) {
		const struct entry *entry = entries->pdata[i];
		struct reader inner = {reader->message, reader->size, entry->at};

		if (entry->type == TYPE_CNAME && g_ascii_strcasecmp(entry->owner, name) == 0)
			return reply_read_name(&inner);
	}
	return NULL;
}

/* Follows the aliases in the reply until a name has records. The caller owns that last name; NULL
   when a record is malformed. */
static char *
reply_follow(const struct reader *reader, const GPtrArray *entries, const char *name,
    struct dns_question *question)
{
	g_autofree char *last = g_strdup(name);

	for (guint i = 0; i < ALIASES_MAX; i++) {
		if (!reply_collect(reader, entries, last, question))
			return NULL;
		char *next = question->answers->len == 0 ? alias_of(reader, entries, last) : NULL;
		if (!next)
			break;
		g_ptr_array_add(question->aliases, g_strdup(next));
		g_free(last);
		last = next;
	}
	return g_steal_pointer(&last);
}

struct header {
	guint32 id, flags, questions, answers, authorities, additional;
};

static bool
reply_read_header(struct reader *reader, struct header *header)
{
	return reply_read_number(reader, 2, &header->id) &&
	       reply_read_number(reader, 2, &header->flags) &&
	       reply_read_number(reader, 2, &header->questions) &&
	       reply_read_number(reader, 2, &header->answers) &&
	       reply_read_number(reader, 2, &header->authorities) &&
	       reply_read_number(reader, 2, &header->additional);
}

/* Finds the SOA of the zone for a name that has none of its own. */
static bool
reply_find_zone(struct reader *reader, const struct header *header, struct dns_question *question)
{
	g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func(reply_free_entry);

	return read_entries(reader, header->authorities, entries) &&
	       reply_collect(reader, entries, NULL, question);
}

bool
dns_reply_read(const guint8 *message, gsize size, const char *name, struct dns_question *question,
    char **alias_r)
{
	struct reader reader = {message, size, 0};
	struct header header;
	g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func(reply_free_entry);

	*alias_r = NULL;
	g_ptr_array_set_size(question->answers, 0);
	if (!reply_read_header(&reader, &header) || !skip_questions(&reader, header.questions) ||
	    !read_entries(&reader, header.answers, entries))
		return false;
	guint rcode = header.flags & 0xf;
	if (rcode != 0 && rcode != RCODE_NXDOMAIN)
		return false;
	g_autofree char *last = reply_follow(&reader, entries, name, question);
	if (!last)
		return false;
	if (question->type == DNS_SOA && question->answers->len == 0 &&
	    !reply_find_zone(&reader, &header, question))
		return false;
	if (question->answers->len == 0 && rcode == 0 && g_ascii_strcasecmp(last, name) != 0) {
		*alias_r = g_steal_pointer(&last);
		return true;
	}
	question->outcome = question->answers->len > 0 ? DNS_FOUND
			    : rcode == RCODE_NXDOMAIN  ? DNS_NO_NAME
						       : DNS_NO_TYPE;
	return true;
}
