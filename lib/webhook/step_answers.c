/* SPDX-License-Identifier: MIT */
/* Stores the answers to workflows' requests, as many as possible in one transaction. */
#include "webhook/step_answers.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "db/transaction.h"
#include "service/metrics.h"
#include "service/service.h"

struct webhook_step_answers {
	struct service *service;
	webhook_step_move move;
	GPtrArray *list; /* of struct webhook_step_answer, the oldest first */
	gint64 since;	 /* when the oldest came, on base_clock_boot */
};

struct webhook_step_answer *
webhook_step_answer_new(struct store_step_request *request)
{
	struct webhook_step_answer *answer = g_new0(struct webhook_step_answer, 1);

	answer->request = request;
	answer->outcome = (struct store_step_outcome){.execution = &request->execution_id,
	    .sequence = request->sequence,
	    .token = request->token};
	return answer;
}

void
webhook_step_answer_free(struct webhook_step_answer *answer)
{
	store_step_request_free(answer->request);
	g_free(answer->body);
	g_free(answer->error);
	g_free(answer);
}

struct webhook_step_answers *
webhook_step_answers_new(struct service *service, webhook_step_move move)
{
	struct webhook_step_answers *answers = g_new0(struct webhook_step_answers, 1);

	answers->service = service;
	answers->move = move;
	answers->list = g_ptr_array_new_with_free_func(webhook_step_answer_destroy);
	return answers;
}

void
webhook_step_answers_free(struct webhook_step_answers *answers)
{
	g_ptr_array_unref(answers->list);
	g_free(answers);
}

void
webhook_step_answers_add(struct webhook_step_answers *answers, struct webhook_step_answer *answer)
{
	if (answers->list->len == 0)
		answers->since = base_clock_boot();
	g_ptr_array_add(answers->list, answer);
}

guint
webhook_step_answers_count(const struct webhook_step_answers *answers)
{
	return answers->list->len;
}

gint64
webhook_step_answers_age(const struct webhook_step_answers *answers)
{
	return answers->list->len > 0 ? base_clock_boot() - answers->since : 0;
}

/* Answers that one transaction stores. */
struct step_storing {
	struct webhook_step_answers *answers;
	db_body body;
	guint count;
	struct webhook_step_answer *some[STORE_STEP_REQUESTS_MOST];
	struct store_step_outcome outcomes[STORE_STEP_REQUESTS_MOST]; /* theirs */
	bool stored[STORE_STEP_REQUESTS_MOST];
};

static bool
step_answers_move(struct db *db, void *context, GError **error)
{
	struct step_storing *storing = context;

	return storing->answers->move(
	    storing->answers->service, storing->outcomes, storing->count, storing->stored, error);
}

/* Stores an answer without a move. */
static bool
step_answers_put(struct db *db, struct step_storing *storing, guint i, GError **error)
{
	const struct store_step_outcome *outcome = &storing->outcomes[i];

	if (!storing->some[i]->is_unsent)
		return store_step_request_end(db, outcome, &storing->stored[i], error);
	storing->stored[i] = true;
	return store_step_request_give_back(
	    db, outcome->execution, outcome->token, base_clock_now(), error);
}

static bool
step_answers_put_all(struct db *db, void *context, GError **error)
{
	struct step_storing *storing = context;

	for (guint i = 0; i < storing->count; i++)
		if (!step_answers_put(db, storing, i, error))
			return false;
	return true;
}

/* Whether it ends the request, which moves the execution on. */
static bool
step_answer_is_final(const struct webhook_step_answer *answer)
{
	return !answer->is_unsent && !answer->outcome.again;
}

static void
step_answers_count_result(const struct webhook_step_answer *answer)
{
	if (!answer->is_unsent)
		service_metrics_add(METRIC_STEP_REQUESTS, 1,
		    answer->outcome.again   ? "retried"
		    : answer->outcome.error ? "failed"
					    : "ok",
		    NULL);
}

static void
step_storing_add(struct step_storing *storing, struct webhook_step_answer *answer)
{
	storing->some[storing->count] = answer;
	storing->outcomes[storing->count++] = answer->outcome;
}

static bool
step_answers_may_pass(const GError *failure)
{
	return g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) ||
	       g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN);
}

/* Is done with an answer, which the transaction has stored, or which is stored alone. */
static bool
step_answers_end(struct step_storing *storing, guint i, GError **trouble_r, GError **error)
{
	struct webhook_step_answers *answers = storing->answers;
	g_autoptr(GError) failure = NULL;

	if (!storing->stored[i] && !step_answers_put(answers->service->db, storing, i, &failure)) {
		storing->stored[i] = false;
		if (step_answers_may_pass(failure)) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		g_clear_error(trouble_r);
		*trouble_r = g_steal_pointer(&failure);
	}
	if (storing->stored[i])
		step_answers_count_result(storing->some[i]);
	g_ptr_array_remove(answers->list, storing->some[i]);
	return true;
}

static bool step_answers_store_alone(
    struct step_storing *storing, GError **trouble_r, GError **error);

/* Stores answers together, or else each by itself. */
static bool
step_answers_store(struct step_storing *storing, GError **trouble_r, GError **error)
{
	bool done = db_transact(storing->answers->service->db, storing->body, storing, NULL);

	if (!done && storing->count > 1)
		return step_answers_store_alone(storing, trouble_r, error);
	for (guint i = 0; i < storing->count; i++) {
		storing->stored[i] = storing->stored[i] && done;
		if (!step_answers_end(storing, i, trouble_r, error))
			return false;
	}
	return true;
}

static bool
step_answers_store_alone(struct step_storing *storing, GError **trouble_r, GError **error)
{
	for (guint i = 0; i < storing->count; i++) {
		g_autofree struct step_storing *alone = g_new0(struct step_storing, 1);

		alone->answers = storing->answers;
		alone->body = storing->body;
		step_storing_add(alone, storing->some[i]);
		if (!step_answers_store(alone, trouble_r, error))
			return false;
	}
	return true;
}

/* Stores the oldest answers that end their request, or that do not. */
static bool
step_answers_store_oldest(
    struct webhook_step_answers *answers, bool is_final, GError **trouble_r, GError **error)
{
	g_autofree struct step_storing *storing = g_new0(struct step_storing, 1);
	const GPtrArray *list = answers->list;

	storing->answers = answers;
	storing->body = is_final ? step_answers_move : step_answers_put_all;
	for (guint i = 0; i < list->len && storing->count < STORE_STEP_REQUESTS_MOST; i++)
		if (step_answer_is_final(list->pdata[i]) == is_final)
			step_storing_add(storing, list->pdata[i]);
	return storing->count == 0 || step_answers_store(storing, trouble_r, error);
}

bool
webhook_step_answers_store(struct webhook_step_answers *answers, GError **trouble_r, GError **error)
{
	*trouble_r = NULL;
	FAULT("request-answered");
	while (answers->list->len > 0)
		if (!step_answers_store_oldest(answers, true, trouble_r, error) ||
		    !step_answers_store_oldest(answers, false, trouble_r, error))
			return false;
	return true;
}
