/* SPDX-License-Identifier: MIT */
/* libcurl, which is not linked but loaded when it is first asked for something: with the two dozen
   libraries that it brings along it takes as long to load as all others together, and most
   processes never fetch anything. */
#ifndef FETCH_CURL_H
#define FETCH_CURL_H

#include <curl/curl.h>
#include <glib.h>

/* Its functions, without their curl_. */
struct fetch_curl {
	CURLcode (*global_init)(long flags);
	CURL *(*easy_init)(void);
	CURLcode (*easy_setopt)(CURL *curl, CURLoption option, ...);
	CURLcode (*easy_perform)(CURL *curl);
	CURLcode (*easy_getinfo)(CURL *curl, CURLINFO info, ...);
	const char *(*easy_strerror)(CURLcode code);
	void (*easy_cleanup)(CURL *curl);
	CURLU *(*url)(void);
	CURLUcode (*url_set)(CURLU *url, CURLUPart part, const char *text, unsigned int flags);
	CURLUcode (*url_get)(const CURLU *url, CURLUPart part, char **text, unsigned int flags);
	void (*url_cleanup)(CURLU *url);
	void (*free)(void *text);
};

/* Ready for use, from any thread. Ends the process where there is no libcurl. */
const struct fetch_curl *fetch_curl(void);

#endif
