/* SPDX-License-Identifier: MIT */
/* A null pointer with no elements is what UndefinedBehaviorSanitizer ends the test for. */
#include "base/array.h"

#include <criterion/criterion.h>

static int
by_number(gconstpointer a, gconstpointer b)
{
	const int *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

Test(array, may_be_null_without_elements)
{
	int *volatile none = NULL; /* the compiler may not look through it */
	int key = 1;

	base_array_sort(none, 0, sizeof(key), by_number);
	base_array_clear(none, 0, sizeof(key));
	base_array_copy(none, none, 0, sizeof(key));
	cr_expect_null(base_array_find(&key, none, 0, sizeof(key), by_number));
}

Test(array, is_sorted_searched_copied_and_cleared)
{
	int numbers[] = {3, 1, 2}, copies[] = {0, 0, 0, 7}, absent = 4;

	base_array_sort(numbers, 1, sizeof(*numbers), by_number);
	cr_expect_eq(numbers[0], 3, "got %d", numbers[0]);
	base_array_sort(numbers, 3, sizeof(*numbers), by_number);
	for (int i = 0; i < 3; i++) {
		int key = i + 1;
		cr_expect_eq(numbers[i], key, "%d: got %d, want %d", i, numbers[i], key);
		cr_expect_eq(
		    base_array_find(&key, numbers, 3, sizeof(*numbers), by_number), &numbers[i]);
	}
	cr_expect_null(base_array_find(&absent, numbers, 3, sizeof(*numbers), by_number));
	base_array_copy(copies, numbers, 3, sizeof(*numbers));
	cr_expect_eq(copies[2], 3, "got %d", copies[2]);
	cr_expect_eq(copies[3], 7, "got %d", copies[3]);
	base_array_clear(copies, 2, sizeof(*copies));
	cr_expect(copies[0] == 0 && copies[1] == 0 && copies[2] == 3, "got %d %d %d", copies[0],
	    copies[1], copies[2]);
}
