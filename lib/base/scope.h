/* SPDX-License-Identifier: MIT */
/* Cleanup by scope for struct types, which g_autoptr serves only where there is a typedef. */
#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

/* In a header, after x_free: lets AUTO(x) be used. */
#define DEFINE_AUTO(noun, free_function)                                                           \
	static inline void noun##_auto(struct noun **pointer)                                      \
	{                                                                                          \
		if (*pointer)                                                                      \
			free_function(*pointer);                                                   \
	}

/* AUTO(settings) s = base_settings_load(...): freed when s goes out of scope. Set it to NULL to
 * keep what it pointed to. */
#define AUTO(noun) __attribute__((cleanup(noun##_auto))) struct noun *

#endif
