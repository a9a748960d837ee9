/* SPDX-License-Identifier: MIT */
/* The table of purposes. */
#include "email/purpose.h"

/* clang-format off */
const struct email_purpose_policy email_purposes[EMAIL_PURPOSES] = {
	/*                                     type                 verbatim compat_tests tracking           untracked */
	[EMAIL_PURPOSE_REQUEST] =             {EMAIL_TRANSACTIONAL, false,   false,       0,                 false},
	[EMAIL_PURPOSE_COMPAT_REQUEST] =      {EMAIL_TRANSACTIONAL, true,    true,        0,                 false},
	[EMAIL_PURPOSE_BROADCAST] =           {EMAIL_TRANSACTIONAL, false,   false,       TRACK_UNSUBSCRIBE, false},
	[EMAIL_PURPOSE_STEP] =                {EMAIL_AUTOMATION,    false,   false,       0,                 false},
	[EMAIL_PURPOSE_STEP_MAILING] =        {EMAIL_AUTOMATION,    false,   false,       TRACK_UNSUBSCRIBE, false},
	[EMAIL_PURPOSE_COMPAT_STEP] =         {EMAIL_AUTOMATION,    false,   true,        0,                 false},
	[EMAIL_PURPOSE_COMPAT_STEP_MAILING] = {EMAIL_AUTOMATION,    false,   true,        TRACK_UNSUBSCRIBE, false},
	/* Nobody is watched who has not agreed to anything yet. */
	[EMAIL_PURPOSE_CONFIRMATION] =        {EMAIL_TRANSACTIONAL, false,   false,       0,                 true},
	[EMAIL_PURPOSE_NOTICE] =              {EMAIL_TRANSACTIONAL, true,    false,       0,                 false},
	[EMAIL_PURPOSE_SERVICE] =             {EMAIL_TRANSACTIONAL, true,    false,       TRACK_SECRET,      false},
};
/* clang-format on */
