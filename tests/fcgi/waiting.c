/* SPDX-License-Identifier: MIT */
/* Requests that wait at the same time. */
#include "tests/fcgi/waiting.h"

#include <criterion/criterion.h>
#include <string.h>

#include "fcgi/api/alone.h"
#include "fcgi/api/gather.h"
#include "fcgi/api/heavy.h"
#include "service/service.h"
#include "tests/fcgi/fake_io.h"
#include "tests/support/db.h"

static struct fcgi_io *
request_of(const struct waiting_request *request, char letter, GPtrArray *params)
{
	while (request->letter != letter)
		request++;
	const char *body = request->body;
	g_ptr_array_add(params, g_strconcat("REQUEST_METHOD=", request->method, NULL));
	g_ptr_array_add(params, g_strconcat("PATH_INFO=", request->path, NULL));
	g_ptr_array_add(params, g_strdup_printf("CONTENT_LENGTH=%zu", body ? strlen(body) : 0));
	g_ptr_array_add(params, g_strdup(request->key ? request->key : "A=b"));
	g_ptr_array_add(params, g_strdup(request->header ? request->header : "A=b"));
	g_ptr_array_add(params, NULL);
	return fake_io_new((const char *const *)params->pdata, body, body ? strlen(body) : 0, 0);
}

static void
free_params(void *params)
{
	g_ptr_array_unref(params);
}

static void
free_io(void *io)
{
	fake_io_free(io);
}

guint
waiting_serve_next(
    struct service *service, struct fcgi_auth *auth, struct fcgi_source *source, struct fcgi_io *io)
{
	static struct fcgi_heavy_ledger *ledger;

	if (!ledger)
		ledger = fcgi_heavy_ledger_new();
	AUTO(fcgi_heavy) heavy = fcgi_heavy_new(service->settings, ledger, 1);
	AUTO(fcgi_alone) alone = fcgi_alone_new(service, auth, heavy, false);
	return fcgi_serve(&(struct fcgi_worker){service, auth, alone, source}, io);
}

GPtrArray *
waiting_serve(struct service *service, struct fcgi_auth *auth,
    const struct waiting_request *requests, const char *letters)
{
	g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func(free_params);
	GPtrArray *ios = g_ptr_array_new_with_free_func(free_io);
	struct fcgi_source *source = fake_source_new();
	guint served = 0;

	for (const char *p = letters; *p; p++) {
		GPtrArray *params = g_ptr_array_new_with_free_func(g_free);

		g_ptr_array_add(kept, params);
		g_ptr_array_add(ios, request_of(requests, *p, params));
		fake_source_add(source, ios->pdata[ios->len - 1]);
	}
	for (struct fcgi_io *io; (io = fcgi_source_more(source));)
		served += waiting_serve_next(service, auth, source, io);
	cr_expect_eq(served, ios->len);
	fake_source_free(source);
	return ios;
}

char *
waiting_statuses(const GPtrArray *ios)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < ios->len; i++) {
		g_string_append_printf(
		    text, "%s%u", i > 0 ? " " : "", fake_io_status(ios->pdata[i]));
		cr_expect(fake_io_finished(ios->pdata[i]), "%u is not finished once", i);
	}
	return g_string_free(text, FALSE);
}

gint64
waiting_executed(struct service *service)
{
	return test_db_number(service->db,
	    "SELECT CAST(VARIABLE_VALUE AS INTEGER) FROM information_schema.SESSION_STATUS"
	    " WHERE VARIABLE_NAME = 'COM_STMT_EXECUTE'");
}
