#!/bin/sh
# SPDX-License-Identifier: MIT
# Where a mail server starts posthouse report but sets no POSTHOUSE_CONFIG, and mails back or throws away what programs print:
# .forward, cPanel, an alias. Replace @config@, @posthouse@ and @log@ by the paths of the settings, of the program, and of a
# file that what it says is added to.
export POSTHOUSE_CONFIG=@config@
exec @posthouse@ report "$@" >>@log@ 2>&1
