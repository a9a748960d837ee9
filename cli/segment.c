/* SPDX-License-Identifier: MIT */
/* posthouse segment: stores, lists, counts, freezes and removes segments, and shows their people.
 */
#include "segment/segment.h"

#include "base/error.h"
#include "base/limits/list.h"
#include "base/limits/person.h"
#include "base/limits/unit.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/person.h"
#include "json/strict.h"
#include "json/writer.h"
#include "segment/rules.h"
#include "service/service.h"
#include "store/common/found.h"
#include "store/person/people.h"
#include "store/workspace/workspace.h"

#define SEGMENT_ID                                                                                 \
	{                                                                                          \
		"ID", "of the segment", .type = PARAMETER_ID                                       \
	}

enum { PUT_NAME, PUT_FILE };
static const struct cli_parameter put_parameters[] = {
    [PUT_NAME] = {"NAME", "of a segment that is there, or of a new one", .max = LIMIT_NAME_LENGTH},
    [PUT_FILE] = {"FILE", "its rules, as JSON", .type = PARAMETER_FILE},
};

#define RULES_BYTES LIMIT_MIB /* of the file, blanks included */

/* The body of POST /v1/segments, of which the rules alone are read. */
static const struct json_field body_fields[] = {
    JSON_KNOWN("name"),
    {.name = "rules", .type = FIELD_KNOWN, SEGMENT_RULES_BELOW},
};
static const struct json_table body = JSON_TABLE(body_fields);

/* Answers with a segment. done: the deed, for people. */
static void
segment_say(struct cli_call *call, const struct store_segment *segment, const char *done)
{
	char id[ID_TEXT_SIZE];

	cli_output_say_view(call->output, &(struct cli_thing){&segment_view, segment},
	    "Segment %s: %s", done, base_id_format(&segment->id, id));
}

/* Reads the rules, alone or in a body, as compact JSON. The caller owns them. */
static char *
segment_read_rules(struct cli_call *call, GError **error)
{
	g_autoptr(GBytes) bytes = cli_value_read_file(
	    &put_parameters[PUT_FILE], call->values[PUT_FILE].text, RULES_BYTES, error);
	gsize size;

	if (!bytes)
		return NULL;
	const char *text = g_bytes_get_data(bytes, &size);
	AUTO(json) document = json_parse_as("FILE", text ? text : "", size, error);
	const struct json *rules = json_member_get(document, "rules");
	bool is_body = json_kind(rules) == JSON_OBJECT;

	if (!document ||
	    !cli_call_check_members(call, document, is_body ? &body : &segment_rules_body, error))
		return NULL;
	return json_print(is_body ? rules : document);
}

/* Whether there is a segment of this name, and its id. */
static bool
segment_find_named(
    struct cli_call *call, const char *name, bool *found_r, struct base_id *id_r, GError **error)
{
	g_autoptr(GError) failure = NULL;

	*found_r = store_segment_find(call->db, &call->workspace->id, name, id_r, &failure);
	return store_found(g_steal_pointer(&failure), NULL, error);
}

static bool
segment_put(struct cli_call *call, GError **error)
{
	const char *name = call->values[PUT_NAME].text;
	g_autofree char *rules = segment_read_rules(call, error);
	const struct base_id *workspace = &call->workspace->id;
	struct base_id id;
	const struct segment_edit change = {.rules = rules};
	bool is_there;

	if (!rules || !segment_find_named(call, name, &is_there, &id, error))
		return false;
	call->audit = is_there ? NULL : "segment.created";
	AUTO(store_segment) segment =
	    is_there ? segment_change(call->service, workspace, &id, &change, error)
		     : segment_create(call->service, workspace, name, rules, error);
	if (!segment)
		return false;
	segment_say(call, segment, is_there ? "changed" : "created");
	return true;
}

static bool
segment_list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) segments =
	    store_segment_list(call->db, &call->workspace->id, NULL, G_MAXINT32, error);

	if (!segments)
		return false;
	cli_output_list_begin(call->output, "segments", "There are no segments yet.");
	for (guint i = 0; i < segments->len; i++)
		cli_output_row_view(
		    call->output, &(struct cli_thing){&segment_view, segments->pdata[i]});
	cli_output_list_end(call->output);
	return true;
}

enum { ONE_ID };
static const struct cli_parameter one_parameters[] = {
    [ONE_ID] = SEGMENT_ID,
};

/* The segment that the first parameter names. The caller frees it. */
static struct store_segment *
segment_find(struct cli_call *call, GError **error)
{
	return store_segment_get(call->db, &call->workspace->id, &call->values[ONE_ID].id, error);
}

