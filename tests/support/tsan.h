/* SPDX-License-Identifier: MIT */
/* Shows GLib's locks to ThreadSanitizer. GLib is not built with it and locks by futexes, so that
   every use of a lock would look like a race. make check-tsan includes this in front of each
   source; nothing else does. */
#ifndef TESTS_SUPPORT_TSAN_H
#define TESTS_SUPPORT_TSAN_H

#include <glib.h>
#include <sanitizer/tsan_interface.h>

static inline void
tsan_mutex_init(GMutex *mutex)
{
	g_mutex_init(mutex);
	__tsan_mutex_create(mutex, __tsan_mutex_not_static);
}

static inline void
tsan_mutex_clear(GMutex *mutex)
{
	__tsan_mutex_destroy(mutex, __tsan_mutex_not_static);
	g_mutex_clear(mutex);
}

static inline void
tsan_mutex_lock(GMutex *mutex)
{
	__tsan_mutex_pre_lock(mutex, 0);
	g_mutex_lock(mutex);
	__tsan_mutex_post_lock(mutex, 0, 0);
}

static inline void
tsan_mutex_unlock(GMutex *mutex)
{
	__tsan_mutex_pre_unlock(mutex, 0);
	g_mutex_unlock(mutex);
	__tsan_mutex_post_unlock(mutex, 0);
}

/* The wait itself gives the mutex back and takes it again. */
static inline void
tsan_cond_wait(GCond *cond, GMutex *mutex)
{
	__tsan_mutex_pre_unlock(mutex, 0);
	__tsan_mutex_post_unlock(mutex, 0);
	g_cond_wait(cond, mutex);
	__tsan_mutex_pre_lock(mutex, 0);
	__tsan_mutex_post_lock(mutex, 0, 0);
}

static inline gboolean
tsan_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end)
{
	__tsan_mutex_pre_unlock(mutex, 0);
	__tsan_mutex_post_unlock(mutex, 0);
	gboolean signalled = g_cond_wait_until(cond, mutex, end);
	__tsan_mutex_pre_lock(mutex, 0);
	__tsan_mutex_post_lock(mutex, 0, 0);
	return signalled;
}

/* Each side of a queue sees all that the others did before: more than GLib promises, since a pop
 * learns from every push. */
static inline void
tsan_queue_push(GAsyncQueue *queue, gpointer data)
{
	__tsan_release(queue);
	g_async_queue_push(queue, data);
}

static inline gpointer
tsan_queue_popped(GAsyncQueue *queue, gpointer data)
{
	if (data)
		__tsan_acquire(queue);
	return data;
}

static inline gboolean
tsan_once_enter(void *location)
{
	gboolean first = g_once_init_enter((gsize *)location);

	if (!first)
		__tsan_acquire(location);
	return first;
}

static inline void
tsan_once_leave(void *location, gsize result)
{
	__tsan_release(location);
	(g_once_init_leave)(location, result);
}

#undef g_once_init_enter
#undef g_once_init_leave
#define g_mutex_init(mutex) tsan_mutex_init(mutex)
#define g_mutex_clear(mutex) tsan_mutex_clear(mutex)
#define g_mutex_lock(mutex) tsan_mutex_lock(mutex)
#define g_mutex_unlock(mutex) tsan_mutex_unlock(mutex)
#define g_cond_wait(cond, mutex) tsan_cond_wait(cond, mutex)
#define g_cond_wait_until(cond, mutex, end) tsan_cond_wait_until(cond, mutex, end)
#define g_async_queue_push(queue, data) tsan_queue_push(queue, data)
#define g_async_queue_pop(queue) tsan_queue_popped(queue, g_async_queue_pop(queue))
#define g_async_queue_try_pop(queue) tsan_queue_popped(queue, g_async_queue_try_pop(queue))
#define g_async_queue_timeout_pop(queue, us)                                                       \
	tsan_queue_popped(queue, g_async_queue_timeout_pop(queue, us))
#define g_once_init_enter(location) tsan_once_enter(location)
#define g_once_init_leave(location, result) tsan_once_leave(location, (gsize)(result))

#endif
