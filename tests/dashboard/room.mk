# SPDX-License-Identifier: MIT
# dashboard: the built files are those of the sources, the pages work in a real browser, and their words are well
dist_check_SCRIPTS += %D%/browser.sh %D%/dist.sh %D%/words.sh
TESTS += %D%/browser.sh %D%/dist.sh %D%/words.sh
EXTRA_DIST += %D%/browser.mjs %D%/fill.mjs %D%/lighthouse %D%/lighthouse.sh %D%/many.mjs %D%/many.sh %D%/packages.sh %D%/pages \
	%D%/screenshots.mjs %D%/screenshots.sh %D%/words.mjs

# The pictures of doc/dashboard.md.
screenshots: all
	srcdir='$(srcdir)' builddir='$(abs_builddir)' '$(srcdir)/%D%/screenshots.sh'
.PHONY: screenshots

# What Lighthouse says of each page; FORM=mobile as on a phone, PAGES='/ /emails' of some pages,
# CATEGORIES='accessibility best-practices' of what does not depend on other work of the machine.
lighthouse: all
	srcdir='$(srcdir)' builddir='$(abs_builddir)' '$(srcdir)/%D%/lighthouse.sh'
.PHONY: lighthouse
