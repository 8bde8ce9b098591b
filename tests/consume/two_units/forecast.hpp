// What a consumer keeps behind an interface of its own, which gives and takes bellamy's types.
#ifndef CONSUMER_FORECAST_HPP
#define CONSUMER_FORECAST_HPP

#include <bellamy/model.hpp>

#include <cstddef>
#include <span>

bellamy::result<bellamy::model> restored(std::span<const std::byte> bytes);
bellamy::prediction forecast(const bellamy::model& model, int scale_out);

#endif
