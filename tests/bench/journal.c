/* SPDX-License-Identifier: MIT */
/* Measures the journal of a message: writes the records of so many messages, cuts the journal
   after every 20, and prints the microseconds for each. Usage: journal DIRECTORY MESSAGES */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "service/journal.h"
#include "smtp/message.h"

#define TOKEN 1
#define FLUSH 20 /* messages whose results are recorded together */

static bool
journal_write_one(
    struct service_journal *journal, const struct smtp_message *message, GError **error)
{
	const guint16 numbers[] = {0};
	struct base_id copy = base_id_new();

	if (!service_journal_claim(journal, &copy, &copy, TOKEN, error))
		return false;
	service_journal_compose(journal, &copy, TOKEN);
	service_journal_idle(journal);
	return service_journal_data(journal, &copy, TOKEN, "relay", error) &&
	       service_journal_done(journal,
		   &(struct service_journal_ending){
		       &copy, TOKEN, 1800000000000, message, numbers, "relay"},
		   error);
}

int
main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	char text[] = "Ok: queued as 4FzYqK2Xn9z1234";
	struct smtp_recipient recipient = {.address = "user@example.net",
	    .outcome = SMTP_SENT,
	    .code = 250,
	    .enhanced = "2.0.0",
	    .text = text};
	struct smtp_message message = {.recipients = &recipient, .count = 1};

	if (argc != 3)
		return 64;
	AUTO(service_journal) journal = service_journal_open(argv[1], &error);
	clock_t begin = clock();
	for (int i = 1; journal && !error && i <= atoi(argv[2]); i++) {
		journal_write_one(journal, &message, &error);
		if (i % FLUSH == 0)
			service_journal_cut(journal);
	}
	if (error) {
		fprintf(stderr, "journal: %s\n", error->message);
		return 1;
	}
	printf("%.2f\n", (double)(clock() - begin) * 1e6 / CLOCKS_PER_SEC / atof(argv[2]));
	return 0;
}
