/* SPDX-License-Identifier: MIT */
/* Verifies DKIM signatures. */
#include "mail/dkim_verify.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <string.h>

#include "base/limits/received.h"
#include "base/secret.h"
#include "mail/canonical.h"
#include "mail/tag_list.h"

#define RSA_BITS_MIN 1024 /* RFC 8301 section 3.2 */
#define ED25519_SIZE 32
#define FIELDS_MOST 200 /* names of h= that count */
#define SPACE " \t\r\n"

const char *
mail_dkim_result_name(enum mail_dkim_result result)
{
	static const char *const names[] = {
	    [MAIL_DKIM_NONE] = "none",
	    [MAIL_DKIM_PASS] = "pass",
	    [MAIL_DKIM_FAIL] = "fail",
	    [MAIL_DKIM_TEMPERROR] = "temperror",
	    [MAIL_DKIM_PERMERROR] = "permerror",
	};

	return names[result];
}

static void
dkim_signature_free(void *data)
{
	struct mail_dkim_signature *signature = data;

	g_free(signature->domain);
	g_free(signature->key_name);
	g_clear_pointer(&signature->tags, g_hash_table_unref);
	if (signature->hashed)
		g_string_free(signature->hashed, TRUE);
	g_clear_pointer(&signature->bytes, g_bytes_unref);
	g_free(signature);
}

/* Lines that end in LF alone get a CR, as a relay that took them would have added it. */
static GString *
dkim_with_crlf(const char *data, gsize size)
{
	GString *text = g_string_sized_new(size + size / 32 + 2);

	for (gsize i = 0; i < size; i++) {
		if (data[i] == '\n' && (i == 0 || data[i - 1] != '\r'))
			g_string_append_c(text, '\r');
		g_string_append_c(text, data[i]);
	}
	return text;
}

static const char *
dkim_tag(GHashTable *tags, const char *name)
{
	return g_hash_table_lookup(tags, name);
}

/* The bytes of a value in base64, in which white space means nothing. NULL: it is none. */
static GBytes *
dkim_base64(const char *value)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (; value && *value; value++)
		if (!g_ascii_isspace(*value))
			g_string_append_c(text, *value);
	return text->len > 0 ? base_secret_base64_decode(text->str, text->len) : NULL;
}

static void
dkim_update(void *context, const void *data, gsize size)
{
	EVP_DigestUpdate(context, data, size);
}

/* The body without the empty lines at its end; one line end stands behind it (section 3.4.3). */
static void
dkim_simple_body(const char *body, gsize size, EVP_MD_CTX *context)
{
	while (size >= 2 && body[size - 2] == '\r' && body[size - 1] == '\n')
		size -= 2;
	dkim_update(context, body, size);
	dkim_update(context, "\r\n", 2);
}

/* Whether the hash of the body is that of bh=. */
static bool
dkim_body_matches(const char *body, gsize size, bool relaxed, const char *wanted)
{
	g_autoptr(GBytes) hash = dkim_base64(wanted);
	guint8 digest[SHA256_SIZE];
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool ok = true;

	EVP_DigestInit_ex(context, EVP_sha256(), NULL);
	if (relaxed)
		ok = mail_canonical_body(body, size, dkim_update, context, NULL);
	else
		dkim_simple_body(body, size, context);
	EVP_DigestFinal_ex(context, digest, NULL);
	EVP_MD_CTX_free(context);
	return ok && hash && g_bytes_get_size(hash) == sizeof(digest) &&
	       memcmp(g_bytes_get_data(hash, NULL), digest, sizeof(digest)) == 0;
}

static void
dkim_add_field(GString *out, const struct mail_canonical_field *field, bool relaxed)
{
	if (relaxed)
		mail_canonical_header(out, field);
	else
		g_string_append_len(out, field->text, (gssize)field->size);
}

static bool
dkim_is_named(const struct mail_canonical_field *field, const char *name)
{
	return field->name_size == strlen(name) &&
	       g_ascii_strncasecmp(field->text, name, field->name_size) == 0;
}

/* Adds the fields of h=, each name from the bottom of the header up (section 5.4.2). False when
   From is not among them. */
static bool
dkim_add_fields(GString *out, const GArray *fields, const char *list, bool relaxed)
{
	g_auto(GStrv) names = g_strsplit(list, ":", FIELDS_MOST);
	g_autofree bool *used = g_new0(bool, fields->len);
	bool signs_from = false;

	for (char **name = names; *name; name++) {
		g_strstrip(*name);
		signs_from = signs_from || g_ascii_strcasecmp(*name, "From") == 0;
		for (guint i = fields->len; i-- > 0;) {
			const struct mail_canonical_field *field =
			    &g_array_index(fields, struct mail_canonical_field, i);

			if (used[i] || !dkim_is_named(field, *name))
				continue;
			used[i] = true;
			dkim_add_field(out, field, relaxed);
			g_string_append(out, "\r\n");
			break;
		}
	}
	return signs_from;
}

