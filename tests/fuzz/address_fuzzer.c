/* SPDX-License-Identifier: MIT */
/* Addresses and lists of them: mail/address.h of any text. */
#include <string.h>

#include "base/limits/email.h"
#include "mail/address.h"
#include "tests/fuzz/fuzz.h"

static void
check_address(const struct mail_address *address)
{
	g_autofree char *normal = NULL;
	const char *domain = mail_address_domain(address);

	g_assert(mail_address_valid(address->address, &normal));
	g_assert_cmpstr(normal, ==, address->address);
	g_assert(strlen(address->address) <= LIMIT_ADDRESS_BYTES);
	g_assert(g_str_is_ascii(address->address));
	g_assert(!strpbrk(address->address, " \t\r\n<>,;:\"()\\"));
	g_assert(strspn(domain, "abcdefghijklmnopqrstuvwxyz0123456789.-") == strlen(domain));
	g_assert(g_utf8_validate(address->name, -1, NULL));
	g_assert(g_utf8_strlen(address->name, -1) <= LIMIT_SENDER_NAME_LENGTH);
	for (const char *p = address->name; *p; p = g_utf8_next_char(p))
		g_assert(!g_unichar_iscntrl(g_utf8_get_char(p)));
}

static void
check_same(const struct mail_address *one, const struct mail_address *other)
{
	g_assert_cmpstr(one->name, ==, other->name);
	g_assert_cmpstr(one->address, ==, other->address);
}

/* A list that is written is read back the same; one that has become longer than a request may give
   is so where it is stored. */
static void
try_list(const char *text)
{
	GError *error = NULL;
	g_autoptr(GPtrArray) list = mail_address_parse_list(text, &error);

	if (!list) {
		fuzz_check_error(error);
		return;
	}
	g_assert(list->len >= 1 && list->len <= LIMIT_RECIPIENTS);
	g_autofree char *written = mail_address_format_list(list);
	g_autoptr(GPtrArray) again = mail_address_reread_list(written, NULL);
	g_assert(again && again->len == list->len);
	for (guint i = 0; i < list->len; i++) {
		check_address(list->pdata[i]);
		check_same(list->pdata[i], again->pdata[i]);
	}
}

static void
try_one(const char *text)
{
	GError *error = NULL;
	AUTO(mail_address) address = mail_address_parse(text, &error);

	if (!address) {
		fuzz_check_error(error);
		return;
	}
	g_autofree char *written = mail_address_format(address);
	AUTO(mail_address) again = mail_address_parse(written, NULL);
	g_assert(again);
	check_address(address);
	check_same(address, again);
}

/* Both forms of the question agree, and a normal form is its own. */
static void
try_bare(const char *text)
{
	g_autofree char *normal = NULL;
	GError *error = NULL;
	bool valid = mail_address_valid(text, &normal);
	g_autofree char *other = mail_address_normal(text, MAIL_LOCAL_KNOWN, &error);

	g_assert(valid == (normal != NULL));
	g_assert_cmpstr(normal, ==, other);
	if (!valid) {
		fuzz_check_error(error);
		return;
	}
	AUTO(mail_address) address = mail_address_parse(normal, NULL);
	g_assert((address != NULL) == (*normal != '-'));
	if (!address)
		return;
	g_assert_cmpstr(address->address, ==, normal);
	check_address(address);
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	g_autofree char *raw = g_strndup((const char *)data, size);
	g_autofree char *text = fuzz_text(data, size);

	try_bare(raw);
	try_one(raw);
	try_list(text);
	return 0;
}
