/* SPDX-License-Identifier: MIT */
/* Asks a server by GET or POST, whatever its address. */
#include "fetch/ask.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "fetch/curl.h"
#include "fetch/url.h"

void
fetch_answer_free(struct fetch_answer *answer)
{
	g_string_free(answer->text, TRUE);
	g_free(answer->header);
	g_free(answer);
}

static size_t
ask_take_body(char *bytes, size_t unit, size_t count, void *data)
{
	struct fetch_answer *answer = data;
	size_t size = unit * count;

	g_string_append_len(
	    answer->text, bytes, (gssize)MIN(size, FETCH_ASK_BYTES - answer->text->len));
	return size;
}

static bool
ask_explain(CURL *handle, CURLcode result, const char *trouble, guint limit_ms, GError **error)
{
	g_autofree char *shown =
	    fetch_url_show(*trouble ? trouble : fetch_curl()->easy_strerror(result));
	long number = 0;

	fetch_curl()->easy_getinfo(handle, CURLINFO_OS_ERRNO, &number);
	if (result == CURLE_OPERATION_TIMEDOUT)
		return base_invalid(error, "there was no answer within %u s", limit_ms / 1000);
	if (result == CURLE_COULDNT_RESOLVE_HOST)
		return base_invalid(error, "the name does not resolve");
	if (result == CURLE_COULDNT_CONNECT && number == ECONNREFUSED)
		return base_invalid(error, "the server refuses connections");
	return base_invalid(error, "%s", shown);
}

static void
ask_set_body(const struct fetch_curl *curl, CURL *handle, GBytes *body)
{
	gsize size;
	const char *bytes = g_bytes_get_data(body, &size);

	curl->easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	curl->easy_setopt(handle, CURLOPT_POSTFIELDS, bytes ? bytes : "");
}

/* body: NULL for a GET. */
static struct fetch_answer *
ask_ask(const char *url, const char *const *headers, GBytes *body, guint limit_ms, GError **error)
{
	const struct fetch_curl *curl = fetch_curl();
	g_autoptr(CURL) handle = fetch_curl_new();
	struct fetch_answer *answer = g_new0(struct fetch_answer, 1);
	struct curl_slist *list = NULL;
	char trouble[CURL_ERROR_SIZE] = "";
	long status = 0;

	for (; *headers; headers++)
		list = curl->slist_append(list, *headers);
	answer->text = g_string_new(NULL);
	curl->easy_setopt(handle, CURLOPT_URL, url);
	curl->easy_setopt(handle, CURLOPT_HTTPHEADER, list);
	if (body)
		ask_set_body(curl, handle, body);
	curl->easy_setopt(handle, CURLOPT_TIMEOUT_MS, (long)limit_ms);
	curl->easy_setopt(handle, CURLOPT_ERRORBUFFER, trouble);
	curl->easy_setopt(handle, CURLOPT_WRITEFUNCTION, ask_take_body);
	curl->easy_setopt(handle, CURLOPT_WRITEDATA, answer);
	CURLcode result = curl->easy_perform(handle);
	curl->easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
	curl->slist_free_all(list);
	answer->status = (guint)status;
	if (result == CURLE_OK || ask_explain(handle, result, trouble, limit_ms, error))
		return answer;
	fetch_answer_free(answer);
	return NULL;
}

/* A header line, and the place for the value of the wanted one. */
struct ask_header {
	const char *name;
	char **value;
};

static size_t
ask_take_header(char *bytes, size_t unit, size_t count, void *data)
{
	const struct ask_header *header = data;
	size_t size = unit * count, length = strlen(header->name);

	if (size > length && g_ascii_strncasecmp(bytes, header->name, length) == 0 &&
	    bytes[length] == ':') {
		g_free(*header->value);
		*header->value = g_strstrip(g_strndup(bytes + length + 1, size - length - 1));
	}
	return size;
}

struct fetch_answer *
fetch_ask_at(const char *url, const char *target, const char *addresses, const char *header,
    guint limit_ms, GError **error)
{
	const struct fetch_curl *curl = fetch_curl();
	g_autoptr(CURL) handle = fetch_curl_new();
	AUTO(fetch_answer) answer = g_new0(struct fetch_answer, 1);
	const struct ask_header wanted = {header, &answer->header};
	g_autofree char *way = g_strdup_printf("::%s:", target), *place = NULL;
	struct curl_slist *ways = curl->slist_append(NULL, way), *places = NULL;
	char trouble[CURL_ERROR_SIZE] = "";
	long status = 0;
	guint port;

	answer->text = g_string_new(NULL);
	g_free(fetch_url_host(url, &port));
	if (addresses) {
		place = g_strdup_printf("%s:%u:%s", target, port, addresses);
		places = curl->slist_append(NULL, place);
		curl->easy_setopt(handle, CURLOPT_RESOLVE, places);
	}
	curl->easy_setopt(handle, CURLOPT_URL, url);
	curl->easy_setopt(handle, CURLOPT_CONNECT_TO, ways);
	curl->easy_setopt(handle, CURLOPT_TIMEOUT_MS, (long)limit_ms);
	curl->easy_setopt(handle, CURLOPT_ERRORBUFFER, trouble);
	curl->easy_setopt(handle, CURLOPT_WRITEFUNCTION, ask_take_body);
	curl->easy_setopt(handle, CURLOPT_WRITEDATA, answer);
	curl->easy_setopt(handle, CURLOPT_HEADERFUNCTION, ask_take_header);
	curl->easy_setopt(handle, CURLOPT_HEADERDATA, &wanted);
	CURLcode result = curl->easy_perform(handle);
	curl->easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
	bool done = result == CURLE_OK || ask_explain(handle, result, trouble, limit_ms, error);
	curl->slist_free_all(ways);
	curl->slist_free_all(places);
	answer->status = (guint)status;
	return done ? g_steal_pointer(&answer) : NULL;
}

struct fetch_answer *
fetch_ask(const char *url, const char *const *headers, guint limit_ms, GError **error)
{
	return ask_ask(url, headers, NULL, limit_ms, error);
}

struct fetch_answer *
fetch_ask_post(
    const char *url, const char *const *headers, GBytes *body, guint limit_ms, GError **error)
{
	return ask_ask(url, headers, body, limit_ms, error);
}
