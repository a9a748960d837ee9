/* SPDX-License-Identifier: MIT */
/* The answer of a command: a sentence or a table or, with --json, one line of JSON; and the options
   of long lists. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "cli/grammar.h"

struct cli_output;
struct base_id;
struct cli_value;
struct json_view;

/* Makes an output to standard output. The caller frees it. */
struct cli_output *cli_output_new(bool json);
void cli_output_free(struct cli_output *output);
DEFINE_AUTO(cli_output, cli_output_free)

enum cli_field_type { CLI_TEXT, CLI_ID, CLI_NUMBER, CLI_TIME, CLI_TRUTH, CLI_JSON };

/* A named value. In JSON: a string, a number, epoch ms, a boolean, or raw JSON; NULL and the time 0
   are null. For people: text, a number, ISO 8601, yes or no; - for null. Texts are borrowed. */
struct cli_field {
	const char *name;
	enum cli_field_type type;
	const char *text;
	gint64 number;
	char id[ID_TEXT_SIZE];
};

/* Make fields. name and a text are borrowed; the text of an id is in the field itself. text and
   json may be NULL. */
struct cli_field cli_text(const char *name, const char *text);
struct cli_field cli_id(const char *name, const struct base_id *id);
struct cli_field cli_number(const char *name, gint64 number);
struct cli_field cli_time(const char *name, gint64 epoch_ms);
struct cli_field cli_truth(const char *name, bool truth);
struct cli_field cli_json(const char *name, const char *json);

/* Makes a field of a member that the view of a noun has (json/view.h), whose text is stored. name:
   its name here. */
struct cli_field cli_member(
    const char *name, const struct json_view *view, const char *member, const void *row);

#define FIELDS(...)                                                                                \
	(const struct cli_field[]){__VA_ARGS__},                                                   \
	    G_N_ELEMENTS(((const struct cli_field[]){__VA_ARGS__}))

/* Answers with the fields in JSON, with the sentence for people. */
void cli_output_say(struct cli_output *output, const struct cli_field *fields, gsize count,
    const char *format, ...) G_GNUC_PRINTF(4, 5);

/* A noun as a row of the store, with its view. */
struct cli_thing {
	const struct json_view *view;
	const void *row, *context;    /* as of json_view_write */
	guint columns;		      /* that a list shows people, who see the first ones; 0: all */
	const struct cli_field *more; /* one behind them; NULL: none */
};

/* The same with the members of a noun. */
void cli_output_say_view(struct cli_output *output, const struct cli_thing *thing,
    const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Keeps the id and the name of what the answer is about, if none is kept yet. Both may be NULL. */
void cli_output_about(struct cli_output *output, const struct base_id *id, const char *name);

/* The names of cli_output_about, else those in the answer: the first id, and the first name, of
   cli_output_say and cli_output_thing; NULL where there is none. Both live as long as the output.
 */
void cli_output_named(const struct cli_output *output, const char **id_r, const char **name_r);

/* Writes fields in front of a list: members of its object in JSON, a line for each for people. */
void cli_output_facts(struct cli_output *output, const struct cli_field *fields, gsize count);

/* Answers with the fields: an object in JSON, a line for each for people. */
void cli_output_thing(struct cli_output *output, const struct cli_field *fields, gsize count);

/* The same two with the members of a noun. */
void cli_output_facts_view(struct cli_output *output, const struct cli_thing *thing);
void cli_output_thing_view(struct cli_output *output, const struct cli_thing *thing);

/* Answers with a text, unchanged unless it goes to a terminal; in JSON {"NAME": text}. */
void cli_output_text(struct cli_output *output, const char *name, GBytes *text);

/* Answers with a list: in JSON {"NAME": [{...}, ...]}; for people a table with the field names of
   the first row as headings or, when it is empty, the sentence none (NULL: nothing). */
void cli_output_list_begin(struct cli_output *output, const char *name, const char *none);
void cli_output_row(struct cli_output *output, const struct cli_field *fields, gsize count);
void cli_output_row_view(struct cli_output *output, const struct cli_thing *thing);
void cli_output_list_end(struct cli_output *output);

/* Ends a list that another list of the same answer follows. */
void cli_output_list_next(struct cli_output *output);

/* Writes an item of a list that is no table: the fields in JSON; for people the text at once, lines
   that each end in a line feed. */
void cli_output_item(
    struct cli_output *output, const struct cli_field *fields, gsize count, const char *text);

/* Writes a line for people at once; nothing in JSON. */
void cli_output_progress(struct cli_output *output, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Writes an object, JSON, of the thing with this id (NULL: it has none): an item of the list that
   has begun, or the whole answer. Nothing for people. */
void cli_output_object(struct cli_output *output, const struct base_id *id, const char *object);

/* Flushes standard output. Returns false when it could not be written. */
bool cli_output_flush(struct cli_output *output);

/* The options of a list that is shown in pages, newest first. */
#define PAGE_BEFORE                                                                                \
	{                                                                                          \
		"--before", "go on below this one", "ID", .type = PARAMETER_ID                     \
	}
#define PAGE_LIMIT                                                                                 \
	{                                                                                          \
		"--limit", "how many at most, 1 to 1000; 50 if not given", "N", PARAMETER_NUMBER,  \
		    .min = 1, .max = 1000                                                          \
	}

/* Return the values of --before (NULL: not given) and of --limit. */
const struct base_id *cli_page_before(const struct cli_value *before);
guint cli_page_limit(const struct cli_value *limit);

/* After an incomplete page, tells how to see the next one. last: the last item of the page. */
void cli_page_rest(struct cli_output *output, const struct base_id *last);

#endif
