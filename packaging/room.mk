# SPDX-License-Identifier: MIT
# packaging: releases, and packages of distributions. None of it is part of "make check".
EXTRA_DIST += \
	%D%/README.md %D%/deb %D%/install-test %D%/machine.sh %D%/release %D%/release-test %D%/tarball \
	%D%/debian

# make release VERSION=1.2.3: checks, tags, and makes the tarball in the build folder.
release:
	'$(srcdir)/%D%/release' '$(VERSION)' '$(abs_builddir)'

# The tarball has the same bytes wherever and whenever it is made.
release-test:
	'$(srcdir)/%D%/release-test'

# Debian packages in build/packages of the source folder.
packages:
	'$(srcdir)/%D%/deb'

# Installs these packages in an empty Debian, uses, upgrades, removes and purges them. Needs root and debootstrap.
install-tests: packages
	'$(srcdir)/%D%/install-test'
.PHONY: release release-test packages install-tests
