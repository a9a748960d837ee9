/* SPDX-License-Identifier: MIT */
/* Evaluates the operators of rules. */
#include "rule/operator.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/secret.h"
#include "json/value.h"

static const char *
skip_digits(const char *at)
{
	while (g_ascii_isdigit(*at))
		at++;
	return at;
}

/* Returns the end of the integer part; NULL when there is none. */
static const char *
skip_whole(const char *text)
{
	const char *at = text + (*text == '-');

	if (!g_ascii_isdigit(*at))
		return NULL;
	return *at == '0' ? at + 1 : skip_digits(at);
}

static bool
has_grammar(const char *text)
{
	const char *at = skip_whole(text), *digits;

	if (at && *at == '.') {
		digits = at + 1;
		at = skip_digits(digits);
		if (at == digits)
			return false;
	}
	if (at && (*at == 'e' || *at == 'E')) {
		digits = at + 1 + (at[1] == '+' || at[1] == '-');
		at = skip_digits(digits);
		if (at == digits)
			return false;
	}
	return at && !*at;
}

/* Returns whether text is a finite number in the syntax of JSON (RFC 8259 section 6): 007, +1 and
   " 1" are none. */
static bool
operator_is_number(const char *text)
{
	return has_grammar(text) && isfinite(g_ascii_strtod(text, NULL));
}

static bool
operator_is_whole(const char *text)
{
	const char *end = skip_whole(text);

	return end && !*end;
}

/* Returns the sign of a whole number. *digits_r: its digits. */
static int
operator_sign(const char *text, const char **digits_r)
{
	*digits_r = text + (*text == '-');
	if (strcmp(*digits_r, "0") == 0)
		return 0;
	return *text == '-' ? -1 : 1;
}

static int
compare_whole(const char *a, const char *b)
{
	const char *digits_a, *digits_b;
	int sign_a = operator_sign(a, &digits_a), sign_b = operator_sign(b, &digits_b);

	if (sign_a != sign_b)
		return sign_a - sign_b;
	gsize length_a = strlen(digits_a), length_b = strlen(digits_b);
	if (length_a != length_b)
		return length_a < length_b ? -sign_a : sign_a;
	return sign_a * strcmp(digits_a, digits_b);
}

/* Compares two numbers: below 0, 0 or above 0. Two whole numbers without exponent compare exactly,
   however long; others as doubles. */
static int
compare_numbers(const char *a, const char *b)
{
	if (operator_is_whole(a) && operator_is_whole(b))
		return compare_whole(a, b);
	double number_a = g_ascii_strtod(a, NULL), number_b = g_ascii_strtod(b, NULL);
	return (number_a > number_b) - (number_a < number_b);
}

/* Returns the text of a number, or of a string in the syntax of one; else NULL. */
static const char *
operator_number_of(const struct json *value)
{
	gsize size;
	const char *text = json_string(value, &size);

	if (!text)
		return json_number_text(value);
	return strlen(text) == size && operator_is_number(text) ? text : NULL;
}

/* Compares two strings byte by byte. */
static int
compare_strings(const struct json *a, const struct json *b)
{
	gsize size_a, size_b;
	const char *text_a = json_string(a, &size_a), *text_b = json_string(b, &size_b);
	int order = memcmp(text_a, text_b, MIN(size_a, size_b));

	return order ? order : (size_a > size_b) - (size_a < size_b);
}

/* Compares two values. Returns false when their types cannot be compared. */
static bool
operator_compare(const struct json *a, const struct json *b, int *order_r)
{
	const char *number_a = operator_number_of(a), *number_b = operator_number_of(b);

	if (number_a && number_b)
		*order_r = compare_numbers(number_a, number_b);
	else if (json_string(a, NULL) && json_string(b, NULL))
		*order_r = compare_strings(a, b);
	else
		return false;
	return true;
}

static bool
equals(const struct json *a, const struct json *b)
{
	int order;

	if (json_kind(a) == JSON_BOOLEAN && json_kind(b) == JSON_BOOLEAN)
		return json_boolean(a) == json_boolean(b);
	return operator_compare(a, b, &order) && order == 0;
}

static bool
greater(const struct json *a, const struct json *b)
{
	int order;

	return operator_compare(a, b, &order) && order > 0;
}

static bool
less(const struct json *a, const struct json *b)
{
	return greater(b, a);
}

/* Returns the text of a string or a number; else NULL. */
static const char *
operator_text_of(const struct json *value, gsize *size_r)
{
	const char *text = json_string(value, size_r);

	if (text || !(text = json_number_text(value)))
		return text;
	*size_r = strlen(text);
	return text;
}

static bool
has_element(const struct json *array, const struct json *value)
{
	for (gsize i = 0; i < json_array_length(array); i++)
		if (equals(json_array_at(array, i), value))
			return true;
	return false;
}

