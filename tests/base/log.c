/* SPDX-License-Identifier: MIT */
/* Tests log lines on standard error. */
#include "config/log.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs in a process of its own, as each Criterion test does. */
static int
catch_stderr(void)
{
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert(dup2(ends[1], STDERR_FILENO) >= 0);
	close(ends[1]);
	return ends[0];
}

static char *
log_next(int fd)
{
	char buffer[4096];
	ssize_t size = read(fd, buffer, sizeof(buffer));

	cr_assert(size > 0);
	return g_strndup(buffer, (gsize)size);
}

Test(log, nothing_in_a_text_can_forge_a_line)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"", "spool: \n"}, {"a relay is away", "spool: a relay is away\n"},
	    {"100% {} \\ '\"", "spool: 100% {} \\ '\"\n"},
	    {"m\303\274ller \344\276\213 \360\237\222\251",
		"spool: m\303\274ller \344\276\213 \360\237\222\251\n"},
	    {"x\nspool: all is well", "spool: x\\u{a}spool: all is well\n"},
	    {"x\r\n\t\v", "spool: x\\u{d}\\u{a}\\u{9}\\u{b}\n"},
	    {"\033[2J\177\b", "spool: \\u{1b}[2J\\u{7f}\\u{8}\n"},
	    {"\302\205\302\233", "spool: \\u{85}\\u{9b}\n"},		 /* C1 */
	    {"\342\200\250\342\200\251", "spool: \\u{2028}\\u{2029}\n"}, /* line separators */
	    {"\342\200\256\342\200\213", "spool: \\u{202e}\\u{200b}\n"}, /* right to left */
	    {"\xff\xfe", "spool: \\xff\\xfe\n"}, {"a\xc3", "spool: a\\xc3\n"},
	    {"a\xc3\nb", "spool: a\\xc3\\u{a}b\n"},
	    {"\xc0\x8a", "spool: \\xc0\\x8a\n"},	  /* a long newline */
	    {"\xed\xa0\x80", "spool: \\xed\\xa0\\x80\n"}, /* a surrogate */
	};
	int fd = catch_stderr();

	config_log_name("spool");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		config_log("%s", cases[i].text);
		g_autofree char *got = log_next(fd);
		cr_expect_str_eq(got, cases[i].want, "%zu: got %s, want %s", i, got, cases[i].want);
	}
}

Test(log, formats_and_has_a_name_from_the_start)
{
	int fd = catch_stderr();

	config_log("%d of %s", 3, "five");
	g_autofree char *got = log_next(fd);
	cr_expect_str_eq(got, "posthouse: 3 of five\n");
}
