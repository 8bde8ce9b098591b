// Version of the library, and the inline namespace that carries it.
#ifndef BELLAMY_VERSION_HPP
#define BELLAMY_VERSION_HPP

#define BELLAMY_VERSION_MAJOR 0
#define BELLAMY_VERSION_MINOR 1
#define BELLAMY_VERSION_PATCH 0
#define BELLAMY_VERSION "0.1.0"

// Two versions of bellamy may live in one process: their names differ by this inline namespace.
#define BELLAMY_ABI v0_1

#endif
