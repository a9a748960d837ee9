/* Random bytes, digests, and what the installation's secret signs and encrypts. */
#include "base/secret.h"

#include <openssl/rand.h>
#include <openssl/sha.h>
#include <string.h>

void
base_secret_random(void *bytes_r, size_t size)
{
	if (RAND_bytes(bytes_r, (int)size) != 1)
		g_error("no random bytes to be had");
}

void
base_secret_sha256(const void *data, size_t size, guint8 digest_r[SHA256_SIZE])
{
	SHA256(data, size, digest_r);
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
