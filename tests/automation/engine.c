/* What executions do, node by node, on a clock that the test sets. */
#include "automation/engine.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "tests/automation/stage.h"

#define MAIL(id, subject) NODE(id, "send_email", "'subject': '" subject "', 'html': '<p>Hello</p>'")

Test(engine, sends_waits_and_completes)
{
	AUTO(stage) stage = stage_open();

	stage_workflow(stage,
	    TRIGGER "," MAIL("a", "First") "," NODE("w", "wait", WAIT_DATA) "," MAIL("b", "Second"),
	    EDGE("t", "a") "," EDGE("a", "w") "," EDGE("w", "b"));
	stage_event(stage, "order", NULL);
	stage_expect("started", stage_show(stage), "IN_PROGRESS t 1 due 0\n");
	stage_run(stage);
	stage_expect("waits", stage_show(stage), "WAITING w 3 until 1440\n");
	stage_expect("first", stage_mails(stage), "ann@example.org First\n");
	stage_at(DAY - 1);
	stage_run(stage);
	stage_expect("early", stage_show(stage), "WAITING w 3 until 1440\n");
	stage_at(DAY + 1);
	stage_run(stage);
	stage_expect("done", stage_show(stage), "COMPLETED b 4\n");
	stage_expect("both", stage_mails(stage), "ann@example.org First\nann@example.org Second\n");
}