static bool
operator_contains(const struct json *whole, const struct json *part)
{
	gsize size, part_size;
	const char *text = operator_text_of(whole, &size),
		   *part_text = operator_text_of(part, &part_size);

	if (json_kind(whole) == JSON_ARRAY)
		return has_element(whole, part);
	return text && part_text && (part_size == 0 || memmem(text, size, part_text, part_size));
}

static bool
operator_begins_with(const struct json *whole, const struct json *part)
{
	gsize size, part_size;
	const char *text = operator_text_of(whole, &size),
		   *part_text = operator_text_of(part, &part_size);

	return text && part_text && part_size <= size && memcmp(text, part_text, part_size) == 0;
}

static bool
ends_with(const struct json *whole, const struct json *part)
{
	gsize size, part_size;
	const char *text = operator_text_of(whole, &size),
		   *part_text = operator_text_of(part, &part_size);

	return text && part_text && part_size <= size &&
	       memcmp(text + size - part_size, part_text, part_size) == 0;
}

static bool
exists(const struct json *property, const struct json *value)
{
	return property != NULL;
}

static const struct {
	const char *name, *holds, *fails;
	bool (*test)(const struct json *property, const struct json *value);
	bool complement; /* the operator holds when test does not */
	bool takes_no_value;
} operators[OPERATOR_COUNT] = {
    [OPERATOR_EQUALS] = {"equals", "equals", "does not equal", equals},
    [OPERATOR_NOT_EQUALS] = {"not_equals", "does not equal", "equals", equals, .complement = true},
    [OPERATOR_GREATER_THAN] = {"greater_than", "is greater than", "is not greater than", greater},
    [OPERATOR_LESS_THAN] = {"less_than", "is less than", "is not less than", less},
    [OPERATOR_CONTAINS] = {"contains", "contains", "does not contain", operator_contains},
    [OPERATOR_NOT_CONTAINS] = {"not_contains", "does not contain", "contains", operator_contains,
	.complement = true},
    [OPERATOR_BEGINS_WITH] = {"begins_with", "begins with", "does not begin with",
	operator_begins_with},
    [OPERATOR_ENDS_WITH] = {"ends_with", "ends with", "does not end with", ends_with},
    [OPERATOR_EXISTS] = {"exists", "is there", "is missing", exists, .takes_no_value = true},
    [OPERATOR_NOT_EXISTS] = {"not_exists", "is missing", "is there", exists, .complement = true,
	.takes_no_value = true},
};

const char *
rule_operator_name(enum rule_operator op)
{
	return operators[op].name;
}

enum rule_operator
rule_operator_find(const char *name)
{
	enum rule_operator op = 0;

	while (op < OPERATOR_COUNT && g_strcmp0(operators[op].name, name) != 0)
		op++;
	return op;
}

bool
rule_operator_takes_value(enum rule_operator op)
{
	return !operators[op].takes_no_value;
}

bool
rule_operator_holds(enum rule_operator op, const struct json *property, const struct json *value)
{
	bool holds = property && operators[op].test(property, value);

	return holds != operators[op].complement;
}

const char *
rule_operator_phrase(enum rule_operator op, bool holds)
{
	return holds ? operators[op].holds : operators[op].fails;
}

#define EXACT_WHOLE 1e300 /* a double below it is written whole */

/* Writes a number in the one way that all equal numbers share. */
static void
operator_write_number(const char *number, GString *text)
{
	const char *digits;
	double value = g_ascii_strtod(number, NULL);
	char written[G_ASCII_DTOSTR_BUF_SIZE];

	if (operator_is_whole(number)) {
		int sign = operator_sign(number, &digits);

		g_string_append_printf(text, "%s%s", sign < 0 ? "-" : "", digits);
	} else if (value == floor(value) && fabs(value) < EXACT_WHOLE) {
		g_string_append_printf(text, "%.0f", value == 0 ? 0 : value);
	} else {
		g_string_append(text, g_ascii_dtostr(written, sizeof(written), value));
	}
}

void
rule_operator_hash(const struct json *value, guint8 hash_r[RULE_HASH_SIZE])
{
	const char *number = operator_number_of(value);
	g_autoptr(GString) text = g_string_new(NULL);
	guint8 digest[SHA256_SIZE];
	gsize size;
	const char *string = json_string(value, &size);

	if (number) {
		g_string_append_c(text, 'n');
		operator_write_number(number, text);
	} else if (json_kind(value) == JSON_BOOLEAN) {
		g_string_append(text, json_boolean(value) ? "true" : "false");
	} else if (size > 0) {
		g_string_append_c(text, 's');
		g_string_append_len(text, string, (gssize)size);
	}
	base_secret_sha256(text->str, text->len, digest);
	memcpy(hash_r, digest, RULE_HASH_SIZE);
}
