/* SPDX-License-Identifier: MIT */
/* Makes and frees DNS queries and their results. */
#include "dns/question.h"

void
dns_answer_free(struct dns_answer *answer)
{
	g_free(answer->text);
	g_free(answer->admin);
	g_free(answer->zone);
	g_free(answer);
}

static void
question_free_answer(gpointer answer)
{
	dns_answer_free(answer);
}

struct dns_question *
dns_question_new(const char *name, enum dns_type type)
{
	struct dns_question *question = g_new0(struct dns_question, 1);

	question->name = g_strdup(name);
	question->type = type;
	question->outcome = DNS_NO_ANSWER;
	question->answers = g_ptr_array_new_with_free_func(question_free_answer);
	question->aliases = g_ptr_array_new_with_free_func(g_free);
	return question;
}

void
dns_question_free(struct dns_question *question)
{
	g_free(question->name);
	g_ptr_array_unref(question->answers);
	g_ptr_array_unref(question->aliases);
	g_free(question);
}
