// Forward and backward pass of the autoencoder (property encoder and decoder) for a list of properties.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_AUTOENCODER_PASS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_AUTOENCODER_PASS_HPP

#include <bellamy/detail/network/parameters.hpp>
#include <bellamy/detail/network/training/layers.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Holds the buffers for up to `longest_list` properties; allocates in the constructor only.
///
/// Most properties of a batch repeat, and they are equal up to the first dropout: the widest layer is computed once per
/// distinct property, forward and backward. Without dropout all layers are.
template <class Scalar, dimensions D>
class autoencoder_pass {
    using layout = parameter_layout<D>;
    using encoding_columns = columns<Scalar, D.encoding>;
    using hidden_columns = columns<Scalar, D.encoder_hidden>;
    using code_columns = columns<Scalar, D.code>;

public:
    autoencoder_pass(const encoding_columns& encodings, size_t longest_list, double dropout_probability)
        : encodings_(encodings),
          dropout_(dropout_probability),
          distinct_of_id_(encodings.size(), none),
          distinct_of_property_(longest_list),
          distinct_((std::min)(longest_list, encodings.size())),
          distinct_hidden_(distinct_.size()),
          distinct_hidden_gradient_(distinct_.size()),
          encoder_(longest_list),
          encoder_gradient_(longest_list),
          encoder_mask_(longest_list),
          codes_(longest_list),
          codes_gradient_(longest_list),
          decoder_(longest_list),
          decoder_after_dropout_(longest_list),
          decoder_gradient_(longest_list),
          decoder_mask_(longest_list),
          output_(longest_list),
          output_gradient_(longest_list) {}

    /// Encodes and decodes the properties with these ids, with dropout where it is active.
    void forward(const Scalar* parameters, std::span<const std::uint32_t> ids, random_generator& random) {
        gather_distinct(ids);
        column_count_ = dropout_.active() ? ids.size() : distinct_count_;
        const size_t count = column_count_;
        const auto distinct_hidden = distinct_hidden_.first(distinct_count_);
        encoder_first().forward(parameters + encoder_first_offset, distinct_.first(distinct_count_), distinct_hidden);
        selu_forward<Scalar>(distinct_hidden);
        for (size_t i = 0; i < count; ++i) copy_to(encoder_[i], distinct_hidden_[distinct_of_column(i)]);
        const auto hidden = encoder_.first(count);
        apply_dropout(hidden, encoder_mask_.first(count), random);

        const auto codes = codes_.first(count);
        encoder_second().forward(parameters + encoder_second_offset, hidden, codes);
        selu_forward<Scalar>(codes);

        const auto decoder = decoder_.first(count);
        decoder_first().forward(parameters + decoder_first_offset, codes, decoder);
        selu_forward<Scalar>(decoder);
        const auto after_dropout = decoder_after_dropout_.first(count);
        copy_to(after_dropout, decoder);
        apply_dropout(after_dropout, decoder_mask_.first(count), random);

        const auto output = output_.first(count);
        decoder_second().forward(parameters + decoder_second_offset, after_dropout, output);
        tanh_forward<Scalar>(output);
        for (size_t i = 0; i < count; ++i) {
            const auto truth = distinct_[distinct_of_column(i)];
            for (size_t k = 0; k < D.encoding; ++k) output_gradient_[i][k] = output_[i][k] - truth[k];
        }
    }

    /// Number of columns after `forward`, and the column of a property of the list: without dropout, equal properties share
    /// one.
    size_t column_count() const noexcept { return column_count_; }
    size_t column_of(size_t property) const noexcept {
        return dropout_.active() ? property : distinct_of_property_[property];
    }
    const code_columns& codes() const noexcept { return codes_; }
    /// Gradient by the codes from the head, summed over the properties of a column; the caller sets it before `backward`.
    code_columns& codes_gradient() noexcept { return codes_gradient_; }
    /// Sum of squared reconstruction errors of one column, between `forward` and `backward`.
    Scalar squared_error(size_t column) const noexcept {
        const auto errors = output_gradient_[column];
        return dot_of<D.encoding>(errors.data(), errors.data());
    }

