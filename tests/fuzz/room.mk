# SPDX-License-Identifier: MIT
# fuzz: what comes from outside, against whatever bytes; needs clang with libFuzzer. For FUZZ_SECONDS, from the seeds in
# %D%/report and tests/mail/reports; what it finds stays in %D%/found of the build folder.
FUZZ_SECONDS = 600
FUZZ_CC = clang
fuzz_sources = $(libbase_a_SOURCES) $(libmail_a_SOURCES) %D%/report.c
EXTRA_DIST += %D%/report %D%/report.c %D%/report.dict
CLEANFILES += %D%/report_fuzzer

fuzz:
	$(MKDIR_P) %D%/found/report
	cd '$(srcdir)' && $(FUZZ_CC) -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -std=gnu11 \
		$(DEFS) $(AM_CPPFLAGS) $(GLIB_CFLAGS) $(GMIME_CFLAGS) $(GUMBO_CFLAGS) $(CRYPTO_CFLAGS) $(PSL_CFLAGS) \
		$(filter %.c,$(fuzz_sources)) -o '$(abs_builddir)/tests/fuzz/report_fuzzer' \
		$(GMIME_LIBS) $(GUMBO_LIBS) $(CRYPTO_LIBS) $(PSL_LIBS) $(GLIB_LIBS)
	cd %D%/found && ASAN_OPTIONS=detect_leaks=1 ../report_fuzzer -max_total_time=$(FUZZ_SECONDS) -max_len=20000 -timeout=10 \
		-rss_limit_mb=1024 -dict='$(abs_srcdir)/tests/fuzz/report.dict' -print_final_stats=1 report \
		'$(abs_srcdir)/tests/fuzz/report' '$(abs_srcdir)/tests/mail/reports'
.PHONY: fuzz
