/* The version of all of PieProf's programs. */
#ifndef PIEPROF_ANALYZER_VERSION_H
#define PIEPROF_ANALYZER_VERSION_H

#define PIEPROF_VERSION "0.1.0"

#endif
