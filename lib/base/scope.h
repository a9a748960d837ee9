/* SPDX-License-Identifier: MIT */
/* Cleanup by scope for struct types; g_autoptr needs a typedef. */
#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

/* Stands after the prototype of free_function and makes AUTO(noun) available, and noun_destroy, a
   GDestroyNotify for the elements of arrays and tables. */
#define DEFINE_AUTO(noun, free_function)                                                           \
	static inline void noun##_auto(struct noun **pointer)                                      \
	{                                                                                          \
		if (*pointer)                                                                      \
			free_function(*pointer);                                                   \
	}                                                                                          \
	static inline void noun##_destroy(void *pointer)                                           \
	{                                                                                          \
		free_function((struct noun *)pointer);                                             \
	}

/* AUTO(config_settings) s = config_settings_load(...) frees the settings when s goes out of scope.
 * Set s to NULL to keep them. */
#define AUTO(noun) __attribute__((cleanup(noun##_auto))) struct noun *

#endif
