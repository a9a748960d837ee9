/* SPDX-License-Identifier: MIT */
/* Turning off what libcurl could do besides. */
#include "fetch/handle.h"

/* What depends on the version of libcurl that it is built with. */
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
	/* Else a resolver that does not answer is waited for past the deadline, in cleaning up. */
	curl->easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#endif
}

/* What is off by default stays off: redirects, decoding, cookies, netrc, HSTS, Alt-Svc. */
CURL *
fetch_handle_new(void)
{
	const struct fetch_curl *curl = fetch_curl();
	CURL *handle = curl->easy_init();

	if (!handle)
		g_error("libcurl has no handle for us");
	set_protocols(handle);
	curl->easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl->easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl->easy_setopt(handle, CURLOPT_USERAGENT, "Posthouse");
	curl->easy_setopt(handle, CURLOPT_PROXY, ""); /* else http_proxy and its kin decide */
	curl->easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
	return handle;
}

void
fetch_handle_free(CURL *handle)
{
	fetch_curl()->easy_cleanup(handle);
}
