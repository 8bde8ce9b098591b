// The tests of what every consumer relies on, as one unit: for a build of another kind, which shall take little time.
#include "../choose_test.cpp"
#include "../curve_test.cpp"
#include "../encoding_test.cpp"
#include "../model_test.cpp"
#include "../network_test.cpp"
#include "../serialize_test.cpp"