/* Adds the signature field with an empty b= (section 3.7). */
static void
dkim_add_own(GString *out, const struct mail_canonical_field *field, bool relaxed)
{
	g_autoptr(GString) text = g_string_new(NULL);
	gsize value = field->name_size + 1;

	g_string_append_len(text, field->text, (gssize)value);
	for (gsize at = value; at < field->size;) {
		const char *part = field->text + at;
		const char *end = memchr(part, ';', field->size - at);
		gsize size = end ? (gsize)(end - part) : field->size - at;
		gsize name = 0;

		while (name < size && g_ascii_isspace(part[name]))
			name++;
		const char *equals = memchr(part, '=', size);
		bool is_b = equals && name < size && part[name] == 'b' &&
			    strspn(part + name + 1, SPACE) >= (gsize)(equals - part) - name - 1;
		g_string_append_len(text, part, (gssize)(is_b ? (gsize)(equals - part) + 1 : size));
		if (end)
			g_string_append_c(text, ';');
		at += size + (end != NULL);
	}
	const struct mail_canonical_field own = {text->str, text->len, field->name_size};
	dkim_add_field(out, &own, relaxed);
}

static bool
dkim_is_name(const char *text)
{
	for (const char *p = text; *p; p++)
		if (!g_ascii_isalnum(*p) && !strchr("-_.", *p))
			return false;
	return *text && strlen(text) <= 253;
}

/* Whether i= lies within d=. */
static bool
dkim_is_within(const char *identity, const char *domain)
{
	const char *at = identity ? strrchr(identity, '@') : NULL;

	if (!identity)
		return true;
	if (!at)
		return false;
	gsize size = strlen(at + 1), length = strlen(domain);
	return size >= length && g_ascii_strcasecmp(at + 1 + size - length, domain) == 0 &&
	       (size == length || at[size - length] == '.');
}

/* Reads the tags of a signature. False when it cannot be used. */
static bool
dkim_read_signature(struct mail_dkim_signature *signature)
{
	GHashTable *tags = signature->tags;
	const char *algorithm = dkim_tag(tags, "a"), *selector = dkim_tag(tags, "s"),
		   *domain = dkim_tag(tags, "d"), *query = dkim_tag(tags, "q");

	if (g_strcmp0(dkim_tag(tags, "v"), "1") != 0 || !algorithm || !selector || !domain ||
	    !dkim_tag(tags, "h") || !dkim_tag(tags, "bh") || !dkim_tag(tags, "b") ||
	    (query && !strstr(query, "dns/txt")))
		return false;
	signature->domain = g_ascii_strdown(domain, -1);
	signature->is_rsa = g_ascii_strcasecmp(algorithm, "rsa-sha256") == 0;
	if ((!signature->is_rsa && g_ascii_strcasecmp(algorithm, "ed25519-sha256") != 0) ||
	    !dkim_is_name(domain) || !dkim_is_name(selector) ||
	    !dkim_is_within(dkim_tag(tags, "i"), domain))
		return false;
	signature->bytes = dkim_base64(dkim_tag(tags, "b"));
	if (!signature->bytes)
		return false;
	signature->key_name = g_strconcat(selector, "._domainkey.", domain, NULL);
	return true;
}

static void
dkim_prepare(struct mail_dkim_signature *signature, const GArray *fields,
    const struct mail_canonical_field *own, const char *body, gsize size)
{
	const char *forms = dkim_tag(signature->tags, "c");
	g_auto(GStrv) words = g_strsplit(forms ? forms : "simple", "/", 2);
	bool relaxed = words[0] && g_ascii_strcasecmp(words[0], "relaxed") == 0;
	bool relaxed_body = words[0] && words[1] && g_ascii_strcasecmp(words[1], "relaxed") == 0;

	signature->hashed = g_string_new(NULL);
	if (!dkim_add_fields(signature->hashed, fields, dkim_tag(signature->tags, "h"), relaxed)) {
		g_clear_pointer(&signature->key_name, g_free);
		return;
	}
	dkim_add_own(signature->hashed, own, relaxed);
	if (!dkim_body_matches(body, size, relaxed_body, dkim_tag(signature->tags, "bh"))) {
		signature->result = MAIL_DKIM_FAIL;
		g_clear_pointer(&signature->key_name, g_free);
	}
}

GPtrArray *
mail_dkim_signatures(const void *data, gsize size, guint most)
{
	GPtrArray *signatures = g_ptr_array_new_with_free_func(dkim_signature_free);
	g_autoptr(GString) text = dkim_with_crlf(data, size);
	gsize body;
	g_autoptr(GArray) fields = mail_canonical_split(
	    text->str, MIN(text->len, LIMIT_RECEIVED_HEADER_BYTES + 1), &body, NULL);

	/* A header of 8 million fields would take half a minute. */
	if (!fields || body > LIMIT_RECEIVED_HEADER_BYTES)
		return signatures;
	for (guint i = 0; i < fields->len && signatures->len < most; i++) {
		const struct mail_canonical_field *field =
		    &g_array_index(fields, struct mail_canonical_field, i);

		if (!dkim_is_named(field, "DKIM-Signature"))
			continue;
		const char *value = memchr(field->text, ':', field->size);
		GHashTable *tags =
		    mail_tag_list_read(value + 1, field->size - (gsize)(value + 1 - field->text));
		/* The bytes behind l= are not signed. */
		if (tags && dkim_tag(tags, "l")) {
			g_hash_table_unref(tags);
			continue;
		}
		struct mail_dkim_signature *signature = g_new0(struct mail_dkim_signature, 1);
		signature->result = MAIL_DKIM_PERMERROR;
		signature->tags = tags;
		if (tags && dkim_read_signature(signature))
			dkim_prepare(signature, fields, field, text->str + body, text->len - body);
		g_ptr_array_add(signatures, signature);
	}
	return signatures;
}

