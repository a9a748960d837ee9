# SPDX-License-Identifier: MIT
dist_check_SCRIPTS += %D%/lifecycle.sh %D%/mail_catcher.py %D%/kills.py
TESTS += %D%/lifecycle.sh %D%/mail_catcher.py %D%/kills.py
