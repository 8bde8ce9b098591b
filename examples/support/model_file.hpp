// Models that the tools write.
#ifndef BELLAMY_EXAMPLES_SUPPORT_MODEL_FILE_HPP
#define BELLAMY_EXAMPLES_SUPPORT_MODEL_FILE_HPP

#include <bellamy/application_file.hpp>
#include <bellamy/serialize.hpp>

#include <string>

#include "output_file.hpp"

namespace tools {

/// Saves a model, or an application's, as the library does. A link keeps leading to its target, which is written; a device,
/// which the library refuses, gets the bytes. Error: cannot_write.
template <class Model>
void save_model(const Model& made, const std::string& path) {
    if (!detail::is_device(path)) return bellamy::save(made, link_target(path)).value();
    const bellamy::result<std::vector<std::byte>> bytes = to_bytes(made);
    write_file(path, {reinterpret_cast<const char*>(bytes.value().data()), bytes.value().size()});
}

}  // namespace tools

#endif
