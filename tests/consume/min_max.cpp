// A consumer with the macros of windows.h, which are in force when it includes bellamy. The standard library, which need not
// bear them, comes first.
#include <bits/stdc++.h>

#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#include <bellamy/bellamy.hpp>

#include "training.cpp"
