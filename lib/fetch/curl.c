/* SPDX-License-Identifier: MIT */
/* Loads libcurl, and makes handles with only the features that we need. */
#include "fetch/curl.h"

#include <dlfcn.h>

static const struct {
	const char *name;
	gsize place;
} functions[] = {
    {"curl_global_init", offsetof(struct fetch_curl, global_init)},
    {"curl_easy_init", offsetof(struct fetch_curl, easy_init)},
    {"curl_easy_setopt", offsetof(struct fetch_curl, easy_setopt)},
    {"curl_easy_perform", offsetof(struct fetch_curl, easy_perform)},
    {"curl_easy_getinfo", offsetof(struct fetch_curl, easy_getinfo)},
    {"curl_easy_strerror", offsetof(struct fetch_curl, easy_strerror)},
    {"curl_easy_cleanup", offsetof(struct fetch_curl, easy_cleanup)},
    {"curl_multi_init", offsetof(struct fetch_curl, multi_init)},
    {"curl_multi_setopt", offsetof(struct fetch_curl, multi_setopt)},
    {"curl_multi_add_handle", offsetof(struct fetch_curl, multi_add_handle)},
    {"curl_multi_remove_handle", offsetof(struct fetch_curl, multi_remove_handle)},
    {"curl_multi_perform", offsetof(struct fetch_curl, multi_perform)},
    {"curl_multi_poll", offsetof(struct fetch_curl, multi_poll)},
    {"curl_multi_wakeup", offsetof(struct fetch_curl, multi_wakeup)},
    {"curl_multi_info_read", offsetof(struct fetch_curl, multi_info_read)},
    {"curl_multi_cleanup", offsetof(struct fetch_curl, multi_cleanup)},
    {"curl_slist_append", offsetof(struct fetch_curl, slist_append)},
    {"curl_slist_free_all", offsetof(struct fetch_curl, slist_free_all)},
    {"curl_url", offsetof(struct fetch_curl, url)},
    {"curl_url_set", offsetof(struct fetch_curl, url_set)},
    {"curl_url_get", offsetof(struct fetch_curl, url_get)},
    {"curl_url_cleanup", offsetof(struct fetch_curl, url_cleanup)},
    {"curl_free", offsetof(struct fetch_curl, free)},
};

static void
curl_load(struct fetch_curl *curl)
{
	void *library = dlopen(CURL_SONAME, RTLD_LAZY | RTLD_LOCAL);

	for (gsize i = 0; i < G_N_ELEMENTS(functions); i++) {
		void *function = library ? dlsym(library, functions[i].name) : NULL;

		if (!function)
			g_error("libcurl cannot be loaded: %s", dlerror());
		*(void **)(void *)((char *)curl + functions[i].place) = function;
	}
	if (curl->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		g_error("libcurl cannot start");
}

const struct fetch_curl *
fetch_curl(void)
{
	static struct fetch_curl curl;
	static gsize loaded;

	if (g_once_init_enter(&loaded)) {
		curl_load(&curl);
		g_once_init_leave(&loaded, 1);
	}
	return &curl;
}

/* Sets the options that depend on the version of libcurl. */
static void
set_protocols(CURL *handle)
{
	const struct fetch_curl *curl = fetch_curl();

#if LIBCURL_VERSION_NUM >= 0x075500
	curl->easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl->easy_setopt(handle, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
	/* Otherwise cleaning up waits for a resolver that does not answer, past the deadline. */
	curl->easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#endif
}

/* Redirects, decoding, cookies, netrc, HSTS and Alt-Svc are off by default. */
CURL *
fetch_curl_new(void)
{
	const struct fetch_curl *curl = fetch_curl();
	const char *trusted = g_getenv("SSL_CERT_FILE");
	CURL *handle = curl->easy_init();

	if (!handle)
		g_error("libcurl cannot make a handle");
	set_protocols(handle);
	curl->easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl->easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (trusted && *trusted)
		curl->easy_setopt(handle, CURLOPT_CAINFO, trusted);
	curl->easy_setopt(handle, CURLOPT_USERAGENT, "Posthouse");
	curl->easy_setopt(handle, CURLOPT_PROXY, ""); /* ignore http_proxy and similar variables */
	curl->easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
	return handle;
}

void
fetch_curl_free(CURL *handle)
{
	fetch_curl()->easy_cleanup(handle);
}