static bool
count(struct cli_call *call, GError **error)
{
	AUTO(store_segment) segment = segment_find(call, error);
	struct segment_count counted;

	if (!segment || !segment_count(call->service, segment, NULL, &counted, error))
		return false;
	cli_output_thing(call->output, FIELDS(cli_number("count", (gint64)counted.people),
					   cli_number("reachable", (gint64)counted.reachable)));
	return true;
}

enum { PEOPLE_ID, PEOPLE_AFTER, PEOPLE_LIMIT };
static const struct cli_parameter people_parameters[] = {
    [PEOPLE_ID] = SEGMENT_ID,
    [PEOPLE_AFTER] = {"--after", "go on behind this person", "ID", .type = PARAMETER_ID},
    [PEOPLE_LIMIT] = {"--limit", "how many at most, 1 to 50; 50 if not given", "N",
	PARAMETER_NUMBER, .min = 1, .max = LIMIT_PAGE},
};

/* Finds people on one page or, where it ends early, on the next ones. */
static GArray *
segment_find_people(struct cli_call *call, const struct store_segment *segment, guint limit,
    struct base_id *cursor_r, bool *more_r, GError **error)
{
	const struct cli_value *after = &call->values[PEOPLE_AFTER];
	struct base_id begin = after->text ? after->id : (struct base_id){{0}};

	for (;;) {
		g_autoptr(GArray) ids = segment_people(call->service, segment,
		    &(struct segment_page){&begin, limit, LIMIT_LOOK_NS}, cursor_r, more_r, error);

		if (!ids || ids->len > 0 || !*more_r)
			return g_steal_pointer(&ids);
		begin = *cursor_r;
	}
}

static bool
people(struct cli_call *call, GError **error)
{
	AUTO(store_segment) segment = segment_find(call, error);
	struct base_id cursor;
	char text[ID_TEXT_SIZE];
	bool more;

	if (!segment)
		return false;
	g_autoptr(GArray) ids = segment_find_people(call, segment,
	    MIN(cli_page_limit(&call->values[PEOPLE_LIMIT]), LIMIT_PAGE), &cursor, &more, error);
	g_autoptr(GPtrArray) rows =
	    ids ? store_people_of(call->db, &call->workspace->id,
		      (const struct base_id *)(void *)ids->data, ids->len, error)
		: NULL;
	if (!rows || !cli_person_write_rows(call, rows, rows->len, "There are no people.", error))
		return false;
	if (more)
		cli_output_progress(
		    call->output, "There may be more: --after %s", base_id_format(&cursor, text));
	return true;
}

enum { FREEZE_ID, FREEZE_NAME };
static const struct cli_parameter freeze_parameters[] = {
    [FREEZE_ID] = SEGMENT_ID,
    [FREEZE_NAME] = {"NAME", "of the new segment", .max = LIMIT_NAME_LENGTH},
};

static bool
cli_segment_freeze(struct cli_call *call, GError **error)
{
	AUTO(store_segment) segment = segment_find(call, error);
	AUTO(store_segment) frozen =
	    segment ? segment_freeze(call->service, segment, call->values[FREEZE_NAME].text, error)
		    : NULL;

	if (!frozen)
		return false;
	segment_say(call, frozen, "frozen");
	return true;
}

static bool
remove_segment(struct cli_call *call, GError **error)
{
	const struct base_id *id = &call->values[ONE_ID].id;
	char text[ID_TEXT_SIZE];

	if (!store_segment_remove(call->db, &call->workspace->id, id, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_id("id", id), cli_text("message", "Segment deleted")), "Segment removed: %s",
	    base_id_format(id, text));
	return true;
}

static const struct cli_command commands[] = {
    {"put", "Store a segment, or change its rules.", NEED_WORKSPACE, PARAMETERS(put_parameters),
	.audit = "segment.changed", .run = segment_put},
    {"list", "List the segments.", NEED_WORKSPACE, .run = segment_list},
    {"count", "Count the people of a segment, and those whom a broadcast would reach.",
	NEED_WORKSPACE, PARAMETERS(one_parameters), .run = count},
    {"people", "List the people of a segment.", NEED_WORKSPACE, PARAMETERS(people_parameters),
	.run = people},
    {"freeze", "Make a segment of the people that are in it now.", NEED_WORKSPACE,
	PARAMETERS(freeze_parameters), .audit = "segment.created", .run = cli_segment_freeze},
    {"remove", "Remove a segment. The people stay.", NEED_WORKSPACE, PARAMETERS(one_parameters),
	.audit = "segment.deleted", .run = remove_segment},
};

const struct cli_noun cli_noun_segment = {"segment", commands, G_N_ELEMENTS(commands)};
