/* SPDX-License-Identifier: MIT */
/* Makes random rules, and translates each into SQL. */
#include "tests/segment/oracle.h"

#include <string.h>

const char *const oracle_properties[] = {
    "{}",
    "{'plan':'pro'}",
    "{'plan':'free','age':9}",
    "{'plan':'Pro','age':'10'}",
    "{'plan':'prose','age':10.5,'vip':true}",
    "{'plan':null,'age':null,'vip':false}",
    "{'plan':10,'age':'9.0','vip':'true'}",
    "{'plan':'10','age':-3}",
    "{'plan':true,'age':1e1}",
    "{'plan':['pro',10,true],'age':[]}",
    "{'plan':{'name':'pro'},'age':'010'}",
    "{'address':{'city':'Rome','zip':'9'},'plan':'free'}",
    "{'address':{'city':null,'zip':10}}",
    "{'address':'Rome','plan':'pro'}",
    "{'plan':'','age':''}",
};
const guint oracle_property_count = G_N_ELEMENTS(oracle_properties);

const char *const oracle_events[] = {"order.placed", "login"};
const guint oracle_event_count = G_N_ELEMENTS(oracle_events);

static guint
oracle_any(GRand *rand, guint count)
{
	return (guint)g_rand_int_range(rand, 0, (gint32)count);
}

/* A value to compare with: its JSON, its text in SQL, and its type. */
static const struct value {
	const char *json, *text;
	enum { STRING, NUMERIC_STRING, NUMBER, BOOLEAN } type;
} values[] = {
    {"\"pro\"", "'pro'", STRING},
    {"\"free\"", "'free'", STRING},
    {"\"Rome\"", "'Rome'", STRING},
    {"\"\"", "''", STRING},
    {"\"p\"", "'p'", STRING},
    {"\"o\"", "'o'", STRING},
    {"\"010\"", "'010'", STRING},
    {"\"10\"", "'10'", NUMERIC_STRING},
    {"\"9.0\"", "'9.0'", NUMERIC_STRING},
    {"10", "'10'", NUMBER},
    {"9", "'9'", NUMBER},
    {"-3", "'-3'", NUMBER},
    {"10.5", "'10.5'", NUMBER},
    {"true", "'true'", BOOLEAN},
    {"false", "'false'", BOOLEAN},
};

/* Something to compare: SQL of its JSON type and of its text. */
struct operand {
	const char *name; /* in rules */
	const char *type, *text;
	const char *elements[3]; /* of an array: SQL of their JSON; NULL: it never is one */
};

#define PATH(path)                                                                                 \
	"JSON_TYPE(JSON_EXTRACT(p.properties, '" path "'))",                                       \
	    "JSON_UNQUOTE(JSON_EXTRACT(p.properties, '" path "'))",                                \
	{                                                                                          \
		"JSON_EXTRACT(p.properties, '" path "[0]')",                                       \
		    "JSON_EXTRACT(p.properties, '" path "[1]')",                                   \
		    "JSON_EXTRACT(p.properties, '" path "[2]')"                                    \
	}
#define COLUMN(column)                                                                             \
	"IF(p." column " IS NULL, NULL, 'STRING')", "p." column,                                   \
	{                                                                                          \
		NULL                                                                               \
	}

static const struct operand operands[] = {
    {"plan", PATH("$.plan")},
    {"age", PATH("$.age")},
    {"vip", PATH("$.vip")},
    {"address.city", PATH("$.address.city")},
    {"address.zip", PATH("$.address.zip")},
    {"nothing", PATH("$.nothing")},
    {"contact.first_name", COLUMN("first_name")},
    {"contact.language", "IF(p.language IS NULL, NULL, 'STRING')", "LOWER(p.language)", {NULL}},
    {"contact.time_zone", COLUMN("time_zone")},
    {"contact.created", "'INTEGER'", "CAST(p.created AS CHAR)", {NULL}},
    {"contact.subscribed", "'BOOLEAN'", "IF(p.is_subscribed, 'true', 'false')", {NULL}},
};

#define GRAMMAR "'^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$'"

