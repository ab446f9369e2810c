/*
 * The return slot: the stack word that holds the return address of the native call in progress into the evaluation
 * loop. Never written while that call runs; written by the next call from the same loop. A write-watch on it is an
 * exact, one-shot "the call ended".
 */
#ifndef PIEPROF_PRELOAD_SLOT_H
#define PIEPROF_PRELOAD_SLOT_H

#include <stdint.h>
#include <ucontext.h>

#include "stack/native.h"

/* Learns the distance from the anchor out of an unwound stack. Signal-safe. */
void slot_learn(const struct native_frame *frames, size_t count);

/* Address of the slot of the innermost evaluation loop's running native call, 0 when not found (the word there must be
 * an address in the loop's text right behind a call). `frames` may be NULL (count 0): anchor only. Signal-safe. */
uintptr_t slot_find(const ucontext_t *context, const struct native_frame *frames, size_t count);

#endif
