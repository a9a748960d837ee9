/* SPDX-License-Identifier: MIT */
/* Sends requests with libcurl, and checks the replies. */
#include "tests/http/exchange.h"

#include <criterion/criterion.h>
#include <curl/curl.h>
#include <string.h>

#include "json/strict.h"
#include "json/writer.h"
#include "tests/http/fixture.h"

#define PATIENCE_S 300

char *
exchange_quoted(const char *text)
{
	return g_strdelimit(g_strdup(text), "'", '"');
}

static size_t
exchange_append(char *bytes, size_t one, size_t size, void *text)
{
	g_string_append_len(text, bytes, (gssize)size);
	return size;
}

/* The rest of the body to upload. */
struct upload {
	const char *at;
	gsize left;
};

static size_t
upload_some(char *buffer, size_t one, size_t room, void *data)
{
	struct upload *upload = data;
	gsize size = MIN(room, upload->left);

	memcpy(buffer, upload->at, size);
	upload->at += size;
	upload->left -= size;
	return size;
}

static bool
is_credential(const char *line)
{
	return g_ascii_strncasecmp(line, "Authorization", 13) == 0 ||
	       g_ascii_strncasecmp(line, "X-API-Key", 9) == 0;
}

static struct curl_slist *
exchange_headers_of(const struct fixture *fixture, const struct exchange *exchange)
{
	struct curl_slist *list = curl_slist_append(NULL, "Expect:");
	g_autofree char *bearer = g_strdup_printf("Authorization: Bearer %s", fixture->key);
	bool own = false;

	for (gsize i = 0; i < G_N_ELEMENTS(exchange->headers) && exchange->headers[i]; i++) {
		own = own || is_credential(exchange->headers[i]);
		list = curl_slist_append(list, exchange->headers[i]);
	}
	if (exchange->chunked)
		list = curl_slist_append(list, "Transfer-Encoding: chunked");
	return own ? list : curl_slist_append(list, bearer);
}

static void
exchange_set_body(CURL *curl, const struct exchange *exchange, GBytes *body, struct upload *upload)
{
	if (!body)
		return;
	upload->at = g_bytes_get_data(body, &upload->left);
	if (exchange->chunked) {
		curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(curl, CURLOPT_READFUNCTION, upload_some);
		curl_easy_setopt(curl, CURLOPT_READDATA, upload);
	} else {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)upload->left);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, upload->at ? upload->at : "");
	}
}

static GBytes *
exchange_body_of(const struct exchange *exchange)
{
	if (exchange->bytes)
		return g_bytes_ref(exchange->bytes);
	/* Servers want a length of each POST, be it 0. */
	if (!exchange->body)
		return strcmp(exchange->method, "POST") == 0 ? g_bytes_new_static("", 0) : NULL;
	char *text = exchange_quoted(exchange->body);
	return g_bytes_new_take(text, strlen(text));
}

static void
exchange_perform(CURL *curl, const struct exchange *exchange, struct answer *answer)
{
	g_autoptr(GString) head = g_string_new(NULL);
	GString *body = g_string_new(NULL);
	long status = 0;

	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, exchange_append);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, head);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, exchange_append);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, body);
	CURLcode code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	/* A server may answer before it has the whole body, and hang up. */
	cr_assert(code == CURLE_OK || (code == CURLE_SEND_ERROR && status), "%s: %s",
	    exchange->name, curl_easy_strerror(code));
	answer->status = (guint)status;
	answer->head = g_strdup(head->str);
	answer->size = body->len;
	answer->body = g_string_free(body, FALSE);
	answer->json = json_parse(answer->body, answer->size, NULL);
}

struct answer *
exchange_ask(const struct fixture *fixture, const struct exchange *exchange)
{
	struct answer *answer = g_new0(struct answer, 1);
	g_autofree char *url = g_strconcat(fixture->instance->url, exchange->path, NULL);
	struct curl_slist *headers = exchange_headers_of(fixture, exchange);
	GBytes *body = exchange_body_of(exchange);
	struct upload upload;
	CURL *curl = curl_easy_init();

	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)PATIENCE_S);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	exchange_set_body(curl, exchange, body, &upload);
	if (strcmp(exchange->method, "HEAD") == 0)
		curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
	else
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, exchange->method);
	exchange_perform(curl, exchange, answer);
	curl_easy_cleanup(curl);
	curl_slist_free_all(headers);
	g_clear_pointer(&body, g_bytes_unref);
	return answer;
}

void
answer_free(struct answer *answer)
{
	g_free(answer->head);
	g_free(answer->body);
	json_free(answer->json);
	g_free(answer);
}

char *
answer_header(const struct answer *answer, const char *name)
{
	g_auto(GStrv) lines = g_strsplit(answer->head, "\r\n", -1);
	gsize length = strlen(name);

	for (char **line = lines; *line; line++)
		if (g_ascii_strncasecmp(*line, name, length) == 0 && (*line)[length] == ':')
			return g_strdup(g_strstrip(*line + length + 1));
	return NULL;
}

void
exchange_next_moment(void)
{
	gint64 now = g_get_real_time() / 1000;

	while (g_get_real_time() / 1000 == now)
		g_usleep(100);
}
