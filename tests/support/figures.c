/* SPDX-License-Identifier: MIT */
/* Counts emails and events anew, as the judge of the figures. */
#include "tests/support/figures.h"

#include "tests/support/db.h"

/* Each fact once: something that happened to a recipient. */
#define DAY(time) "(" time ") DIV 86400000"
#define FIRST(status, figure)                                                                      \
	" UNION ALL SELECT email_id, recipient, " DAY(                                             \
	    "MIN(timestamp)") ", '" figure "'"                                                     \
			      " FROM event WHERE status = " status                                 \
			      " AND automated = 0 GROUP BY email_id, recipient"
#define FACTS                                                                                      \
	"SELECT r.email_id, r.number AS recipient, " DAY(                                          \
	    "e.created") " AS day,"                                                                \
			 " 'accepted' AS figure FROM recipient r JOIN email e ON e.id = "          \
			 "r.email_id"                                                              \
			 " UNION ALL SELECT email_id, recipient, " DAY(                            \
			     "timestamp") ", CASE"                                                 \
					  " WHEN status = 1 THEN 'sent' WHEN status = 2 THEN "     \
					  "'delivered'"                                            \
					  " WHEN status = 9 THEN 'bounced' WHEN status = 4 THEN "  \
					  "'complained'"                                           \
					  " WHEN status = 7 THEN 'unsubscribed'"                   \
					  " WHEN status = 5 THEN IF(automated, 'opened_machine', " \
					  "'opened')"                                              \
					  " ELSE IF(automated, 'clicked_machine', 'clicked') END"  \
					  " FROM event WHERE status IN (1, 2, 4, 5, 6, 7, "        \
					  "9)" FIRST("5", "opened_people")                         \
					      FIRST("6", "clicked_people") FIRST("54", "replied")

#define PROVIDER                                                                                   \
	"CASE SUBSTRING_INDEX(r.address, '@', -1) WHEN 'gmail.com' THEN 'gmail'"                   \
	" WHEN 'googlemail.com' THEN 'gmail' WHEN 'msn.com' THEN 'microsoft'"                      \
	" WHEN 'hotmail.fr' THEN 'microsoft' WHEN 'yahoo.co.uk' THEN 'yahoo'"                      \
	" WHEN 'me.com' THEN 'apple' WHEN 'gmx.de' THEN 'gmx' ELSE 'other' END"
#define NOBODY "REPEAT('0', 32)"
#define TAG                                                                                        \
	"CONCAT(t.name, ':', IF(EXISTS (SELECT 1 FROM figure_tag k"                                \
	" WHERE k.workspace_id = t.workspace_id AND k.name = t.name AND k.value = t.value),"       \
	" t.value, '*'))"

#define STREAM                                                                                     \
	"ELT(CASE e.type WHEN 1 THEN 1 WHEN 2 THEN IF(e.tracking & 4, 2, 1) WHEN 4 THEN 2"         \
	" ELSE 3 END, 'transactional', 'automation', 'broadcast')"

/* The dimensions that each fact is counted for. */
#define OF(dimension, owner, name, more)                                                           \
	"SELECT e.workspace_id, " dimension " AS dimension, " owner " AS owner,"                   \
	" CONVERT(" name " USING utf8mb4) COLLATE utf8mb4_nopad_bin AS name, f.day,"               \
	" CONVERT(f.figure USING utf8mb4) COLLATE utf8mb4_nopad_bin AS figure, 1 AS n FROM "       \
	"(" FACTS ") f JOIN email e ON e.id = f.email_id " more
#define WANT                                                                                       \
	OF("1", NOBODY, PROVIDER,                                                                  \
	    "JOIN recipient r ON r.email_id = f.email_id AND r.number = f.recipient")              \
	" UNION ALL " OF("2", "HEX(e.domain_id)", "''", "") " UNION ALL " OF(                      \
	    "3", NOBODY, "e.template_id", "WHERE e.template_id IS NOT NULL") " UNION ALL " OF("4", \
	    "HEX(x.workflow_id)", "x.step_id",                                                     \
	    "JOIN execution_email x ON x.email_id = e.id") " UNION ALL " OF("5", NOBODY, TAG,      \
	    "JOIN email_tag t ON t.email_id = e.id") " UNION ALL " OF("11", NOBODY, STREAM, "")

/* Those of executions and steps are no figures of emails. */
#define HAVE(figure)                                                                               \
	" UNION ALL SELECT workspace_id, dimension, HEX(owner),"                                   \
	" CONVERT(name USING utf8mb4) COLLATE utf8mb4_nopad_bin, day, '" figure "', -" figure      \
	" FROM figure WHERE dimension NOT IN (9, 10)"

static const char differences[] =
    "SELECT GROUP_CONCAT(CONCAT_WS(' ', dimension, owner, name, day, CONCAT(figure, ':'), more)"
    " ORDER BY dimension, owner, name, day, figure SEPARATOR '\n') FROM (SELECT workspace_id,"
    " dimension, owner, name, day, figure, SUM(n) AS more FROM (" WANT HAVE("accepted") HAVE("sent")
	HAVE("delivered") HAVE("bounced") HAVE("complained") HAVE("opened") HAVE("opened_people")
	    HAVE("opened_machine") HAVE("clicked") HAVE("clicked_people") HAVE("clicked_machine")
		HAVE("unsubscribed")
		    HAVE("replied") ") a GROUP BY workspace_id, dimension, owner, name, day, "
				    "figure HAVING more <> 0) b";

char *
test_figures_differ(struct db *db)
{
	return test_db_text(db, differences);
}
