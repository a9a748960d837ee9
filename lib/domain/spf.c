/* SPDX-License-Identifier: MIT */
/* Judges SPF records: reads their terms, and walks through them and the records they include. */
#include "domain/spf.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#define RECORD "v=spf1"
#define NETWORKS 1000 /* of one mechanism that are compared */
#define QUESTIONS 100 /* that are asked for one record */
#define MX_HOSTS 10   /* of one name that receivers take (RFC 7208 section 4.6.4) */

static const char too_many[] = "receivers would need more than 10 look-ups for it";
static const char too_void[] = "more than 2 of its look-ups find nothing";
static const char bad_syntax[] = "it has a syntax error";
static const char bad_include[] = "a name that it includes has no SPF record, or several";
static const char lacks[] = "it lacks a mechanism, or refuses it before it comes";

enum term_kind {
	TERM_ALL,
	TERM_INCLUDE,
	TERM_A,
	TERM_MX,
	TERM_PTR,
	TERM_IP4,
	TERM_IP6,
	TERM_EXISTS,
	TERM_REDIRECT, /* modifiers, from here on */
	TERM_EXP,
	TERM_OTHER,
};

struct network {
	guint8 bytes[16];
	guint size; /* 4 or 16 */
	guint bits;
};

/* A term of a record. */
struct term {
	enum term_kind kind;
	char qualifier;
	char *domain; /* in lower case, without a final dot; NULL: not given */
	bool has_macro;
	guint bits[2];		/* of a and mx, for IPv4 and IPv6 */
	struct network network; /* of ip4 and ip6 */
};

static void
clear_term(void *term)
{
	g_free(((struct term *)term)->domain);
}

bool
domain_spf_is_record(const char *text)
{
	gsize size = strlen(RECORD);

	return g_ascii_strncasecmp(text, RECORD, size) == 0 &&
	       (text[size] == ' ' || text[size] == '\0');
}

const char *
domain_spf_record(const struct dns_question *answered, guint *count_r)
{
	const char *record = NULL;

	*count_r = 0;
	for (guint i = 0; i < answered->answers->len; i++) {
		const char *text = ((const struct dns_answer *)answered->answers->pdata[i])->text;

		if (!domain_spf_is_record(text))
			continue;
		record = text;
		++*count_r;
	}
	return *count_r == 1 ? record : NULL;
}

/* Reads the macro at *p, behind "%" (RFC 7208 section 7.1), and moves past it. */
static bool
skip_macro(const char **p)
{
	const char *at = *p;

	if (*at && strchr("%_-", *at)) {
		*p = at + 1;
		return true;
	}
	if (*at != '{' || !at[1] || !strchr("slodiphcrtvSLODIPHCRTV", at[1]))
		return false;
	for (at += 2; g_ascii_isdigit(*at); at++)
		;
	at += *at == 'r' || *at == 'R';
	at += strspn(at, ".-+,/_=");
	*p = at + 1;
	return *at == '}';
}

/* Whether a text is a macro-string. *has_macro_r: it has a macro. *ends_r: a macro ends it. */
static bool
is_macro_string(const char *text, bool *has_macro_r, bool *ends_r)
{
	*has_macro_r = *ends_r = false;
	for (const char *p = text; *p;) {
		*ends_r = *p == '%';
		if (*p != '%' && (*p < 0x21 || *p > 0x7e))
			return false;
		if (*p++ != '%')
			continue;
		*has_macro_r = true;
		if (!skip_macro(&p))
			return false;
	}
	return true;
}

/* Whether a text is the last label of a domain: letters, digits and inner hyphens, not all of them
   digits. */
static bool
is_top_label(const char *label)
{
	gsize size = strlen(label);
	bool is_number = true;

	for (const char *p = label; *p; p++) {
		if (!g_ascii_isalnum(*p) && *p != '-')
			return false;
		is_number &= g_ascii_isdigit(*p);
	}
	return size > 0 && !is_number && label[0] != '-' && label[size - 1] != '-';
}

/* Reads a domain-spec into the term. */
static bool
spf_read_domain(const char *text, struct term *term)
{
	g_autofree char *name = g_ascii_strdown(text, -1);
	bool ends;

	if (!is_macro_string(text, &term->has_macro, &ends))
		return false;
	if (!ends && g_str_has_suffix(name, "."))
		name[strlen(name) - 1] = '\0';
	const char *dot = strrchr(name, '.');
	if (!ends && (!dot || !is_top_label(dot + 1)))
		return false;
	term->domain = g_steal_pointer(&name);
	return *text;
}

