/* SPDX-License-Identifier: MIT */
/* Rewrites the command line of sendmail(8) as the grammar has it. */
#include "cli/words.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

char **
cli_words_link(const char *const *argv)
{
	g_autofree char *name = argv[0] ? g_path_get_basename(argv[0]) : NULL;
	g_autoptr(GPtrArray) words = g_ptr_array_new();

	for (guint i = 0; argv[i]; i++) {
		g_ptr_array_add(words, g_strdup(argv[i]));
		if (i == 0 && strcmp(name, "sendmail") == 0)
			g_ptr_array_add(words, g_strdup("sendmail"));
	}
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(g_steal_pointer(&words), FALSE);
}

/* A command line that is being rewritten. */
struct rewriting {
	char *const *next; /* the words that are left */
	GPtrArray *words;
};

static void
words_put(struct rewriting *rewriting, const char *word)
{
	g_ptr_array_add(rewriting->words, g_strdup(word));
}

static void
put_letter(struct rewriting *rewriting, char letter)
{
	const char word[] = {'-', letter, '\0'};

	words_put(rewriting, word);
}

/* The value of an option: the rest of its word, or the next word. NULL when there is none. */
static const char *
take_value(struct rewriting *rewriting, const char *rest)
{
	if (*rest)
		return rest;
	return *rewriting->next ? *rewriting->next++ : NULL;
}

/* Rewrites an option of one letter that has a value, which begins with rest or is the next word. */
static void
put_valued(struct rewriting *rewriting, char letter, const char *rest)
{
	const char *value = take_value(rewriting, rest);

	if (letter == 'r') /* mailx writes it for -f */
		letter = 'f';
	if (!value || strchr("fF", letter)) {
		put_letter(rewriting, letter);
		if (value)
			words_put(rewriting, value);
	} else if (letter == 'o' && strcmp(value, "i") == 0) {
		words_put(rewriting, "-i");
	} else if (letter == 'b' && strcmp(value, "s") == 0) {
		words_put(rewriting, "--bs");
	} else if (letter == 'b' && strcmp(value, "m") != 0) {
		g_ptr_array_add(rewriting->words, g_strconcat("-b", value, NULL));
	}
}

/* Whether a word can be nothing but the value of an option that programs also write without one: a
   hop count, a mode of errors, a set of settings. None of them is an address. */
static bool
words_is_value(char letter, const char *word)
{
	if (letter == 'h')
		return *word && strspn(word, "0123456789") == strlen(word);
	return word[0] && !word[1] && strchr(letter == 'e' ? "epqmw" : "cm", word[0]);
}

/* Rewrites a word of options of one letter, as getopt(3) reads it. */
static void
put_cluster(struct rewriting *rewriting, const char *letters)
{
	for (; *letters; letters++) {
		if (strchr("vUnGmcsT", *letters))
			continue;
		if (strchr("ehA", *letters)) {
			if (!letters[1] && *rewriting->next &&
			    words_is_value(*letters, *rewriting->next))
				rewriting->next++;
			return;
		}
		if (strchr("frFobNRBOVXCLp", *letters)) {
			put_valued(rewriting, *letters, letters + 1);
			return;
		}
		put_letter(rewriting, *letters);
	}
}

char **
cli_words_plain(char *const *words)
{
	struct rewriting rewriting = {words, g_ptr_array_new()};

	if (*words)
		words_put(&rewriting, *rewriting.next++);
	while (*rewriting.next && strcmp(*rewriting.next, "--") != 0) {
		const char *word = *rewriting.next++;

		if (word[0] == '-' && word[1] && word[1] != '-') {
			put_cluster(&rewriting, word + 1);
			continue;
		}
		words_put(&rewriting, word);
		if ((strcmp(word, "--workspace") == 0 || strcmp(word, "--config") == 0) &&
		    *rewriting.next)
			words_put(&rewriting, *rewriting.next++);
	}
	while (*rewriting.next)
		words_put(&rewriting, *rewriting.next++);
	g_ptr_array_add(rewriting.words, NULL);
	return (char **)g_ptr_array_free(rewriting.words, FALSE);
}
