/* SPDX-License-Identifier: MIT */
/* Random bytes, digests, signatures and encryption with the installation's secrets, and base64. */
#include "base/secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/process.h"

#define KEY_SIZE 32
#define NONCE_SIZE 12
#define TAG_SIZE 16

/* The keys derived from one line of secret_file; the line itself is not kept. */
struct keys {
	guint8 sign[KEY_SIZE];
	guint8 encrypt[KEY_SIZE];
};

struct base_secret {
	GArray *keys; /* of struct keys; at least one */
};

void
base_secret_random(void *bytes_r, size_t size)
{
	if (size > G_MAXINT || RAND_bytes(bytes_r, (int)size) != 1)
		g_error("OpenSSL has no random bytes");
}

void
base_secret_sha256(const void *data, size_t size, guint8 digest_r[SHA256_SIZE])
{
	/* Fetched once: SHA256() looks the algorithm up at each call. */
	static EVP_MD *algorithm;
	static gsize fetched;

	if (g_once_init_enter(&fetched)) {
		algorithm = EVP_MD_fetch(NULL, "SHA2-256", NULL);
		g_once_init_leave(&fetched, 1);
	}
	if (EVP_Digest(data, size, digest_r, NULL, algorithm, NULL) != 1)
		g_error("OpenSSL has no SHA-256");
}

static void
hmac(const guint8 *key, gsize key_size, const char *text, guint8 tag_r[SHA256_SIZE])
{
	g_autoptr(GHmac) hmac = g_hmac_new(G_CHECKSUM_SHA256, key, key_size);
	gsize size = SHA256_SIZE;

	g_hmac_update(hmac, (const guint8 *)text, (gssize)strlen(text));
	g_hmac_get_digest(hmac, tag_r, &size);
}

/* HKDF-SHA-256 (RFC 5869) without salt; info separates the two keys of a line. A key is one block
   long, so the block's number is 1. OpenSSL's own HKDF takes longer to initialize than most
   requests take in all. */
static void
secret_derive(const char *line, const char *info, guint8 key_r[KEY_SIZE])
{
	static const guint8 no_salt[SHA256_SIZE];
	guint8 extracted[SHA256_SIZE];
	g_autofree char *numbered = g_strconcat(info, "\x01", NULL);

	G_STATIC_ASSERT(KEY_SIZE == SHA256_SIZE);
	hmac(no_salt, sizeof(no_salt), line, extracted);
	hmac(extracted, sizeof(extracted), numbered, key_r);
	OPENSSL_cleanse(extracted, sizeof(extracted));
}

static void
wipe(void *keys)
{
	OPENSSL_cleanse(keys, sizeof(struct keys));
}

struct base_secret *
base_secret_parse(const char *lines, GError **error)
{
	AUTO(base_secret) secret = g_new0(struct base_secret, 1);
	g_auto(GStrv) split = g_strsplit(lines, "\n", -1);

	secret->keys = g_array_new(FALSE, TRUE, sizeof(struct keys));
	g_array_set_clear_func(secret->keys, wipe);
	for (guint i = 0; split[i]; i++) {
		const char *line = g_strstrip(split[i]);
		struct keys keys;

		if (!*line)
			continue;
		if (strlen(line) < LIMIT_SECRET_MIN_BYTES) {
			base_invalid(error, "the secret on line %u is shorter than %d bytes", i + 1,
			    LIMIT_SECRET_MIN_BYTES);
			return NULL;
		}
		secret_derive(line, "posthouse sign", keys.sign);
		secret_derive(line, "posthouse encrypt", keys.encrypt);
		g_array_append_val(secret->keys, keys);
		wipe(&keys);
	}
	if (!secret->keys->len) {
		base_invalid(error, "it has no secret");
		return NULL;
	}
	return g_steal_pointer(&secret);
}

void
base_secret_free(struct base_secret *secret)
{
	if (!secret)
		return;
	g_array_unref(secret->keys);
	g_free(secret);
}

/* HMAC over purpose, NUL and data. The NUL ends the purpose, so different pairs of purpose and data
   are different texts. */
