/* SPDX-License-Identifier: MIT */
/* Signs messages with DKIM. */
#include "mail/dkim.h"

#include <openssl/evp.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/secret.h"
#include "mail/canonical.h"
#include "mail/field.h"

#define FIELD_NAME "DKIM-Signature"

/* The parts that all signatures of a message share. */
struct signing {
	GArray *fields;	    /* struct mail_canonical_field */
	GPtrArray *names;   /* for h= */
	GString *canonical; /* the signed fields, each with a CRLF */
	char *body_hash;
	gint64 seconds;
};

static void
signing_clear(struct signing *signing)
{
	g_clear_pointer(&signing->fields, g_array_unref);
	g_clear_pointer(&signing->names, g_ptr_array_unref);
	if (signing->canonical)
		g_string_free(signing->canonical, TRUE);
	g_free(signing->body_hash);
}

/* Adds the fields of this name from the bottom of the header up, as a verifier reads them (RFC
   6376 section 5.4.2). */
static guint
sign_fields(struct signing *signing, const char *name)
{
	gsize size = strlen(name);
	guint count = 0;

	for (guint i = signing->fields->len; i-- > 0;) {
		const struct mail_canonical_field *field =
		    &g_array_index(signing->fields, struct mail_canonical_field, i);
		if (field->name_size != size || g_ascii_strncasecmp(field->text, name, size) != 0)
			continue;
		mail_canonical_header(signing->canonical, field);
		g_string_append(signing->canonical, "\r\n");
		g_ptr_array_add(signing->names, (gpointer)name);
		count++;
	}
	return count;
}

static bool
sign_header(struct signing *signing, GError **error)
{
	static const char *const names[] = {"From", "Sender", "Reply-To", "Subject", "Date",
	    "Message-ID", "To", "Cc", "MIME-Version", "Content-Type", "Content-Transfer-Encoding",
	    "In-Reply-To", "References", "List-Unsubscribe", "List-Unsubscribe-Post"};

	static const char *const first[] = {"CFBL-Address", "CFBL-Feedback-ID"};
	/* A relay may add these, so they are signed only as often as they occur. */
	static const char *const own[] = {"List-Id", "Feedback-ID"};

	signing->names = g_ptr_array_new();
	signing->canonical = g_string_sized_new(4096);
	for (gsize i = 0; i < G_N_ELEMENTS(first); i++)
		sign_fields(signing, first[i]);
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		if (sign_fields(signing, names[i]) == 0 && i == 0) {
			g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
			    "a message to be signed must have a From");
			return false;
		}
		/* Once more than it occurs: a field that is added later breaks the signature
		   (RFC 6376 section 8.15). */
		g_ptr_array_add(signing->names, (gpointer)names[i]);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(own); i++)
		sign_fields(signing, own[i]);
	return true;
}

static void
digest_update(void *context, const void *data, gsize size)
{
	EVP_DigestUpdate(context, data, size);
}

static bool
hash_body(struct signing *signing, const char *body, gsize size, GError **error)
{
	guint8 digest[SHA256_SIZE];
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool ok;

	EVP_DigestInit_ex(context, EVP_sha256(), NULL);
	ok = mail_canonical_body(body, size, digest_update, context, error);
	EVP_DigestFinal_ex(context, digest, NULL);
	EVP_MD_CTX_free(context);
	signing->body_hash = g_base64_encode(digest, sizeof(digest));
	return ok;
}

static bool
prepare_signing(struct signing *signing, GBytes *message, GError **error)
{
	gsize size, body;
	const char *text = g_bytes_get_data(message, &size);

	signing->fields = mail_canonical_split(text, size, &body, error);
	return signing->fields && sign_header(signing, error) &&
	       hash_body(signing, text + body, size - body, error);
}

static void
dkim_write_names(struct mail_field *field, const GPtrArray *names)
{
	for (guint i = 0; i < names->len; i++) {
		bool last = i + 1 == names->len;
		g_autofree char *text = g_strdup_printf(
		    "%s%s%s", i == 0 ? "h=" : "", (const char *)names->pdata[i], last ? ";" : ":");
		mail_field_word(field, i == 0 ? " " : "", text);
	}
}

static void
dkim_write_tags(
    struct mail_field *field, const struct signing *signing, const struct mail_dkim_key *key)
{
	g_autofree char *algorithm = g_strdup_printf("a=%s;", mail_dkim_key_algorithm(key));
	g_autofree char *domain = g_strdup_printf("d=%s;", mail_dkim_key_domain(key));
	g_autofree char *selector = g_strdup_printf("s=%s;", mail_dkim_key_selector(key));
	g_autofree char *time = g_strdup_printf("t=%" G_GINT64_FORMAT ";", signing->seconds);
	g_autofree char *body_hash = g_strdup_printf("bh=%s;", signing->body_hash);

	mail_field_word(field, " ", "v=1;");
	mail_field_word(field, " ", algorithm);
	mail_field_word(field, " ", "c=relaxed/relaxed;");
	mail_field_word(field, " ", domain);
	mail_field_word(field, " ", selector);
	mail_field_word(field, " ", time);
	dkim_write_names(field, signing->names);
	mail_field_word(field, " ", body_hash);
	mail_field_word(field, " ", "b=");
}

/* Hashes the signed fields and then the signature field itself, with an empty b= and no CRLF
   (RFC 6376 section 3.7). */
static void
digest_header(
    const struct signing *signing, const GString *out, gsize start, guint8 digest_r[SHA256_SIZE])
{
	struct mail_canonical_field own = {
	    .text = out->str + start, .size = out->len - start, .name_size = strlen(FIELD_NAME)};
	gsize shared = signing->canonical->len;

	mail_canonical_header(signing->canonical, &own);
	base_secret_sha256(signing->canonical->str, signing->canonical->len, digest_r);
	g_string_truncate(signing->canonical, shared);
}

static bool
add_signature(
    GString *out, const struct signing *signing, const struct mail_dkim_key *key, GError **error)
{
	guint8 digest[SHA256_SIZE];
	g_autofree char *signature = NULL;
	struct mail_field field;
	gsize start = out->len;

	mail_field_begin(&field, out, FIELD_NAME);
	dkim_write_tags(&field, signing, key);
	digest_header(signing, out, start, digest);
	signature = mail_dkim_key_sign(key, digest, error);
	if (!signature)
		return false;
	mail_field_fill(&field, signature);
	mail_field_end(&field);
	return true;
}

char *
mail_dkim_sign(
    GBytes *message, struct mail_dkim_key *const *keys, guint count, gint64 time_ms, GError **error)
{
	struct signing signing = {.seconds = time_ms / 1000};
	g_autoptr(GString) out = g_string_sized_new(1024);
	bool ok = prepare_signing(&signing, message, error);

	for (guint i = 0; ok && i < count; i++)
		ok = add_signature(out, &signing, keys[i], error);
	signing_clear(&signing);
	return ok ? g_string_free(g_steal_pointer(&out), FALSE) : NULL;
}
