/* SPDX-License-Identifier: MIT */
/* Tests posthouse segment on a real database. */
#include <glib/gstdio.h>
#include <string.h>

#include "tests/cli/office.h"

OFFICE_SUITE(segment);

/* A file with these rules. The caller owns its path. */
static char *
segment_write_rules(const char *text)
{
	char *path = g_strconcat(config, ".rules", NULL);

	cr_assert(g_file_set_contents(path, text, -1, NULL));
	return path;
}

/* The last word of the output. The caller owns it. */
static char *
segment_last_word(const char *line)
{
	g_autofree char *output = program_line(config, line);

	g_strchomp(output);
	return g_strdup(strrchr(output, ' ') + 1);
}

Test(segment, is_put_counted_frozen_and_removed)
{
	g_autofree char *path = segment_write_rules(
	    "{\"rules\": [{\"property\": \"plan\", \"operator\": \"exists\"}]}");
	g_autofree char *put = g_strdup_printf("segment put Paying %s", path);

	program_expect(config, "segment list", 0, "There are no segments yet.\n", NULL);
	g_free(program_line(config, "person set ann@example.org plan=pro"));
	g_free(program_line(config, "person set bob@example.org age=10"));
	g_autofree char *id = segment_last_word(put);
	g_autofree char *again = segment_last_word(put);
	cr_expect_str_eq(id, again);
	g_free(segment_write_rules(
	    "{\"name\": \"Other\", \"rules\": {\"rules\": [{\"property\": \"plan\","
	    " \"operator\": \"exists\"}]}}"));
	g_autofree char *of_body = segment_last_word(put);
	cr_expect_str_eq(id, of_body);
	g_autofree char *count = g_strdup_printf("segment count %s --json", id);
	g_autofree char *people = g_strdup_printf("segment people %s --json", id);
	g_autofree char *freeze = g_strdup_printf("segment freeze %s Then", id);
	program_expect(config, count, 0, "{\"count\":1,\"reachable\":1}\n", NULL);
	program_expect(config, people, 0,
	    "{\"people\":[{\"id\":*\"email\":\"ann@example.org\"*\"plan\":\"pro\"*}]}\n", NULL);
	g_autofree char *frozen = segment_last_word(freeze);
	g_free(program_line(config, "person remove ann@example.org"));
	g_autofree char *counted = g_strdup_printf("segment count %s", frozen);
	program_expect(config, counted, 0, "*count*0*", NULL);
	program_expect(config, "segment list --json", 0,
	    "{\"segments\":[{*\"name\":\"Then\",*\"count\":0,*},{*\"name\":\"Paying\","
	    "\"rules\":{*},\"frozen_at\":null,\"count\":null,*}]}\n",
	    NULL);
	g_autofree char *removal = g_strdup_printf("segment remove %s", id);
	program_expect(config, removal, 0, "Segment removed: *", NULL);
	program_expect(config, removal, 66, NULL, "*Segment not found*");
	g_remove(path);
}

Test(segment, has_faults)
{
	g_autofree char *path = segment_write_rules("{\"rules\": [{\"email\": \"read\"}]}");
	g_autofree char *put = g_strdup_printf("segment put Readers %s", path);

	program_expect(
	    config, put, 65, NULL, "*.email must be one of sent, opened, clicked, bounced*");
	g_autofree char *other = segment_write_rules("[]");
	program_expect(config, put, 65, NULL, "*FILE must be a JSON object*");
	g_free(segment_write_rules("{\"rules\": [{\"rules\": [{\"Email\": \"sent\"}]}]}"));
	program_expect(config, put, 65, NULL,
	    "*rules[0].rules[0].Email is not a member that FILE may have; did you mean email?*");
	g_free(segment_write_rules("{\"rules\": {\"rules\": [{\"Email\": \"sent\"}]}}"));
	program_expect(config, put, 65, NULL,
	    "*rules.rules[0].Email is not a member that FILE may have; did you mean email?*");
	g_free(segment_write_rules("{\"rules\": {\"rules\": [{\"email\": \"read\"}]}}"));
	program_expect(config, put, 65, NULL, "*rules[0].email must be one of*");
	g_free(segment_write_rules("{\"rules\": [], \"colour\": 1}"));
	g_free(program_line(config, put));
	program_expect(config, "segment put Readers /nowhere", 66, NULL, "*FILE cannot be read*");
	g_remove(path);
}
