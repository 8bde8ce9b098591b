#include "forecast.hpp"

#include <bellamy/serialize.hpp>

bellamy::result<bellamy::model> restored(std::span<const std::byte> bytes) { return bellamy::from_bytes(bytes); }

bellamy::prediction forecast(const bellamy::model& model, int scale_out) { return model.bind({})->at(scale_out); }