static void
sign(const struct keys *keys, const char *purpose, const void *data, size_t data_size,
    guint8 tag_r[SHA256_SIZE])
{
	g_autoptr(GHmac) hmac = g_hmac_new(G_CHECKSUM_SHA256, keys->sign, KEY_SIZE);
	gsize size = SHA256_SIZE;

	g_hmac_update(hmac, (const guint8 *)purpose, (gssize)strlen(purpose) + 1);
	g_hmac_update(hmac, data, (gssize)data_size);
	g_hmac_get_digest(hmac, tag_r, &size);
}

void
base_secret_sign(const struct base_secret *secret, const char *purpose, const void *data,
    size_t data_size, guint8 *tag_r, size_t size)
{
	guint8 tag[SHA256_SIZE];

	g_assert(size <= SHA256_SIZE);
	sign(&g_array_index(secret->keys, struct keys, 0), purpose, data, data_size, tag);
	memcpy(tag_r, tag, size);
}

GArray *
base_secret_sign_all(
    const struct base_secret *secret, const char *purpose, const void *data, size_t data_size)
{
	GArray *tags = g_array_sized_new(FALSE, FALSE, SHA256_SIZE, secret->keys->len);

	for (guint i = 0; i < secret->keys->len; i++) {
		guint8 tag[SHA256_SIZE];

		sign(&g_array_index(secret->keys, struct keys, i), purpose, data, data_size, tag);
		g_array_append_vals(tags, tag, 1);
	}
	return tags;
}

bool
base_secret_verify(const struct base_secret *secret, const char *purpose, const void *data,
    size_t data_size, const guint8 *tag, size_t size)
{
	bool found = false;

	if (!size || size > SHA256_SIZE)
		return false;
	for (guint i = 0; i < secret->keys->len; i++) {
		guint8 want[SHA256_SIZE];

		sign(&g_array_index(secret->keys, struct keys, i), purpose, data, data_size, want);
		found |= CRYPTO_memcmp(want, tag, size) == 0;
	}
	return found;
}

/* A cipher context with key, nonce and context set. */
static EVP_CIPHER_CTX *
secret_start(const struct keys *keys, const guint8 *nonce, const void *context, size_t context_size,
    int encrypt)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int done;

	g_assert(context_size <= G_MAXINT);
	if (!ctx ||
	    EVP_CipherInit_ex(ctx, EVP_aes_256_gcm(), NULL, keys->encrypt, nonce, encrypt) != 1 ||
	    EVP_CipherUpdate(ctx, NULL, &done, context, (int)context_size) != 1)
		g_error("OpenSSL cannot start AES-256-GCM");
	return ctx;
}

GBytes *
base_secret_encrypt(
    const struct base_secret *secret, GBytes *plain, const void *context, size_t context_size)
{
	gsize size;
	const guint8 *data = g_bytes_get_data(plain, &size);
	guint8 *sealed = g_malloc(NONCE_SIZE + size + TAG_SIZE);
	guint8 *cipher = sealed + NONCE_SIZE;
	int done = 0, rest = 0;

	g_assert(size <= G_MAXINT);
	base_secret_random(sealed, NONCE_SIZE);
	EVP_CIPHER_CTX *ctx = secret_start(
	    &g_array_index(secret->keys, struct keys, 0), sealed, context, context_size, 1);
	if ((size && EVP_EncryptUpdate(ctx, cipher, &done, data, (int)size) != 1) ||
	    EVP_EncryptFinal_ex(ctx, cipher + done, &rest) != 1 ||
	    EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_GET_TAG, TAG_SIZE, cipher + size) != 1)
		g_error("OpenSSL cannot encrypt (AES-256-GCM)");
	EVP_CIPHER_CTX_free(ctx);
	return g_bytes_new_take(sealed, NONCE_SIZE + size + TAG_SIZE);
}