/* Appends a comparison of order: =, > or <. */
static void
add_order(
    GString *sql, const char *type, const char *text, const char *sign, const struct value *value)
{
	g_autofree char *numeric = g_strdup_printf(
	    "(%s IN ('INTEGER', 'DOUBLE') OR (%s = 'STRING' AND %s REGEXP " GRAMMAR "))", type,
	    type, text);

	if (value->type == BOOLEAN)
		g_string_append_printf(sql, "(%s = 'BOOLEAN' AND %s = %s AND '=' = '%s')", type,
		    text, value->text, sign);
	else if (value->type == STRING)
		g_string_append_printf(sql, "(%s = 'STRING' AND BINARY %s %s BINARY %s)", type,
		    text, sign, value->text);
	else
		g_string_append_printf(sql,
		    "IF(%s, CAST(%s AS DOUBLE) %s CAST(%s AS DOUBLE),"
		    " %d AND %s = 'STRING' AND BINARY %s %s BINARY %s)",
		    numeric, text, sign, value->text, value->type == NUMERIC_STRING, type, text,
		    sign, value->text);
}

/* Appends a test of a text: the format takes the operand's text, then the value's. */
static void
oracle_add_text(
    GString *sql, const struct operand *operand, const char *format, const struct value *value)
{
	g_auto(GStrv) parts = g_strsplit(format, "#", -1);

	g_string_append_printf(sql, "(%d AND %s IN ('STRING', 'INTEGER', 'DOUBLE') AND ",
	    value->type != BOOLEAN, operand->type);
	for (guint i = 0; parts[i]; i++)
		g_string_append_printf(sql, "%s%s",
		    i == 0	 ? ""
		    : i % 2 == 1 ? operand->text
				 : value->text,
		    parts[i]);
	g_string_append_c(sql, ')');
}

static void
add_contains(GString *sql, const struct operand *operand, const struct value *value)
{
	oracle_add_text(
	    sql, operand, "(CHAR_LENGTH(#) >= 0 AND LOCATE(BINARY #, BINARY #) > 0)", value);
	for (guint i = 0; operand->elements[0] && i < G_N_ELEMENTS(operand->elements); i++) {
		g_autofree char *type = g_strdup_printf("JSON_TYPE(%s)", operand->elements[i]);
		g_autofree char *text = g_strdup_printf("JSON_UNQUOTE(%s)", operand->elements[i]);

		g_string_append_printf(sql, " OR (%s = 'ARRAY' AND COALESCE(", operand->type);
		add_order(sql, type, text, "=", value);
		g_string_append(sql, ", 0))");
	}
}

static const char *const operators[] = {"equals", "not_equals", "greater_than", "less_than",
    "contains", "not_contains", "begins_with", "ends_with", "exists", "not_exists"};

static void
add_operator(
    GString *sql, const char *name, const struct operand *operand, const struct value *value)
{
	g_string_append(sql, g_str_has_prefix(name, "not_") ? "NOT COALESCE((" : "COALESCE((");
	if (g_str_has_suffix(name, "equals"))
		add_order(sql, operand->type, operand->text, "=", value);
	else if (strcmp(name, "greater_than") == 0)
		add_order(sql, operand->type, operand->text, ">", value);
	else if (strcmp(name, "less_than") == 0)
		add_order(sql, operand->type, operand->text, "<", value);
	else if (g_str_has_suffix(name, "contains"))
		add_contains(sql, operand, value);
	else if (strcmp(name, "begins_with") == 0)
		oracle_add_text(sql, operand,
		    "(# IS NOT NULL AND # IS NOT NULL AND BINARY LEFT(#, CHAR_LENGTH(#)) = BINARY "
		    "CONCAT(LEFT(#, 0), #))",
		    value);
	else if (strcmp(name, "ends_with") == 0)
		oracle_add_text(sql, operand,
		    "(# IS NOT NULL AND # IS NOT NULL AND BINARY RIGHT(#, CHAR_LENGTH(#)) = BINARY "
		    "CONCAT(LEFT(#, 0), #))",
		    value);
	else
		g_string_append_printf(sql, "%s <> 'NULL'", operand->type);
	g_string_append(sql, "), 0)");
}

static void
add_property(GRand *rand, GString *rules, GString *sql)
{
	const struct operand *operand = &operands[oracle_any(rand, G_N_ELEMENTS(operands))];
	const struct value *value = &values[oracle_any(rand, G_N_ELEMENTS(values))];
	const char *name = operators[oracle_any(rand, G_N_ELEMENTS(operators))];
	/* Languages compare in lower case. */
	g_autofree char *lower = g_strdup_printf("LOWER(%s)", value->text);
	struct value compared = *value;

	if (strcmp(operand->name, "contact.language") == 0)
		compared.text = lower;
	g_string_append_printf(rules, "{\"property\":\"%s\",\"operator\":\"%s\",\"value\":%s}",
	    operand->name, name, value->json);
	add_operator(sql, name, operand, &compared);
}

