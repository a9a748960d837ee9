/* SPDX-License-Identifier: MIT */
/* The error domain that every room shares. */
#include "base/error.h"

/* clang-format off */
G_DEFINE_QUARK(ph-error-quark, ph_error)
/* clang-format on */