/* Reads the length of a prefix: digits without a leading zero. */
static bool
read_bits(const char *digits, guint most, guint *bits_r)
{
	guint64 bits;

	if ((digits[0] == '0' && digits[1]) ||
	    !g_ascii_string_to_unsigned(digits, 10, 0, most, &bits, NULL))
		return false;
	*bits_r = (guint)bits;
	return true;
}

/* Takes "/24//64" off the end of the text of an a or mx, which it changes. */
static bool
take_lengths(char *text, struct term *term)
{
	char *slash = strrchr(text, '/');

	term->bits[0] = 32;
	term->bits[1] = 128;
	if (slash && slash > text && slash[-1] == '/') {
		if (!read_bits(slash + 1, 128, &term->bits[1]))
			return false;
		slash[-1] = '\0';
		slash = strrchr(text, '/');
	}
	if (!slash || (slash[1] && strspn(slash + 1, "0123456789") != strlen(slash + 1)))
		return true;
	*slash = '\0';
	return read_bits(slash + 1, 32, &term->bits[0]);
}

static bool
read_network(const char *text, struct term *term)
{
	bool four = term->kind == TERM_IP4;
	struct network *network = &term->network;
	g_auto(GStrv) parts = g_strsplit(text, "/", 2);

	network->size = four ? 4 : 16;
	network->bits = network->size * 8;
	return parts[0] && inet_pton(four ? AF_INET : AF_INET6, parts[0], network->bytes) == 1 &&
	       (!parts[1] || read_bits(parts[1], network->bits, &network->bits));
}

/* Reads what stands behind the name of a mechanism: "", ":..." or "/...". */
static bool
read_argument(const char *text, struct term *term)
{
	g_autofree char *rest = g_strdup(text);

	switch (term->kind) {
	case TERM_ALL:
		return !*text;
	case TERM_A:
	case TERM_MX:
		if (!take_lengths(rest, term))
			return false;
		/* fall through */
	case TERM_PTR:
		return !*rest || (*rest == ':' && spf_read_domain(rest + 1, term));
	case TERM_IP4:
	case TERM_IP6:
		return *text == ':' && read_network(text + 1, term);
	default:
		return *text == ':' && spf_read_domain(text + 1, term);
	}
}

