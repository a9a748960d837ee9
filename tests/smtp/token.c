/* SPDX-License-Identifier: MIT */
/* The tokens of XOAUTH2: kept, and asked for once more when the relay refuses one. */
#include "smtp/token.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/smtp/sending.h"

static const char *const two[] = {"a@x.org", "b@x.org", NULL};

static void
send_with_token(const char *command, const char *token)
{
	struct smtp_script script = {
	    .extensions = "AUTH XOAUTH2", .user = "joe", .password = token};
	struct sending sending;

	sending_start(&sending, &script, two);
	sending.relay.user = "joe";
	sending.relay.auth = RELAY_AUTH_XOAUTH2;
	sending.relay.token_command = command;
	sending_run(&sending);
	sending_stop(&sending);
	cr_expect(sending.had, "%s: got %s", token, sending.error ? sending.error->message : "");
	sending_free(&sending);
}

Test(token, is_asked_for_once_more_when_refused)
{
	g_autofree char *file = NULL, *text = NULL;
	int fd = g_file_open_tmp("token-XXXXXX", &file, NULL);
	g_autofree char *command = g_strdup_printf("echo x >>%s; echo t-$(wc -l <%s)", file, file);

	close(fd);
	send_with_token(command, "t-1");
	send_with_token(command, "t-1"); /* the kept one */
	send_with_token(command, "t-2");
	cr_assert(g_file_get_contents(file, &text, NULL, NULL));
	cr_expect_str_eq(text, "x\nx\n");
	unlink(file);
}

Test(token, leaves_our_standard_error_alone)
{
	FILE *file = tmpfile();
	int old = dup(STDERR_FILENO);
	char *why;

	cr_assert(file && old >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
	g_autofree char *token = smtp_token_get("echo refresh-token >&2; echo t", false, &why);
	dup2(old, STDERR_FILENO);
	close(old);
	cr_expect_str_eq(token, "t");
	cr_expect_eq(lseek(fileno(file), 0, SEEK_END), 0);
	fclose(file);
}
