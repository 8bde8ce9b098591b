// Forward and backward through the property encoder and decoder, for a list of properties.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_AUTOENCODER_PASS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_AUTOENCODER_PASS_HPP

#include <bellamy/detail/network/parameter_layout.hpp>
#include <bellamy/detail/network/training/layers.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Working storage for up to `capacity` properties at a time; allocated once, in the constructor.
///
/// Most properties of a batch repeat, and up to the first dropout they are the same: the widest layer is computed once per
/// distinct property, forward and backward. Without dropout everything is.
template <class Scalar, dimensions D>
class autoencoder_pass {
    using layout = parameter_layout<D>;
    static constexpr int encoding = static_cast<int>(D.encoding);
    static constexpr int hidden = static_cast<int>(D.encoder_hidden);
    static constexpr int code = static_cast<int>(D.code);

public:
    autoencoder_pass(const columns<Scalar, D.encoding>& encodings, Eigen::Index capacity, double dropout_probability)
        : encodings_(encodings),
          dropout_(dropout_probability),
          distinct_of_id_(static_cast<std::size_t>(encodings.cols()), none),
          distinct_of_property_(static_cast<std::size_t>(capacity)),
          distinct_(encoding, (std::min)(capacity, encodings.cols())),
          distinct_hidden_(hidden, distinct_.cols()),
          distinct_hidden_gradient_(hidden, distinct_.cols()),
          hidden_(hidden, capacity),
          hidden_gradient_(hidden, capacity),
          hidden_mask_(hidden, capacity),
          codes_(code, capacity),
          codes_gradient_(code, capacity),
          decoder_(hidden, capacity),
          decoder_dropped_(hidden, capacity),
          decoder_gradient_(hidden, capacity),
          decoder_mask_(hidden, capacity),
          output_(encoding, capacity),
          output_gradient_(encoding, capacity) {}

    /// Encodes and decodes the properties of these numbers, with dropout where it is active.
    void forward(const Scalar* parameters, std::span<const std::uint32_t> ids, random_generator& random) {
        gather_distinct(ids);
        column_count_ = dropout_.active() ? static_cast<Eigen::Index>(ids.size()) : distinct_count_;
        const auto count = column_count_;
        auto distinct_hidden = distinct_hidden_.leftCols(distinct_count_);
        encoder_first_.forward(parameters + layout::encoder, distinct_.leftCols(distinct_count_), distinct_hidden);
        selu_forward<Scalar>(leading(distinct_hidden_, distinct_count_));
        for (Eigen::Index i = 0; i < count; ++i) hidden_.col(i) = distinct_hidden_.col(distinct_of_column(i));
        drop(hidden_, hidden_mask_, count, random);

        auto c = codes_.leftCols(count);
        encoder_second_.forward(parameters + layout::encoder + encoder_first_.parameter_count(), hidden_.leftCols(count), c);
        selu_forward<Scalar>(leading(codes_, count));

        auto d = decoder_.leftCols(count);
        decoder_first_.forward(parameters + layout::decoder, c, d);
        selu_forward<Scalar>(leading(decoder_, count));
        decoder_dropped_.leftCols(count) = d;
        drop(decoder_dropped_, decoder_mask_, count, random);

        auto o = output_.leftCols(count);
        decoder_second_.forward(parameters + layout::decoder + decoder_first_.parameter_count(),
                                decoder_dropped_.leftCols(count), o);
        tanh_forward<Scalar>(leading(output_, count));
        for (Eigen::Index i = 0; i < count; ++i) output_gradient_.col(i) = o.col(i) - distinct_.col(distinct_of_column(i));
    }

    /// Number of columns after `forward`, and the one in which a property of the list stands: without dropout, properties
    /// that repeat share it.
    [[nodiscard]] Eigen::Index column_count() const noexcept { return column_count_; }
    [[nodiscard]] Eigen::Index column_of(std::size_t property) const noexcept {
        return dropout_.active() ? static_cast<Eigen::Index>(property) : distinct_of(property);
    }
    [[nodiscard]] auto codes() const { return codes_.leftCols(column_count_); }
    /// Gradient of the codes from elsewhere, summed over the properties of a column, to be filled in by the caller before
    /// `backward`.
    [[nodiscard]] auto codes_gradient() { return codes_gradient_.leftCols(column_count_); }
    /// Sum of squared reconstruction errors of one column, between `forward` and `backward`.
    [[nodiscard]] Scalar squared_error(Eigen::Index column) const {
        // Of a size that the compiler does not know, or it would write the sum out term by term.
        const auto errors = output_gradient_.col(column);
        return Eigen::Map<const Eigen::VectorX<Scalar>>(errors.data(), errors.size()).squaredNorm();
    }

