# SPDX-License-Identifier: MIT
# broadcast: mailings to audiences and segments
noinst_LIBRARIES += libbroadcast.a
libbroadcast_a_SOURCES = \
	%D%/attachments.c %D%/attachments.h \
	%D%/check.c %D%/check.h \
	%D%/check_content.c %D%/check_content.h \
	%D%/content.c %D%/content.h \
	%D%/draft.c %D%/draft.h \
	%D%/draft_check.c %D%/draft_check.h \
	%D%/footer.c %D%/footer.h \
	%D%/send_step.c %D%/send_step.h \
	%D%/model.c %D%/model.h \
	%D%/audience_count.c %D%/audience_count.h \
	%D%/report.c %D%/report.h \
	%D%/schedule.c %D%/schedule.h \
	%D%/source.c %D%/source.h \
	%D%/start.c %D%/start.h \
	%D%/state.c %D%/state.h \
	%D%/ab_test.c %D%/ab_test.h \
	%D%/unknown.c %D%/unknown.h \
	%D%/test_send.c %D%/test_send.h \
	%D%/version.c \
	%D%/view.c %D%/view.h
libbroadcast_a_CFLAGS = $(AM_CFLAGS)
BROADCAST_LIBS = libbroadcast.a $(AUTOMATION_LIBS)
