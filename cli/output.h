/* SPDX-License-Identifier: MIT */
/* What a command answers: for people a sentence or a table, with --json one line of JSON. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct cli_output;

/* On standard output. */
struct cli_output *cli_output_new(bool json);
void cli_output_free(struct cli_output *output);
DEFINE_AUTO(cli_output, cli_output_free)

enum cli_field_type { FIELD_TEXT, FIELD_ID, FIELD_NUMBER, FIELD_TIME, FIELD_TRUTH, FIELD_JSON };

/* One fact. In JSON: a string, a number, epoch ms, true or false, or as it is; NULL and the time 0
   are null. In
   tables: text, ISO 8601, yes or no, - for nothing. Texts are borrowed. */
struct cli_field {
	const char *name;
	enum cli_field_type type;
	const char *text;
	gint64 number;
	char id[ID_TEXT_SIZE];
};

struct cli_field cli_text(const char *name, const char *text);
struct cli_field cli_id(const char *name, const struct base_id *id);
struct cli_field cli_number(const char *name, gint64 number);
struct cli_field cli_time(const char *name, gint64 epoch_ms);
struct cli_field cli_truth(const char *name, bool truth);
struct cli_field cli_json(const char *name, const char *json);

#define FIELDS(...)                                                                                \
	(const struct cli_field[]){__VA_ARGS__},                                                   \
	    G_N_ELEMENTS(((const struct cli_field[]){__VA_ARGS__}))

/* The answer is one thing: as JSON the fields, else the sentence. */
void cli_output_say(struct cli_output *output, const struct cli_field *fields, gsize count,
    const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Facts in front of a list: in JSON members of its object, else a line for each. */
void cli_output_facts(struct cli_output *output, const struct cli_field *fields, gsize count);

/* The answer is one thing with many fields: as JSON these, else a line for each. */
void cli_output_thing(struct cli_output *output, const struct cli_field *fields, gsize count);

/* The answer is a text, which goes to a file or a program as it stands; in JSON {"NAME": text}. */
void cli_output_text(struct cli_output *output, const char *name, GBytes *text);

/* The answer is a list: in JSON {"NAME": [{...}, ...]}, else a table whose columns are named as the
   fields of the first row, or the sentence none (NULL: nothing). */
void cli_output_list_begin(struct cli_output *output, const char *name, const char *none);
void cli_output_row(struct cli_output *output, const struct cli_field *fields, gsize count);
void cli_output_list_end(struct cli_output *output);

/* The same, where another list follows in the same answer. */
void cli_output_list_next(struct cli_output *output);

/* One item of a list that is no table: in JSON the fields, else the text, lines that each end in a
   line feed, at once. */
void cli_output_item(
    struct cli_output *output, const struct cli_field *fields, gsize count, const char *text);

/* A line for people alone, at once: how the work goes on. */
void cli_output_progress(struct cli_output *output, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Writes what is not written yet. False when standard output takes it no more. */
bool cli_output_flush(struct cli_output *output);

#endif
