/* SPDX-License-Identifier: MIT */
/* Loads libcurl. */
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
    {"curl_url", offsetof(struct fetch_curl, url)},
    {"curl_url_set", offsetof(struct fetch_curl, url_set)},
    {"curl_url_get", offsetof(struct fetch_curl, url_get)},
    {"curl_url_cleanup", offsetof(struct fetch_curl, url_cleanup)},
    {"curl_free", offsetof(struct fetch_curl, free)},
};

static void
load(struct fetch_curl *curl)
{
	void *library = dlopen(CURL_SONAME, RTLD_LAZY | RTLD_LOCAL);

	for (gsize i = 0; i < G_N_ELEMENTS(functions); i++) {
		void *function = library ? dlsym(library, functions[i].name) : NULL;

		if (!function)
			g_error("libcurl cannot be loaded: %s", dlerror());
		*(void **)(void *)((char *)curl + functions[i].place) = function;
	}
	if (curl->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		g_error("libcurl does not start");
}

const struct fetch_curl *
fetch_curl(void)
{
	static struct fetch_curl curl;
	static gsize loaded;

	if (g_once_init_enter(&loaded)) {
		load(&curl);
		g_once_init_leave(&loaded, 1);
	}
	return &curl;
}
