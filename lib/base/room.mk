# SPDX-License-Identifier: MIT
# base: what every room uses: errors, ids, the clock, secrets, limits
noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	%D%/array.h \
	%D%/bucket.c %D%/bucket.h \
	%D%/budget.c %D%/budget.h \
	%D%/certificate.c %D%/certificate.h \
	%D%/charset.c %D%/charset.h \
	%D%/clock.c %D%/clock.h \
	%D%/compress.c %D%/compress.h \
	%D%/error.c %D%/error.h \
	%D%/fault.c %D%/fault.h \
	%D%/id.c %D%/id.h \
	%D%/limits/broadcast.h \
	%D%/limits/domain.h \
	%D%/limits/domain_report.h \
	%D%/limits/edit.h \
	%D%/limits/email.h \
	%D%/limits/fetch.h \
	%D%/limits/import.h \
	%D%/limits/list.h \
	%D%/limits/person.h \
	%D%/limits/process.h \
	%D%/limits/received.h \
	%D%/limits/stream.h \
	%D%/limits/report.h \
	%D%/limits/request.h \
	%D%/limits/segment.h \
	%D%/limits/sending.h \
	%D%/limits/template.h \
	%D%/limits/unit.h \
	%D%/limits/webhook.h \
	%D%/limits/workflow.h \
	%D%/scan_budget.c %D%/scan_budget.h \
	%D%/scope.h \
	%D%/secret.c %D%/secret.h
libbase_a_CFLAGS = $(AM_CFLAGS) $(CRYPTO_CFLAGS) $(ZSTD_CFLAGS)
BASE_LIBS = libbase.a $(CRYPTO_LIBS) $(ZSTD_LIBS) $(GLIB_LIBS)