/* Addresses compare in lower case. */
static void
oracle_add_email(GRand *rand, GString *rules, GString *sql)
{
	static const char *const tested[] = {"equals", "not_equals", "contains", "not_contains"};
	guint number = oracle_any(rand, 20), index = oracle_any(rand, G_N_ELEMENTS(tested));

	g_string_append_printf(rules,
	    "{\"property\":\"contact.email\",\"operator\":\"%s\",\"value\":\"P%u@EXAMPLE.org\"}",
	    tested[index], number);
	if (index < 2)
		g_string_append_printf(
		    sql, "LOWER(p.email) %s 'p%u@example.org'", index == 0 ? "=" : "<>", number);
	else
		g_string_append_printf(sql, "%sLOCATE('p%u@example.org', LOWER(p.email)) > 0",
		    index == 2 ? "" : "NOT ", number);
}

static void
oracle_hex(const struct base_id *id, char text_r[40])
{
	strcpy(text_r, "0x");
	for (guint i = 0; i < sizeof(id->bytes); i++)
		g_snprintf(text_r + 2 + 2 * i, 3, "%02x", id->bytes[i]);
}

static void
oracle_add_audience(GRand *rand, const struct crowd *crowd, GString *rules, GString *sql)
{
	static const struct {
		const char *name, *in, *condition;
	} states[] = {
	    {"subscribed", "", "c.is_subscribed = 1"},
	    {"unsubscribed", "", "c.is_subscribed = 0 AND c.pending IS NULL"},
	    {"pending", "", "c.pending IS NOT NULL"},
	    {"member", "", "1"},
	    {"not_member", "NOT ", "1"},
	};
	const struct base_id *audience = &crowd->audiences[oracle_any(rand, 3)];
	guint state = oracle_any(rand, G_N_ELEMENTS(states));
	char id[ID_TEXT_SIZE], bytes[40];

	oracle_hex(audience, bytes);
	g_string_append_printf(rules, "{\"audience\":\"%s\",\"operator\":\"%s\"}",
	    base_id_format(audience, id), states[state].name);
	g_string_append_printf(sql,
	    "%sEXISTS (SELECT 1 FROM contact c WHERE c.audience_id = %s"
	    " AND c.address = p.address AND %s)",
	    states[state].in, bytes, states[state].condition);
}

static void
add_topic(GRand *rand, const struct crowd *crowd, GString *rules, GString *sql)
{
	bool is_opt_in = oracle_any(rand, 2), is_negated = oracle_any(rand, 2);
	const struct base_id *topic = is_opt_in ? &crowd->opt_in : &crowd->opt_out;
	char id[ID_TEXT_SIZE], bytes[40];

	oracle_hex(topic, bytes);
	g_string_append_printf(rules, "{\"topic\":\"%s\",\"operator\":\"%s\"}",
	    base_id_format(topic, id), is_negated ? "not_subscribed" : "subscribed");
	g_string_append_printf(sql,
	    "%sCOALESCE((SELECT c.is_chosen FROM choice_part c WHERE c.person = p.address"
	    " AND c.target_id = %s), %d)",
	    is_negated ? "NOT " : "", bytes, !is_opt_in);
}

/* Appends did or did_not, and perhaps a number of days. Returns the days, 0 for none. */
static guint
add_did(GRand *rand, GString *rules, GString *sql)
{
	bool is_negated = oracle_any(rand, 2);
	guint days = oracle_any(rand, 3) * 10;

	g_string_append_printf(rules, "\"operator\":\"%s\"", is_negated ? "did_not" : "did");
	if (days > 0)
		g_string_append_printf(rules, ",\"within_days\":%u", days);
	if (is_negated)
		g_string_append(sql, "NOT ");
	return days;
}

static void
add_activity(GRand *rand, GString *rules, GString *sql)
{
	static const char *const kinds[] = {"sent", "opened", "clicked", "bounced"};
	const char *kind = kinds[oracle_any(rand, G_N_ELEMENTS(kinds))];

	g_string_append_printf(rules, "{\"email\":\"%s\",", kind);
	guint days = add_did(rand, rules, sql);
	g_string_append_c(rules, '}');
	g_string_append_printf(sql,
	    "COALESCE((SELECT v.%s >= %" G_GINT64_FORMAT " FROM person_activity v"
	    " WHERE v.address = p.address), 0)",
	    kind, days == 0 ? 1 : CROWD_NOW - days * CROWD_DAY);
}