static bool
read_modifier(const char *name, const char *value, struct term *term)
{
	bool has_macro, ends;

	if (!g_ascii_isalpha(*name) ||
	    name[strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_.")])
		return false;
	term->kind = g_ascii_strcasecmp(name, "redirect") == 0 ? TERM_REDIRECT
		     : g_ascii_strcasecmp(name, "exp") == 0    ? TERM_EXP
							       : TERM_OTHER;
	return term->kind == TERM_OTHER ? is_macro_string(value, &has_macro, &ends)
					: spf_read_domain(value, term);
}

/* Reads one term. */
static bool
read_term(const char *text, struct term *term)
{
	static const char *const names[] = {[TERM_ALL] = "all",
	    [TERM_INCLUDE] = "include",
	    [TERM_A] = "a",
	    [TERM_MX] = "mx",
	    [TERM_PTR] = "ptr",
	    [TERM_IP4] = "ip4",
	    [TERM_IP6] = "ip6",
	    [TERM_EXISTS] = "exists"};
	gsize size = strcspn(text, "=:/");

	*term = (struct term){.qualifier = '+'};
	if (text[size] == '=') {
		g_autofree char *name = g_strndup(text, size);
		return read_modifier(name, text + size + 1, term);
	}
	if (*text && strchr("+-~?", *text)) {
		term->qualifier = *text++;
		size--;
	}
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (size == strlen(names[i]) && g_ascii_strncasecmp(text, names[i], size) == 0) {
			term->kind = (enum term_kind)i;
			return read_argument(text + size, term);
		}
	return false;
}

/* Reads the terms of a record. NULL when it has a syntax error: then it says nothing to receivers
   (RFC 7208 section 4.6). The caller owns the array. */
static GArray *
read_terms(const char *text)
{
	g_autoptr(GArray) terms = g_array_new(FALSE, FALSE, sizeof(struct term));
	guint modifiers[TERM_OTHER + 1] = {0};

	g_array_set_clear_func(terms, clear_term);
	if (strlen(text) > SPF_BYTES)
		return NULL;
	g_auto(GStrv) words = g_strsplit(text + strlen(RECORD), " ", -1);
	for (char **word = words; *word; word++) {
		struct term term;

		if (!**word)
			continue;
		bool is_good = read_term(*word, &term);
		g_array_append_val(terms, term);
		modifiers[term.kind]++;
		if (!is_good)
			return NULL;
	}
	return modifiers[TERM_REDIRECT] > 1 || modifiers[TERM_EXP] > 1 ? NULL
								       : g_steal_pointer(&terms);
}

static char *
lookup_key(enum dns_type type, const char *name)
{
	return g_strdup_printf("%d %s", (int)type, name);
}

struct domain_spf_lookups *
domain_spf_lookups_new(void)
{
	struct domain_spf_lookups *lookups = g_new0(struct domain_spf_lookups, 1);

	lookups->known =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, dns_question_destroy);
	lookups->wanted = g_ptr_array_new();
	return lookups;
}

void
domain_spf_lookups_free(struct domain_spf_lookups *lookups)
{
	g_ptr_array_unref(lookups->wanted);
	g_hash_table_unref(lookups->known);
	g_free(lookups);
}

/* A walk through a record and those that it includes. */
struct walk {
	struct domain_spf_lookups *lookups;
	GArray *wanted;		      /* of struct term: our mechanisms */
	GArray *networks[SPF_WANTED]; /* of struct network: theirs; NULL: not collected yet */
	const char *name;	      /* of the record that is judged */
	guint count, voids;
	bool unsure; /* DNS has not answered for something that counts */
	const char *fault;
};

/* The answer of DNS; NULL when there is none. */
static const struct dns_question *
spf_ask(struct walk *walk, enum dns_type type, const char *name)
{
	struct domain_spf_lookups *lookups = walk->lookups;

	if (!lookups)
		return NULL;
	g_autofree char *key = lookup_key(type, name);
	const struct dns_question *known = g_hash_table_lookup(lookups->known, key);
	if (!known && g_hash_table_size(lookups->known) >= QUESTIONS)
		return NULL;
	if (!known) {
		struct dns_question *question = dns_question_new(name, type);

		g_hash_table_insert(lookups->known, g_steal_pointer(&key), question);
		g_ptr_array_add(lookups->wanted, question);
		return NULL;
	}
	return known->outcome == DNS_NO_ANSWER ? NULL : known;
}

/* The name that a term is about, in a record of name. */
static const char *
spf_domain_of(const struct term *term, const char *name)
{
	return term->domain ? term->domain : name;
}

/* Whether the networks have an address in common: then one contains the other. */
static bool
overlaps(const struct network *a, const struct network *b)
{
	guint bits = MIN(a->bits, b->bits), whole = bits / 8, rest = bits % 8;

	return a->size == b->size && memcmp(a->bytes, b->bytes, whole) == 0 &&
	       (rest == 0 || (a->bytes[whole] ^ b->bytes[whole]) >> (8 - rest) == 0);
}

static void
add_network(GArray *networks, const struct network *network)
{
	if (networks->len < NETWORKS)
		g_array_append_val(networks, *network);
}

static void
add_everything(GArray *networks)
{
	add_network(networks, &(struct network){.size = 4});
	add_network(networks, &(struct network){.size = 16});
}

static void
spf_add_addresses(struct walk *walk, const struct term *term, const char *name, GArray *networks)
{
	const struct dns_question *answered =
	    term->has_macro ? NULL : spf_ask(walk, DNS_A, spf_domain_of(term, name));

	for (guint i = 0; answered && i < answered->answers->len; i++) {
		const struct dns_answer *answer = answered->answers->pdata[i];
		struct network network = {.size = 4, .bits = term->bits[0]};

		if (inet_pton(AF_INET, answer->text, network.bytes) == 1)
			add_network(networks, &network);
	}
}

/* The record of a name that a term includes or redirects to: its terms. NULL when DNS has not
   answered, and when there is none, or a wrong one, which is a fault. The caller owns it. */
static GArray *
included_terms(struct walk *walk, const struct term *term)
{
	const struct dns_question *answered =
	    term->has_macro ? NULL : spf_ask(walk, DNS_TXT, term->domain);
	guint count;

	if (!answered) {
		walk->unsure |= walk->lookups && !term->has_macro;
		return NULL;
	}
	const char *text = domain_spf_record(answered, &count);
	GArray *terms = text ? read_terms(text) : NULL;
	if (!terms)
		walk->fault = text ? bad_syntax : bad_include;
	return terms;
}

/* Adds the networks that a term has, as far as they are known, and those that the records have
   which it includes. left: of the look-ups. */
static void
spf_collect(
    struct walk *walk, const struct term *term, const char *name, guint *left, GArray *networks)
{
	if (term->kind == TERM_ALL)
		add_everything(networks);
	if (term->kind == TERM_IP4 || term->kind == TERM_IP6)
		add_network(networks, &term->network);
	if ((term->kind != TERM_A && term->kind != TERM_INCLUDE && term->kind != TERM_REDIRECT) ||
	    *left == 0)
		return;
	--*left;
	if (term->kind == TERM_A) {
		spf_add_addresses(walk, term, name, networks);
		return;
	}
	g_autoptr(GArray) terms = included_terms(walk, term);
	for (guint i = 0; terms && i < terms->len; i++) {
		const struct term *inner = &g_array_index(terms, struct term, i);

		if (inner->qualifier == '+')
			spf_collect(walk, inner, term->domain, left, networks);
		if (inner->kind == TERM_ALL)
			break;
	}
}

/* The networks of a term. A fault in what it includes is none here. The caller owns the array. */
static GArray *
networks_of(struct walk *walk, const struct term *term, const char *name)
{
	GArray *networks = g_array_new(FALSE, FALSE, sizeof(struct network));
	const char *fault = walk->fault;
	bool unsure = walk->unsure;
	guint left = SPF_LOOKUPS;

	spf_collect(walk, term, name, &left, networks);
	walk->fault = fault;
	walk->unsure = unsure;
	return networks;
}

static const struct term *
wanted_term(const struct walk *walk, guint i)
{
	return &g_array_index(walk->wanted, struct term, i);
}

/* Whether a term that refuses, in a record of name, is known to have a server of ours. */
static bool
refuses(struct walk *walk, const struct term *term, const char *name, guint i)
{
	const struct term *ours = wanted_term(walk, i);

	if (term->kind == TERM_IP4 && term->network.bits == 0 && ours->kind != TERM_IP6)
		return true;
	if (!walk->networks[i])
		walk->networks[i] = networks_of(walk, ours, walk->name);
	g_autoptr(GArray) theirs = networks_of(walk, term, name);
	for (guint a = 0; a < theirs->len; a++)
		for (guint b = 0; b < walk->networks[i]->len; b++)
			if (overlaps(&g_array_index(theirs, struct network, a),
				&g_array_index(walk->networks[i], struct network, b)))
				return true;
	return false;
}

/* Whether a term of a record of name has all that ours has, by what is written. */
static bool
covers(const struct walk *walk, const struct term *term, const char *name, const struct term *ours)
{
	if (term->kind != ours->kind)
		return false;
	if (term->kind == TERM_IP4 || term->kind == TERM_IP6)
		return term->network.bits <= ours->network.bits &&
		       overlaps(&term->network, &ours->network);
	return strcmp(spf_domain_of(term, name), spf_domain_of(ours, walk->name)) == 0 &&
	       term->bits[0] <= ours->bits[0] && term->bits[1] <= ours->bits[1];
}

/* Counts a look-up of a receiver. */
static void
count_lookup(struct walk *walk)
{
	if (++walk->count > SPF_LOOKUPS && !walk->fault)
		walk->fault = too_many;
}

static void
count_void(struct walk *walk, const struct dns_question *answered)
{
	bool is_void =
	    answered && (answered->outcome == DNS_NO_NAME ||
			    (answered->outcome == DNS_NO_TYPE && answered->type == DNS_MX));

	/* A name without A may have AAAA. */
	if (is_void && ++walk->voids > SPF_VOID_LOOKUPS && !walk->fault)
		walk->fault = too_void;
}

static void
look_up_hosts(struct walk *walk, const struct term *term, const char *name)
{
	enum dns_type type = term->kind == TERM_MX ? DNS_MX : DNS_A;

	count_lookup(walk);
	if (term->has_macro || term->kind == TERM_PTR || walk->fault)
		return;
	const struct dns_question *answered = spf_ask(walk, type, spf_domain_of(term, name));
	count_void(walk, answered);
	if (type == DNS_MX && answered && answered->answers->len > MX_HOSTS)
		walk->fault = too_many;
}

static guint64 walk_terms(struct walk *walk, const GArray *terms, const char *name, guint64 open);

/* Walks through the record that a term includes or redirects to. */
static guint64
walk_included(struct walk *walk, const struct term *term, guint64 open)
{
	count_lookup(walk);
	g_autoptr(GArray) terms = walk->fault ? NULL : included_terms(walk, term);
	return terms ? walk_terms(walk, terms, term->domain, open) : 0;
}

/* Those of ours among open that a term has. */
static guint64
match_term(struct walk *walk, const struct term *term, const char *name, guint64 open)
{
	guint64 matched = 0;

	for (guint i = 0; i < walk->wanted->len; i++)
		if (open & (guint64)1 << i &&
		    (covers(walk, term, name, wanted_term(walk, i)) ||
			(term->qualifier != '+' && refuses(walk, term, name, i))))
			matched |= (guint64)1 << i;
	if (term->kind == TERM_INCLUDE)
		matched |= walk_included(walk, term, open & ~matched);
	else if (term->kind == TERM_A || term->kind == TERM_MX || term->kind == TERM_PTR ||
		 term->kind == TERM_EXISTS)
		look_up_hosts(walk, term, name);
	return matched;
}

/* Walks through the record of name as a receiver would for a server that it does not know, until
   none of ours is open any more. Returns those that pass. */
static guint64
walk_terms(struct walk *walk, const GArray *terms, const char *name, guint64 open)
{
	const struct term *redirect = NULL;
	bool is_searched = open != 0;
	guint64 passed = 0;

	for (guint i = 0; i < terms->len && !walk->fault && (open || !is_searched); i++) {
		const struct term *term = &g_array_index(terms, struct term, i);

		if (term->kind == TERM_ALL)
			return term->qualifier == '+' ? passed | open : passed;
		if (term->kind == TERM_REDIRECT)
			redirect = term;
		if (term->kind >= TERM_REDIRECT)
			continue;
		guint64 matched = match_term(walk, term, name, open);
		if (term->qualifier == '+')
			passed |= matched;
		open &= ~matched;
	}
	if (redirect && !walk->fault && (open || !is_searched))
		passed |= walk_included(walk, redirect, open);
	return passed;
}

/* Takes the mechanisms of our record that have to be found. */
static guint64
take_wanted(struct walk *walk, const char *ours)
{
	g_auto(GStrv) words = g_strsplit(ours + strlen(RECORD), " ", -1);
	guint64 all = 0;

	for (char **word = words; *word && walk->wanted->len < SPF_WANTED; word++) {
		struct term term;

		if (!**word)
			continue;
		if (!read_term(*word, &term))
			walk->fault = bad_syntax;
		if (term.kind == TERM_ALL || term.kind >= TERM_REDIRECT) {
			clear_term(&term);
			continue;
		}
		all |= (guint64)1 << walk->wanted->len;
		g_array_append_val(walk->wanted, term);
	}
	return all;
}

static enum domain_spf_state
spf_state_of(struct walk *walk, bool passes)
{
	if (!passes && !walk->fault && walk->unsure)
		return SPF_UNKNOWN;
	if (!passes && !walk->fault)
		walk->fault = lacks;
	if (walk->fault)
		return SPF_FAILS;
	return walk->unsure ? SPF_SEEMS_TO_PASS : SPF_PASSES;
}

enum domain_spf_state
domain_spf_judge(const char *text, const char *ours, const char *name,
    struct domain_spf_lookups *lookups, const char **fault_r)
{
	g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(struct term));
	g_autoptr(GArray) terms = read_terms(text);
	g_autofree char *lower = g_ascii_strdown(name, -1);
	struct walk walk = {.lookups = lookups, .wanted = wanted, .name = lower};

	g_array_set_clear_func(wanted, clear_term);
	guint64 all = take_wanted(&walk, ours), passed = 0;
	if (!terms)
		walk.fault = bad_syntax;
	else if (!walk.fault)
		passed = walk_terms(&walk, terms, lower, all);
	enum domain_spf_state state = spf_state_of(&walk, passed == all);
	for (guint i = 0; i < SPF_WANTED; i++)
		g_clear_pointer(&walk.networks[i], g_array_unref);
	*fault_r = walk.fault;
	return state;
}
