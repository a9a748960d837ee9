# SPDX-License-Identifier: MIT
# Pages of strangers and recipients in a real browser; "make browser" is for people to look at
EXTRA_DIST += %D%/accessible.py %D%/package.json %D%/package-lock.json %D%/unsubscribe.py
dist_check_SCRIPTS += %D%/accessible.sh
TESTS += %D%/accessible.sh
browser: all
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 '$(srcdir)/tests/browser/unsubscribe.py'
.PHONY: browser
