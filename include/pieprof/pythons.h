/* The CPythons that are known (preload/stack/python_layout.c has a row for each). */
#ifndef PIEPROF_PYTHONS_H
#define PIEPROF_PYTHONS_H

#define PYTHON_MINOR_FIRST 8u
#define PYTHON_MINOR_LAST 15u
#define PYTHON_KNOWN "3.8 to 3.15"

#endif