/* Writes size bytes to plain_r. Returns false when the keys do not fit. */
static bool
decrypt(const struct keys *keys, const guint8 *sealed, size_t size, const void *context,
    size_t context_size, guint8 *plain_r)
{
	const guint8 *cipher = sealed + NONCE_SIZE;
	int done = 0, rest = 0;
	EVP_CIPHER_CTX *ctx = secret_start(keys, sealed, context, context_size, 0);
	/* SET_TAG does not change the tag; the parameter is not const only because GET_TAG shares
	 * it. */
	bool fits = (!size || EVP_DecryptUpdate(ctx, plain_r, &done, cipher, (int)size) == 1) &&
		    EVP_CIPHER_CTX_ctrl(
			ctx, EVP_CTRL_GCM_SET_TAG, TAG_SIZE, (guint8 *)cipher + size) == 1 &&
		    EVP_DecryptFinal_ex(ctx, plain_r + done, &rest) == 1;

	EVP_CIPHER_CTX_free(ctx);
	return fits;
}

GBytes *
base_secret_decrypt(const struct base_secret *secret, GBytes *sealed, const void *context,
    size_t context_size, GError **error)
{
	gsize size;
	const guint8 *data = g_bytes_get_data(sealed, &size);

	if (size >= NONCE_SIZE + TAG_SIZE && size <= G_MAXINT) {
		gsize plain_size = size - NONCE_SIZE - TAG_SIZE;
		/* GCM writes the plain text before it checks the tag, so it gets its own buffer. */
		g_autofree guint8 *plain = g_malloc(plain_size + 1);

		for (guint i = 0; i < secret->keys->len; i++)
			if (decrypt(&g_array_index(secret->keys, struct keys, i), data, plain_size,
				context, context_size, plain))
				return g_bytes_new_take(g_steal_pointer(&plain), plain_size);
	}
	base_fail(error, PH_ERROR_FAILED,
	    "cannot be decrypted: it is damaged, or it was encrypted with a secret that is no "
	    "longer in service.secret_file");
	return NULL;
}

char *
base_secret_base64url(const void *data, size_t size)
{
	char *text = g_base64_encode(data, size);

	g_strdelimit(text, "+", '-');
	g_strdelimit(text, "/", '_');
	text[strcspn(text, "=")] = '\0';
	return text;
}

#define NO_DIGIT 0x80

/* Decodes size characters without padding, in an alphabet that ends with last_two. GLib's decoder
   skips unknown characters, so two texts could mean the same; this one refuses them. */
static GBytes *
base64_decode(const char *text, gsize size, const char last_two[2])
{
	const guint8 *in = (const guint8 *)text;
	guint8 value[256], bad = 0;
	guint8 *out = g_malloc(size / 4 * 3 + 3), *p = out;
	gsize rest = size % 4;

	memset(value, NO_DIGIT, sizeof(value));
	for (guint8 i = 0; i < 26; i++) {
		value['A' + i] = i;
		value['a' + i] = 26 + i;
	}
	for (guint8 i = 0; i < 10; i++)
		value['0' + i] = 52 + i;
	value[(guint8)last_two[0]] = 62;
	value[(guint8)last_two[1]] = 63;

	for (const guint8 *end = in + size - rest; in < end; in += 4) {
		guint8 a = value[in[0]], b = value[in[1]], c = value[in[2]], d = value[in[3]];

		bad |= a | b | c | d;
		*p++ = (guint8)(a << 2 | b >> 4);
		*p++ = (guint8)(b << 4 | c >> 2);
		*p++ = (guint8)(c << 6 | d);
	}
	if (rest >= 2) {
		guint8 a = value[in[0]], b = value[in[1]], c = rest == 3 ? value[in[2]] : 0;
		guint8 stray = rest == 3 ? c & 0x03 : b & 0x0f;

		bad |= a | b | c | (stray ? NO_DIGIT : 0);
		*p++ = (guint8)(a << 2 | b >> 4);
		if (rest == 3)
			*p++ = (guint8)(b << 4 | c >> 2);
	}
	if (rest == 1 || bad & NO_DIGIT) {
		g_free(out);
		return NULL;
	}
	return g_bytes_new_take(out, (gsize)(p - out));
}

GBytes *
base_secret_base64url_decode(const char *text)
{
	return base64_decode(text, strlen(text), "-_");
}

GBytes *
base_secret_base64_decode(const char *text, gsize size)
{
	if (size % 4)
		return NULL;
	for (int i = 0; i < 2 && size && text[size - 1] == '='; i++)
		size--;
	return base64_decode(text, size, "+/");
}
