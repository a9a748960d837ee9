# SPDX-License-Identifier: MIT
# What readers see, in a real browser; for people to look at
EXTRA_DIST += %D%/unsubscribe.py
browser: all
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 '$(srcdir)/tests/browser/unsubscribe.py'
.PHONY: browser
