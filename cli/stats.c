/* SPDX-License-Identifier: MIT */
/* posthouse stats: shows figures as a chart, or writes them as comma-separated values. */
#include <string.h>

#include "base/limits/list.h"
#include "base/limits/person.h"
#include "cli/call.h"
#include "cli/export.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/text.h"
#include "email/figures.h"
#include "store/figure/figure.h"
#include "store/workspace/workspace.h"
#include "text/width.h"

enum { GROUP_BY, FROM, TO, WORKFLOW, BROADCAST, CSV };
static const struct cli_parameter parameters[] = {
    [GROUP_BY] = {"--group-by",
	"day, broadcast, variant, template, workflow, node, tag, domain, provider, link, "
	"execution, "
	"step or stream, each also with \",day\" behind it; day if not given",
	"GROUP", .max = LIMIT_NAME_LENGTH},
    [FROM] = {"--from", "from this day on; 30 days before the last one if not given", "DAY",
	PARAMETER_TIME},
    [TO] = {"--to", "and before this day; today is the last one if not given", "DAY",
	PARAMETER_TIME},
    [WORKFLOW] = {"--workflow", "of which nodes or steps are listed", "ID", PARAMETER_ID},
    [BROADCAST] = {"--broadcast", "of which variants or links are listed", "ID", PARAMETER_ID},
    [CSV] = {"--csv", "write comma-separated values", .type = PARAMETER_FLAG},
};

/* The figures of the chart; its bars show the first of them. */
static const guint shown_of_emails[] = {FIGURE_SENT, FIGURE_DELIVERED, FIGURE_BOUNCED,
    FIGURE_OPENED, FIGURE_CLICKED, FIGURE_UNSUBSCRIBED, FIGURE_REPLIED};

#define KEY_MAX 24 /* columns of a key */
#define DATE_COLUMNS 10
#define FIELDS_OF_ROW (2 + FIGURES)

static struct store_figure_row *
row_at(const GPtrArray *rows, guint place)
{
	return rows->pdata[place];
}

/* Reads all rows, page by page, as an array of pages. */
static GPtrArray *
read_pages(const struct cli_call *call, struct store_figure_query *query, GError **error)
{
	g_autoptr(GPtrArray) pages =
	    g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
	const GPtrArray *page;

	do {
		GPtrArray *rows = store_figure_list(
		    call->db, &call->workspace->id, query, LIMIT_PAGE_FIGURES, error);

		if (!rows)
			return NULL;
		g_ptr_array_add(pages, rows);
		page = rows;
		if (page->len > 0) {
			query->after = row_at(page, page->len - 1)->key;
			query->after_day = row_at(page, page->len - 1)->day;
		}
	} while (page->len == LIMIT_PAGE_FIGURES);
	return g_steal_pointer(&pages);
}

/* A chart of rows. */
struct chart {
	const char *const *names; /* of all figures */
	guint count;
	guint shown[FIGURES], shown_count; /* the places of those in the chart */
	struct cli_output *output;
	bool has_key, has_day, is_utf8;
	guint key_columns, bar_columns;
	gint64 most; /* the largest value of a bar */
};

/* Whether the terminal shows UTF-8, as the environment says. */
static bool
is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *locale = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(names) && (!locale || !*locale); i++)
		locale = g_getenv(names[i]);
	g_autofree char *lower = g_ascii_strdown(locale ? locale : "", -1);
	return strstr(lower, "utf-8") || strstr(lower, "utf8");
}

static void
stats_measure(struct chart *chart, const GPtrArray *rows)
{
	for (guint i = 0; i < rows->len; i++) {
		const struct store_figure_row *row = row_at(rows, i);
		g_autofree char *key = text_width_line(row->key);

		chart->has_key |= *row->key != '\0';
		chart->has_day |= row->day >= 0;
		chart->key_columns = MAX(chart->key_columns, MIN(text_width(key), KEY_MAX));
		chart->most = MAX(chart->most, row->figures[chart->shown[0]]);
	}
}

/* The columns of a figure: those of its name, and room for a larger number. */
static guint
columns_of(const struct chart *chart, guint place)
{
	return (guint)MAX(strlen(chart->names[chart->shown[place]]), strlen("1000000")) + 1;
}

/* Chooses the figures of a group that the chart shows. */
static void
stats_choose(struct chart *chart, enum store_figure_group group)
{
	chart->names = store_figure_names_of(group, &chart->count);
	bool is_of_emails = chart->count == FIGURES;
	chart->shown_count = is_of_emails ? G_N_ELEMENTS(shown_of_emails) : chart->count;
	for (guint i = 0; i < chart->shown_count; i++)
		chart->shown[i] = is_of_emails ? shown_of_emails[i] : i;
}

static guint
bar_columns(const struct chart *chart)
{
	guint used = 2 + (chart->has_day ? DATE_COLUMNS + 1 : 0) +
		     (chart->has_key ? chart->key_columns + 1 : 0);

	for (guint i = 0; i < chart->shown_count; i++)
		used += columns_of(chart, i);
	return used + 8 < WRAP_COLUMNS ? WRAP_COLUMNS - used : 8;
}

static void
add_padded(GString *text, const char *value, guint columns)
{
	guint taken = text_width(value);

	g_string_append(text, value);
	g_string_append_printf(text, "%*s", (int)(columns - MIN(taken, columns)) + 1, "");
}

static void
add_label(GString *text, const struct chart *chart, const char *key, const char *day)
{
	g_autofree char *line = text_width_line(key);
	g_autofree char *cut = cli_wrap_cut(line, chart->key_columns);

	if (chart->has_key)
		add_padded(text, cut, chart->key_columns);
	if (chart->has_day)
		add_padded(text, day, DATE_COLUMNS);
}

