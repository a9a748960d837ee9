# SPDX-License-Identifier: MIT
# automation: events in, workflows and what runs them
noinst_LIBRARIES += libautomation.a
libautomation_a_SOURCES = \
	%D%/answer.c %D%/answer.h \
	%D%/batch.c %D%/batch.h \
	%D%/begun.c %D%/begun.h \
	%D%/contact.c %D%/contact.h \
	%D%/design_cache.c %D%/design_cache.h \
	%D%/digest.c %D%/digest.h \
	%D%/digest_stored.c %D%/digest_stored.h \
	%D%/ending.c %D%/ending.h \
	%D%/engine.c %D%/engine.h \
	%D%/event.c %D%/event.h \
	%D%/event_dispatch.c %D%/event_dispatch.h \
	%D%/execution.c %D%/execution.h \
	%D%/execution_ending.c %D%/execution_ending.h \
	%D%/execution_request.c %D%/execution_request.h \
	%D%/execution_step.c %D%/execution_step.h \
	%D%/execution_view.c %D%/execution_view.h \
	%D%/execution_update.c %D%/execution_update.h \
	%D%/execution_wait.c %D%/execution_wait.h \
	%D%/feedback.c %D%/feedback.h \
	%D%/heard.c %D%/heard.h \
	%D%/held.c %D%/held.h \
	%D%/history.c %D%/history.h \
	%D%/mailing.c %D%/mailing.h \
	%D%/received.c %D%/received.h \
	%D%/recorded.h \
	%D%/request.c %D%/request.h \
	%D%/results_stored.c %D%/results_stored.h \
	%D%/schedule.c %D%/schedule.h \
	%D%/secret.c %D%/secret.h \
	%D%/stepper.c %D%/stepper.h \
	%D%/watch.c %D%/watch.h \
	%D%/workflow.c %D%/workflow.h
libautomation_a_CFLAGS = $(AM_CFLAGS)
dist_man_MANS += man/posthouse-workflow.5
AUTOMATION_LIBS = libautomation.a $(SEGMENT_LIBS)

# Its pure part: designs, rules, steps
libautomation_a_SOURCES += \
	%D%/own.c %D%/own.h \
	%D%/design.c %D%/design.h \
	%D%/design_check.c %D%/design_check.h \
	%D%/design_check_edges.c %D%/design_check_edges.h \
	%D%/design_check_email.c %D%/design_check_email.h \
	%D%/design_check_event.c %D%/design_check_event.h \
	%D%/design_check_request.c %D%/design_check_request.h \
	%D%/design_checking.c %D%/design_checking.h \
	%D%/design_lookup.c %D%/design_lookup.h \
	%D%/design_path.c %D%/design_path.h \
	%D%/duration.c %D%/duration.h \
	%D%/graph.c %D%/graph.h \
	%D%/moment.c %D%/moment.h \
	%D%/node.c %D%/node.h \
	%D%/node_email.c %D%/node_email.h \
	%D%/node_given.c %D%/node_given.h \
	%D%/node_request.c %D%/node_request.h \
	%D%/node_data.c %D%/node_data.h \
	%D%/node_update.c %D%/node_update.h \
	%D%/node_wait.c %D%/node_wait.h \
	%D%/person.c %D%/person.h \
	%D%/results.c %D%/results.h \
	%D%/rules.c %D%/rules.h \
	%D%/simulate.c %D%/simulate.h \
	%D%/simulate_due.c %D%/simulate_due.h \
	%D%/simulate_ending.c %D%/simulate_ending.h \
	%D%/simulate_event.c %D%/simulate_event.h \
	%D%/simulate_run.c %D%/simulate_run.h \
	%D%/simulate_sending.c %D%/simulate_sending.h \
	%D%/simulation.c %D%/simulation.h \
	%D%/simulation_view.c %D%/simulation_view.h \
	%D%/simulator.h \
	%D%/step.c %D%/step.h \
	%D%/trigger.c %D%/trigger.h
