/* SPDX-License-Identifier: MIT */
/* libcurl, loaded at its first use instead of linked. It brings two dozen libraries and takes as
   long to load as all other libraries together, but most processes never fetch anything. */
#ifndef FETCH_CURL_H
#define FETCH_CURL_H

#include <curl/curl.h>
#include <glib.h>

/* The functions of libcurl, named without curl_. */
struct fetch_curl {
	CURLcode (*global_init)(long flags);
	CURL *(*easy_init)(void);
	CURLcode (*easy_setopt)(CURL *curl, CURLoption option, ...);
	CURLcode (*easy_perform)(CURL *curl);
	CURLcode (*easy_getinfo)(CURL *curl, CURLINFO info, ...);
	const char *(*easy_strerror)(CURLcode code);
	void (*easy_cleanup)(CURL *curl);
	CURLM *(*multi_init)(void);
	CURLMcode (*multi_setopt)(CURLM *multi, CURLMoption option, ...);
	CURLMcode (*multi_add_handle)(CURLM *multi, CURL *curl);
	CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *curl);
	CURLMcode (*multi_perform)(CURLM *multi, int *running_r);
	CURLMcode (*multi_poll)(CURLM *multi, struct curl_waitfd *more, unsigned int count,
	    int timeout_ms, int *ready_r);
	CURLMcode (*multi_wakeup)(CURLM *multi);
	CURLMsg *(*multi_info_read)(CURLM *multi, int *left_r);
	CURLMcode (*multi_cleanup)(CURLM *multi);
	struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
	void (*slist_free_all)(struct curl_slist *list);
	CURLU *(*url)(void);
	CURLUcode (*url_set)(CURLU *url, CURLUPart part, const char *text, unsigned int flags);
	CURLUcode (*url_get)(const CURLU *url, CURLUPart part, char **text, unsigned int flags);
	void (*url_cleanup)(CURLU *url);
	void (*free)(void *text);
};

/* The initialized library; can be called in any thread. Ends the process if libcurl is missing. */
const struct fetch_curl *fetch_curl(void);

/* A handle for GET over HTTP/1.1, with TLS 1.2 or later, that follows no redirect. The environment
   changes nothing but the certificates that are trusted: SSL_CERT_FILE names them, as it does to
   OpenSSL. The caller frees it; never NULL. */
CURL *fetch_curl_new(void);
void fetch_curl_free(CURL *handle);

/* CURL is void, so g_autoptr(CURL) documents the type of the pointer. */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CURL, fetch_curl_free)

#endif