static void
show_heading(const struct chart *chart)
{
	g_autoptr(GString) text = g_string_new(NULL);

	add_label(text, chart, "key", "day");
	for (guint i = 0; i < chart->shown_count; i++)
		g_string_append_printf(
		    text, "%*s", (int)columns_of(chart, i), chart->names[chart->shown[i]]);
	cli_output_progress(chart->output, "%s", text->str);
}

/* Appends the bar of a value, in eighths of a column if the terminal has signs for them. */
static void
add_bar(GString *text, const struct chart *chart, gint64 value)
{
	gint64 parts = chart->is_utf8 ? 8 : 1;
	gint64 length = chart->most > 0
			    ? (value * chart->bar_columns * parts + chart->most - 1) / chart->most
			    : 0;

	g_string_append(text, length > 0 ? "  " : "");
	for (gint64 i = 0; i < length / parts; i++)
		g_string_append(text, chart->is_utf8 ? "\u2588" : "#");
	/* U+2588 is the whole column, U+258F the first eighth of one. */
	if (length > 0 && length % parts > 0)
		g_string_append_unichar(text, (gunichar)(0x2590 - length % parts));
}

static void
stats_show_row(const struct chart *chart, const struct store_figure_row *row)
{
	g_autofree char *day = row->day < 0 ? NULL : email_figures_date(row->day);
	g_autoptr(GString) text = g_string_new(NULL);
	struct cli_field fields[FIELDS_OF_ROW] = {
	    cli_text("key", *row->key ? row->key : NULL), cli_text("day", day)};

	for (guint f = 0; f < chart->count; f++)
		fields[2 + f] = cli_number(chart->names[f], row->figures[f]);
	add_label(text, chart, row->key, day);
	for (guint i = 0; i < chart->shown_count; i++)
		g_string_append_printf(text, "%*" G_GINT64_FORMAT, (int)columns_of(chart, i),
		    row->figures[chart->shown[i]]);
	add_bar(text, chart, row->figures[chart->shown[0]]);
	g_string_append_c(text, '\n');
	cli_output_item(chart->output, fields, 2 + chart->count, text->str);
}

static bool
show_chart(struct cli_call *call, enum store_figure_group group, const GPtrArray *pages)
{
	struct chart chart = {
	    .output = call->output, .is_utf8 = is_utf8(), .key_columns = strlen("key")};

	stats_choose(&chart, group);
	for (guint i = 0; i < pages->len; i++)
		stats_measure(&chart, pages->pdata[i]);
	chart.bar_columns = bar_columns(&chart);
	cli_output_list_begin(call->output, "stats", NULL);
	if (chart.has_key || chart.has_day)
		show_heading(&chart);
	else
		cli_output_progress(call->output, "Nothing happened in these days.");
	for (guint p = 0; p < pages->len; p++) {
		const GPtrArray *rows = pages->pdata[p];

		for (guint i = 0; i < rows->len; i++)
			stats_show_row(&chart, row_at(rows, i));
	}
	cli_output_list_end(call->output);
	return true;
}

static bool
stats_write_record(
    struct cli_export *export, const struct store_figure_row *row, guint count, GError **error)
{
	g_autofree char *day = row->day < 0 ? NULL : email_figures_date(row->day);
	char numbers[FIGURES][24];
	const char *fields[FIELDS_OF_ROW] = {row->key, day};

	for (guint f = 0; f < count; f++) {
		g_snprintf(numbers[f], sizeof(numbers[f]), "%" G_GINT64_FORMAT, row->figures[f]);
		fields[2 + f] = numbers[f];
	}
	return cli_export_write(export, fields, 2 + count, error);
}

static bool
write_csv(enum store_figure_group group, const GPtrArray *pages, GError **error)
{
	guint count;
	const char *const *names = store_figure_names_of(group, &count);
	const char *header[FIELDS_OF_ROW] = {"key", "day"};
	AUTO(cli_export) export = cli_export_open(NULL, false, 0, error);

	for (guint f = 0; f < count; f++)
		header[2 + f] = names[f];
	if (!export || !cli_export_write(export, header, 2 + count, error))
		return false;
	for (guint p = 0; p < pages->len; p++) {
		const GPtrArray *rows = pages->pdata[p];

		for (guint i = 0; i < rows->len; i++)
			if (!stats_write_record(export, row_at(rows, i), count, error))
				return false;
	}
	return cli_export_finish(export, error);
}

/* The day of an option as service reads it; NULL: not given. The caller owns it. */
static char *
day_text(const struct cli_value *value)
{
	return value->text ? g_strdup_printf("%" G_GINT64_FORMAT, value->number) : NULL;
}

static bool
stats_show(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	g_autofree char *from = day_text(&values[FROM]), *to = day_text(&values[TO]);
	const struct email_figures_wish wish = {.group_by = values[GROUP_BY].text,
	    .from = from,
	    .to = to,
	    .broadcast_id = values[BROADCAST].text,
	    .workflow_id = values[WORKFLOW].text};
	struct store_figure_query query;

	if (!email_figures_read(&wish, &query, error))
		return false;
	g_autoptr(GPtrArray) pages = read_pages(call, &query, error);
	if (!pages)
		return false;
	return values[CSV].text ? write_csv(query.group, pages, error)
				: show_chart(call, query.group, pages);
}

static const struct cli_command commands[] = {
    {NULL, "Show what became of emails on each day, or by what they have in common.",
	NEED_WORKSPACE, PARAMETERS(parameters), .run = stats_show},
};

const struct cli_noun cli_noun_stats = {"stats", commands, G_N_ELEMENTS(commands)};
