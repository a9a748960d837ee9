# SPDX-License-Identifier: MIT
# automation: events in, workflows and what runs them
noinst_LIBRARIES += libautomation.a
libautomation_a_SOURCES = \
	%D%/answer.c %D%/answer.h \
	%D%/batch.c %D%/batch.h \
	%D%/contact.c %D%/contact.h \
	%D%/design_cache.c %D%/design_cache.h \
	%D%/digest.c %D%/digest.h \
	%D%/digest_stored.c %D%/digest_stored.h \
	%D%/ending.c %D%/ending.h \
	%D%/engine.c %D%/engine.h \
	%D%/event.c %D%/event.h \
	%D%/execution.c %D%/execution.h \
	%D%/feedback.c %D%/feedback.h \
	%D%/heard.c %D%/heard.h \
	%D%/held.c %D%/held.h \
	%D%/history.c %D%/history.h \
	%D%/mailing.c %D%/mailing.h \
	%D%/received.c %D%/received.h \
	%D%/recorded.h \
	%D%/request.c %D%/request.h \
	%D%/results_stored.c %D%/results_stored.h \
	%D%/secret.c %D%/secret.h \
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
	%D%/duration.c %D%/duration.h \
	%D%/graph.c %D%/graph.h \
	%D%/moment.c %D%/moment.h \
	%D%/node.c %D%/node.h \
	%D%/node_request.c %D%/node_request.h \
	%D%/node_data.c %D%/node_data.h \
	%D%/person.c %D%/person.h \
	%D%/results.c %D%/results.h \
	%D%/rules.c %D%/rules.h \
	%D%/simulate.c %D%/simulate.h \
	%D%/simulate_due.c %D%/simulate_due.h \
	%D%/step.c %D%/step.h \
	%D%/trigger.c %D%/trigger.h
