/*
 * How births and deaths of objects are compiled: programs make hundreds of thousands a second, and a third of what one cost was the
 * calls between the functions on its way. What nearly all of them do is one function (HOT_PATH takes in all that it calls; the shim is
 * optimized as a whole, -flto). What few of them do stands beside it (OFF_HOT_PATH), or the frame would grow to kilobytes, which a
 * thread with a small stack does not have.
 */
#ifndef PIEPROF_PRELOAD_HOT_H
#define PIEPROF_PRELOAD_HOT_H

#define HOT_PATH __attribute__((noinline, flatten))
#define OFF_HOT_PATH __attribute__((noinline))

#endif
