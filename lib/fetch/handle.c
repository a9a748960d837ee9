/* Starting libcurl, and turning off what it could do besides. */
#include "fetch/handle.h"

static void
start_curl(void)
{
	static gsize started;

	if (!g_once_init_enter(&started))
		return;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		g_error("libcurl does not start");
	g_once_init_leave(&started, 1);
}

/* What depends on the version of libcurl that it is built with. */
static void
set_protocols(CURL *curl)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
	/* Else a resolver that does not answer is waited for past the deadline, in cleaning up. */
	curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
#endif
}

/* What is off by default stays off: redirects, decoding, cookies, netrc, HSTS, Alt-Svc. */
CURL *
fetch_handle_new(void)
{
	CURL *curl;

	start_curl();
	curl = curl_easy_init();
	if (!curl)
		g_error("libcurl has no handle for us");
	set_protocols(curl);
	curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "Posthouse");
	curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* else http_proxy and its kin decide */
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	return curl;
}
