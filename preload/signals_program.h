/* The program's own dispositions of the signals that the shim has taken. All functions are signal-safe. */
#ifndef PIEPROF_PRELOAD_SIGNALS_PROGRAM_H
#define PIEPROF_PRELOAD_SIGNALS_PROGRAM_H

#include <signal.h>
#include <stdbool.h>

/* Has the shim taken this signal? False for numbers that are no signal. */
bool signals_taken(int signal_number);

/* Takes `signal_number` over: remembers what the program had and installs `handler`. False when the kernel refuses. */
bool signals_take(int signal_number, void (*handler)(int, siginfo_t *, void *));

/* In a vfork child memory is the parent's, the kernel's table is not: the parent's book must be left alone. */
bool signals_in_vfork_child(void);

/* The program's action for a taken signal. */
void signals_program_get(int signal_number, struct sigaction *action);

/* sigaction(2) as the program means it, for a taken signal. Either pointer may be NULL. 0, or -1 and errno. */
int signals_program_set(int signal_number, const struct sigaction *action, struct sigaction *old);

/* SA_RESETHAND: the handler becomes SIG_DFL, the rest stays. */
void signals_program_reset_handler(int signal_number);

/* Gives the signal back to the kernel with its default action: the next delivery ends the process. */
void signals_surrender(int signal_number);

#endif