/* Whether a list with colons has a word; a missing one has all. */
static bool
dkim_lists(GHashTable *tags, const char *tag, const char *word, const char *all)
{
	const char *value = dkim_tag(tags, tag);
	g_auto(GStrv) entries = g_strsplit(value ? value : "", ":", -1);

	for (char **entry = entries; value && *entry; entry++) {
		g_strstrip(*entry);
		if (strcmp(*entry, word) == 0 || (all && strcmp(*entry, all) == 0))
			return true;
	}
	return !value;
}

static EVP_PKEY *
dkim_public_key(GBytes *bytes, bool is_rsa)
{
	gsize size;
	const unsigned char *data = g_bytes_get_data(bytes, &size), *at = data;
	EVP_PKEY *key = NULL;

	if (!is_rsa)
		return size == ED25519_SIZE
			   ? EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, data, size)
			   : NULL;
	key = d2i_PUBKEY(NULL, &at, (long)size);
	/* Some domains publish the bare key of PKCS #1. */
	at = data;
	if (!key)
		key = d2i_PublicKey(EVP_PKEY_RSA, NULL, &at, (long)size);
	if (key && (EVP_PKEY_base_id(key) != EVP_PKEY_RSA || EVP_PKEY_bits(key) < RSA_BITS_MIN))
		g_clear_pointer(&key, EVP_PKEY_free);
	return key;
}

static bool
dkim_verify_bytes(EVP_PKEY *key, const struct mail_dkim_signature *signature)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	const GString *hashed = signature->hashed;
	gsize size;
	const void *bytes = g_bytes_get_data(signature->bytes, &size);
	guint8 digest[SHA256_SIZE];
	const void *signed_text = hashed->str;
	gsize signed_size = hashed->len;

	/* Ed25519 signs the digest as its message (RFC 8463 section 3). */
	if (!signature->is_rsa) {
		base_secret_sha256(hashed->str, hashed->len, digest);
		signed_text = digest;
		signed_size = sizeof(digest);
	}
	bool ok = EVP_DigestVerifyInit(
		      context, NULL, signature->is_rsa ? EVP_sha256() : NULL, NULL, key) > 0 &&
		  EVP_DigestVerify(context, bytes, size, signed_text, signed_size) == 1;
	EVP_MD_CTX_free(context);
	return ok;
}

/* The result by one record. */
static enum mail_dkim_result
dkim_verify_record(const struct mail_dkim_signature *signature, const char *record)
{
	g_autoptr(GHashTable) tags = mail_tag_list_read(record, strlen(record));
	const char *version = tags ? dkim_tag(tags, "v") : NULL;
	const char *type = tags ? dkim_tag(tags, "k") : NULL;
	const char *identity = dkim_tag(signature->tags, "i");
	const char *at = identity ? strrchr(identity, '@') : NULL;

	if (!tags || (version && strcmp(version, "DKIM1") != 0) ||
	    strcmp(type ? type : "rsa", signature->is_rsa ? "rsa" : "ed25519") != 0 ||
	    !dkim_lists(tags, "h", "sha256", NULL) || !dkim_lists(tags, "s", "email", "*") ||
	    (dkim_tag(tags, "t") && dkim_lists(tags, "t", "s", NULL) && at &&
		g_ascii_strcasecmp(at + 1, signature->domain) != 0))
		return MAIL_DKIM_PERMERROR;
	g_autoptr(GBytes) public = dkim_base64(dkim_tag(tags, "p"));
	EVP_PKEY *key = public ? dkim_public_key(public, signature->is_rsa) : NULL;
	enum mail_dkim_result result = MAIL_DKIM_PERMERROR;
	if (key)
		result = dkim_verify_bytes(key, signature) ? MAIL_DKIM_PASS : MAIL_DKIM_FAIL;
	EVP_PKEY_free(key);
	ERR_clear_error();
	return result;
}

void
mail_dkim_signature_verify(struct mail_dkim_signature *signature, const char *const *records,
    guint count, bool known, gint64 now)
{
	const char *expires = signature->tags ? dkim_tag(signature->tags, "x") : NULL;

	if (!signature->key_name)
		return;
	signature->result = known ? MAIL_DKIM_PERMERROR : MAIL_DKIM_TEMPERROR;
	if (expires && g_ascii_strtoll(expires, NULL, 10) < now) {
		signature->result = MAIL_DKIM_FAIL;
		return;
	}
	for (guint i = 0; i < count && signature->result != MAIL_DKIM_PASS; i++)
		signature->result = dkim_verify_record(signature, records[i]);
}