static void
add_broadcast(GRand *rand, const struct crowd *crowd, GString *rules, GString *sql)
{
	static const struct {
		const char *name;
		int status;
	} kinds[] = {{"sent", 1}, {"opened", 5}, {"clicked", 6}, {"bounced", 9}};
	const struct base_id *broadcast = &crowd->broadcasts[oracle_any(rand, 2)];
	guint kind = oracle_any(rand, G_N_ELEMENTS(kinds));
	char id[ID_TEXT_SIZE], bytes[40];

	oracle_hex(broadcast, bytes);
	g_string_append_printf(rules, "{\"email\":\"%s\",\"broadcast\":\"%s\",", kinds[kind].name,
	    base_id_format(broadcast, id));
	guint days = add_did(rand, rules, sql);
	g_string_append_c(rules, '}');
	g_string_append_printf(sql,
	    "EXISTS (SELECT 1 FROM broadcast_recipient r JOIN event v ON v.email_id = r.email_id"
	    " AND v.recipient = r.number WHERE r.broadcast_id = %s AND r.person_id = p.id"
	    " AND v.automated = 0 AND v.status = %d AND v.timestamp >= %" G_GINT64_FORMAT ")",
	    bytes, kinds[kind].status, days == 0 ? 0 : CROWD_NOW - days * CROWD_DAY);
}

static void
oracle_add_event(GRand *rand, GString *rules, GString *sql)
{
	const char *name = oracle_events[oracle_any(rand, oracle_event_count)];
	guint at_least = oracle_any(rand, 4);

	g_string_append_printf(rules, "{\"event\":\" %s\",", name);
	guint days = add_did(rand, rules, sql);
	if (at_least > 0)
		g_string_append_printf(rules, ",\"at_least\":%u", at_least);
	g_string_append_c(rules, '}');
	g_string_append_printf(sql,
	    "(SELECT COUNT(*) FROM automation_event e WHERE e.contact_id = p.id"
	    " AND e.name = '%s' AND e.timestamp >= %" G_GINT64_FORMAT ") >= %u",
	    name, days == 0 ? 0 : CROWD_NOW - days * CROWD_DAY, MAX(at_least, 1));
}

static void oracle_add_group(
    GRand *rand, const struct crowd *crowd, guint depth, GString *rules, GString *sql);

static void
add_rule(GRand *rand, const struct crowd *crowd, guint depth, GString *rules, GString *sql)
{
	switch (oracle_any(rand, depth < 4 ? 11 : 9)) {
	case 0:
		oracle_add_audience(rand, crowd, rules, sql);
		return;
	case 1:
		add_topic(rand, crowd, rules, sql);
		return;
	case 2:
		add_activity(rand, rules, sql);
		return;
	case 3:
		oracle_add_event(rand, rules, sql);
		return;
	case 4:
		oracle_add_email(rand, rules, sql);
		return;
	case 5:
		add_broadcast(rand, crowd, rules, sql);
		return;
	case 9:
	case 10:
		oracle_add_group(rand, crowd, depth + 1, rules, sql);
		return;
	default:
		add_property(rand, rules, sql);
	}
}

static void
oracle_add_group(GRand *rand, const struct crowd *crowd, guint depth, GString *rules, GString *sql)
{
	bool is_any = oracle_any(rand, 2);
	guint count = oracle_any(rand, 4);

	g_string_append_printf(rules, "{\"match\":\"%s\",\"rules\":[", is_any ? "any" : "all");
	g_string_append(sql, is_any ? "(0" : "(1");
	for (guint i = 0; i < count; i++) {
		g_string_append(rules, i == 0 ? "" : ",");
		g_string_append(sql, is_any ? " OR (" : " AND (");
		add_rule(rand, crowd, depth, rules, sql);
		g_string_append_c(sql, ')');
	}
	g_string_append(rules, "]}");
	g_string_append_c(sql, ')');
}

void
oracle_rules(GRand *rand, const struct crowd *crowd, GString *rules, GString *sql)
{
	oracle_add_group(rand, crowd, 1, rules, sql);
}