    /// Gradient of sum over columns of weight * squared error, plus what flows back from the codes. A weight is that of all
    /// properties of its column together.
    template <class Weights>
    void backward(const Scalar* parameters, Scalar* gradient, const Weights& weights) {
        const auto count = column_count_;
        auto o = output_.leftCols(count);
        auto go = output_gradient_.leftCols(count);
        for (Eigen::Index i = 0; i < count; ++i)
            go.col(i) = (2 * weights[i] * go.col(i).array() * (1 - o.col(i).array().square())).matrix();

        Scalar* decoder_to = gradient + layout::decoder;
        const Scalar* decoder_at = parameters + layout::decoder;
        auto gd = decoder_gradient_.leftCols(count);
        decoder_second_.backward_parameters(decoder_to + decoder_first_.parameter_count(), decoder_dropped_.leftCols(count),
                                            go);
        decoder_second_.backward_input(decoder_at + decoder_first_.parameter_count(), go, gd);
        undrop(decoder_gradient_, decoder_mask_, count);
        selu_backward<Scalar>(leading(decoder_, count), leading(decoder_gradient_, count));
        decoder_first_.backward_parameters(decoder_to, codes_.leftCols(count), gd);

        auto gc = codes_gradient_.leftCols(count);
        gc.noalias() += decoder_first_.weights(decoder_at).transpose().lazyProduct(gd);
        selu_backward<Scalar>(leading(codes_, count), leading(codes_gradient_, count));

        Scalar* encoder_to = gradient + layout::encoder;
        const Scalar* encoder_at = parameters + layout::encoder;
        encoder_second_.backward_parameters(encoder_to + encoder_first_.parameter_count(), hidden_.leftCols(count), gc);
        encoder_second_.backward_input(encoder_at + encoder_first_.parameter_count(), gc, hidden_gradient_.leftCols(count));
        undrop(hidden_gradient_, hidden_mask_, count);
        auto gh = distinct_hidden_gradient_.leftCols(distinct_count_);
        gh.setZero();
        for (Eigen::Index i = 0; i < count; ++i) gh.col(distinct_of_column(i)) += hidden_gradient_.col(i);
        selu_backward<Scalar>(leading(distinct_hidden_, distinct_count_),
                              leading(distinct_hidden_gradient_, distinct_count_));
        encoder_first_.backward_parameters(encoder_to, distinct_.leftCols(distinct_count_), gh);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    [[nodiscard]] Eigen::Index distinct_of(std::size_t property) const noexcept {
        return static_cast<Eigen::Index>(distinct_of_property_[property]);
    }
    [[nodiscard]] Eigen::Index distinct_of_column(Eigen::Index column) const noexcept {
        return dropout_.active() ? distinct_of(static_cast<std::size_t>(column)) : column;
    }

    void gather_distinct(std::span<const std::uint32_t> ids) {
        std::uint32_t found = 0;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            auto& distinct = distinct_of_id_[ids[i]];
            if (distinct == none) {
                distinct = found++;
                distinct_.col(static_cast<Eigen::Index>(distinct)) = encodings_.col(static_cast<Eigen::Index>(ids[i]));
            }
            distinct_of_property_[i] = distinct;
        }
        for (const auto id : ids) distinct_of_id_[id] = none;
        distinct_count_ = static_cast<Eigen::Index>(found);
    }

    template <class Values>
    void drop(Values& values, Values& mask, Eigen::Index count, random_generator& random) {
        if (!dropout_.active()) return;
        dropout_.draw(random, leading(mask, count));
        dropout_.forward(leading(mask, count), leading(values, count));
    }
    template <class Values>
    void undrop(Values& gradient, const Values& mask, Eigen::Index count) {
        if (dropout_.active()) dropout_.backward(leading(mask, count), leading(gradient, count));
    }

    const columns<Scalar, D.encoding>& encodings_;
    alpha_dropout<Scalar> dropout_;
    std::vector<std::uint32_t> distinct_of_id_;
    std::vector<std::uint32_t> distinct_of_property_;
    Eigen::Index distinct_count_ = 0;
    Eigen::Index column_count_ = 0;
    linear_layer<Scalar, encoding, hidden, false, batch_size::many> encoder_first_;
    linear_layer<Scalar, hidden, code, false, batch_size::many> encoder_second_;
    linear_layer<Scalar, code, hidden, false, batch_size::many> decoder_first_;
    linear_layer<Scalar, hidden, encoding, false, batch_size::many> decoder_second_;
    columns<Scalar, D.encoding> distinct_;
    columns<Scalar, D.encoder_hidden> distinct_hidden_;
    columns<Scalar, D.encoder_hidden> distinct_hidden_gradient_;
    columns<Scalar, D.encoder_hidden> hidden_;
    columns<Scalar, D.encoder_hidden> hidden_gradient_;
    columns<Scalar, D.encoder_hidden> hidden_mask_;
    columns<Scalar, D.code> codes_;
    columns<Scalar, D.code> codes_gradient_;
    columns<Scalar, D.encoder_hidden> decoder_;
    columns<Scalar, D.encoder_hidden> decoder_dropped_;
    columns<Scalar, D.encoder_hidden> decoder_gradient_;
    columns<Scalar, D.encoder_hidden> decoder_mask_;
    columns<Scalar, D.encoding> output_;
    columns<Scalar, D.encoding> output_gradient_;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
