// The unit of a consumer that has the definitions of what its other units load, condition and choose with.
#include <bellamy/definitions/answering.hpp>
