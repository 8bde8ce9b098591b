// Forward declarations, for headers of your own.
#ifndef BELLAMY_FWD_HPP
#define BELLAMY_FWD_HPP

#include <bellamy/version.hpp>

#include <cstdint>

namespace bellamy { inline namespace BELLAMY_ABI {

enum class errc : std::uint8_t;
class error;
template <class T>
class result;

enum class property_kind : std::uint8_t;
enum class property_role : std::uint8_t;
enum class scale_out_unit : std::uint8_t;
struct property;
struct context;
struct run;
struct schema;

class model;
class shared_model;
class model_store;
class curve;
struct prediction;

enum class outcome : std::uint8_t;
enum class verdict : std::uint8_t;
struct candidate;
struct request;
struct price;
struct assessment;
struct decision;
struct drift;

struct pretrain_options;
struct trained;

}}  // namespace bellamy::BELLAMY_ABI

#endif