    /// Gradient of the sum over columns of weight * squared error, plus that by the codes. The weight of a column is the sum
    /// of its properties' weights.
    void backward(const Scalar* parameters, Scalar* gradient, std::span<const Scalar> weights) {
        const size_t count = column_count_;
        for (size_t i = 0; i < count; ++i) {
            const auto output = output_[i];
            const auto output_gradient = output_gradient_[i];
            for (size_t k = 0; k < D.encoding; ++k) output_gradient[k] *= 2 * weights[i] * (1 - output[k] * output[k]);
        }
        const auto output_gradient = output_gradient_.first(count);
        const auto decoder_gradient = decoder_gradient_.first(count);
        decoder_second().backward_parameters(gradient + decoder_second_offset, decoder_after_dropout_.first(count),
                                             output_gradient);
        decoder_second().backward_input(parameters + decoder_second_offset, output_gradient, decoder_gradient);
        dropout_backward(decoder_gradient, decoder_mask_.first(count));
        selu_backward<Scalar>(decoder_.first(count), decoder_gradient);
        decoder_first().backward_parameters(gradient + decoder_first_offset, codes_.first(count), decoder_gradient);

        const auto codes_gradient = codes_gradient_.first(count);
        decoder_first().add_backward_input(parameters + decoder_first_offset, decoder_gradient, codes_gradient);
        selu_backward<Scalar>(codes_.first(count), codes_gradient);

        const auto hidden_gradient = encoder_gradient_.first(count);
        encoder_second().backward_parameters(gradient + encoder_second_offset, encoder_.first(count), codes_gradient);
        encoder_second().backward_input(parameters + encoder_second_offset, codes_gradient, hidden_gradient);
        dropout_backward(hidden_gradient, encoder_mask_.first(count));
        const auto distinct_gradient = distinct_hidden_gradient_.first(distinct_count_);
        fill_zeros(distinct_gradient);
        for (size_t i = 0; i < count; ++i) add_to(distinct_hidden_gradient_[distinct_of_column(i)], encoder_gradient_[i]);
        selu_backward<Scalar>(distinct_hidden_.first(distinct_count_), distinct_gradient);
        encoder_first().backward_parameters(gradient + encoder_first_offset, distinct_.first(distinct_count_),
                                            distinct_gradient);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    using encoder_first = linear_layer<Scalar, D.encoding, D.encoder_hidden, false>;
    using encoder_second = linear_layer<Scalar, D.encoder_hidden, D.code, false>;
    using decoder_first = linear_layer<Scalar, D.code, D.encoder_hidden, false>;
    using decoder_second = linear_layer<Scalar, D.encoder_hidden, D.encoding, false>;
    static constexpr size_t encoder_first_offset = layout::encoder;
    static constexpr size_t encoder_second_offset = encoder_first_offset + encoder_first().parameter_count();
    static constexpr size_t decoder_first_offset = layout::decoder;
    static constexpr size_t decoder_second_offset = decoder_first_offset + decoder_first().parameter_count();

    size_t distinct_of_column(size_t column) const noexcept {
        return dropout_.active() ? distinct_of_property_[column] : column;
    }

    // Numbers the distinct ids and copies their encodings.
    void gather_distinct(std::span<const std::uint32_t> ids) {
        std::uint32_t count = 0;
        for (size_t i = 0; i < ids.size(); ++i) {
            auto& distinct = distinct_of_id_[ids[i]];
            if (distinct == none) {
                distinct = count++;
                copy_to(distinct_[distinct], encodings_[ids[i]]);
            }
            distinct_of_property_[i] = distinct;
        }
        for (const auto id : ids) distinct_of_id_[id] = none;
        distinct_count_ = count;
    }

    void apply_dropout(std::span<Scalar> values, std::span<Scalar> mask, random_generator& random) const noexcept {
        if (!dropout_.active()) return;
        dropout_.draw(random, mask);
        dropout_.forward(mask, values);
    }
    void dropout_backward(std::span<Scalar> gradient, std::span<const Scalar> mask) const noexcept {
        if (dropout_.active()) dropout_.backward(mask, gradient);
    }

    const encoding_columns& encodings_;
    alpha_dropout<Scalar> dropout_;
    std::vector<std::uint32_t> distinct_of_id_;
    std::vector<std::uint32_t> distinct_of_property_;
    size_t distinct_count_ = 0;
    size_t column_count_ = 0;
    encoding_columns distinct_;
    hidden_columns distinct_hidden_;
    hidden_columns distinct_hidden_gradient_;
    hidden_columns encoder_;
    hidden_columns encoder_gradient_;
    hidden_columns encoder_mask_;
    code_columns codes_;
    code_columns codes_gradient_;
    hidden_columns decoder_;
    hidden_columns decoder_after_dropout_;
    hidden_columns decoder_gradient_;
    hidden_columns decoder_mask_;
    encoding_columns output_;
    encoding_columns output_gradient_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
