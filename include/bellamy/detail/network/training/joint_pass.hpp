// The joint loss of pre-training (paper, section III-D): runtime, and reconstruction of essential and optional properties.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_JOINT_PASS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_JOINT_PASS_HPP

#include <bellamy/detail/network/training/autoencoder_pass.hpp>
#include <bellamy/detail/network/training/predictor_pass.hpp>
#include <bellamy/detail/network/training/training_set.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The three terms, each a mean over the batch; the reconstruction of optional properties is 0 where there are none.
template <class Scalar>
struct joint_loss {
    Scalar runtime = 0;
    Scalar essential = 0;
    Scalar optional = 0;
    Scalar total() const noexcept { return runtime + essential + optional; }
    friend joint_loss operator+(const joint_loss& a, const joint_loss& b) noexcept {
        return {a.runtime + b.runtime, a.essential + b.essential, a.optional + b.optional};
    }
};

/// Loss and gradient for batches of up to `batch_size` runs of one training set; allocates in the constructor only.
template <class Scalar, dimensions D>
class joint_pass {
public:
    joint_pass(const training_set<Scalar, D>& set, const min_max_scaler<Scalar>& scaler, size_t batch_size, double dropout)
        : set_(set),
          scaler_(scaler),
          most_ids_(most_ids(set)),
          predictor_(set.essential_count, batch_size),
          autoencoder_(set.encodings, batch_size * most_ids_, dropout) {
        ids_.reserve(batch_size * most_ids_);
        column_weights_.resize(batch_size * most_ids_);
    }

    /// Loss of these runs, given their target runtimes; `predictions_s()` holds the predictions afterwards.
    joint_loss<Scalar> forward(const Scalar* parameters, index_span runs, std::span<const Scalar> targets_s,
                               random_generator& random) {
        const size_t samples = runs.size();
        ids_.clear();
        for (size_t i = 0; i < runs.size(); ++i) {
            append(ids_, set_.ids_of(runs[i]));
            copy_to(predictor_.features(i), scaler_(static_cast<Scalar>(set_.scale_outs[runs[i]])));
        }
        autoencoder_.forward(parameters, ids_, random);
        scatter_codes(runs);
        predictor_.forward_scale_out(parameters, samples);
        predictor_.forward_head(parameters, samples);
        return runtime_loss(runs, targets_s) + reconstruction_loss(runs);
    }

    /// Backpropagation of the loss of the last `forward`; writes the gradient by every parameter.
    void backward(const Scalar* parameters, Scalar* gradient, index_span runs) {
        const size_t samples = runs.size();
        predictor_.backward_head(parameters, gradient, samples, decltype(predictor_)::inputs::all);
        predictor_.backward_scale_out(parameters, gradient, samples);
        gather_code_gradients(runs);
        autoencoder_.backward(parameters, gradient, column_weights());
    }

    std::span<const Scalar> predictions_s(size_t samples) const noexcept { return predictor_.predictions_s(samples); }

private:
    static constexpr size_t code = D.code;
    using loss = joint_loss<Scalar>;

    static size_t most_ids(const training_set<Scalar, D>& set) {
        size_t most = 0;
        for (size_t i = 0; i < set.size(); ++i) most = (std::max)(most, set.ids_of(i).size());
        return most;
    }

    Scalar weight_of_optional(size_t ids) const noexcept {
        return ids > set_.essential_count ? Scalar(1) / static_cast<Scalar>(ids - set_.essential_count) : Scalar(0);
    }

    // Copies the codes to the head's inputs: essential codes one after the other, then the mean of the optional codes.
    void scatter_codes(index_span runs) {
        const size_t essential = set_.essential_count;
        size_t property = 0;
        for (size_t i = 0; i < runs.size(); ++i) {
            const size_t ids = set_.ids_of(runs[i]).size();
            const auto codes = predictor_.codes(i);
            for (size_t e = 0; e < essential; ++e) copy_to(part_of(codes, e), code_of(property++));
            const auto mean = part_of(codes, essential);
            fill_zeros(mean);
            for (size_t k = essential; k < ids; ++k) add_to(mean, code_of(property++), weight_of_optional(ids));
        }
    }

    // Adds up the gradient by the head's inputs over the properties that share a column of the autoencoder.
    void gather_code_gradients(index_span runs) {
        auto& code_gradients = autoencoder_.codes_gradient();
        fill_zeros(code_gradients.first(autoencoder_.column_count()));
        const size_t essential = set_.essential_count;
        size_t property = 0;
        for (size_t i = 0; i < runs.size(); ++i) {
            const size_t ids = set_.ids_of(runs[i]).size();
            const auto input_gradient = predictor_.codes_gradient(i);
            for (size_t e = 0; e < essential; ++e)
                add_to(code_gradients[autoencoder_.column_of(property++)], part_of(input_gradient, e));
            for (size_t k = essential; k < ids; ++k)
                add_to(code_gradients[autoencoder_.column_of(property++)], part_of(input_gradient, essential),
                       weight_of_optional(ids));
        }
    }

    template <class Value>
    static std::span<Value, code> part_of(std::span<Value> codes, size_t number) {
        return codes.subspan(number * code).template first<code>();
    }
    std::span<const Scalar, code> code_of(size_t property) const {
        return autoencoder_.codes()[autoencoder_.column_of(property)];
    }
    std::span<Scalar> column_weights() noexcept { return std::span(column_weights_).first(autoencoder_.column_count()); }

    // Weighted mean Smooth L1 loss; also sets the derivative by the predictions.
    loss runtime_loss(index_span runs, std::span<const Scalar> targets_s) {
        const auto predictions = predictions_s(runs.size());
        auto derivative = predictor_.predictions_gradient(runs.size());
        Scalar weight_sum = 0;
        for (const auto run : runs) weight_sum += set_.weights[run];
        loss result;
        for (size_t i = 0; i < runs.size(); ++i) {
            const Scalar weight = set_.weights[runs[i]] / weight_sum;
            const Scalar residual = residual_of(predictions[i], targets_s[i], set_.censored[runs[i]]);
            result.runtime += weight * smooth_l1(residual);
            derivative[i] = weight * smooth_l1_derivative(residual);
        }
        return result;
    }

    // Mean squared reconstruction errors; also sets the weight of every column, for `backward`.
    loss reconstruction_loss(index_span runs) {
        const size_t essential = runs.size() * set_.essential_count;
        const size_t optional = ids_.size() - essential;
        const auto weight = [](size_t count) {
            return count > 0 ? Scalar(1) / static_cast<Scalar>(count * D.encoding) : Scalar(0);
        };
        loss result;
        fill_zeros(column_weights());
        size_t property = 0;
        for (const auto run : runs) {
            const size_t ids = set_.ids_of(run).size();
            for (size_t k = 0; k < ids; ++k) {
                const bool is_essential = k < set_.essential_count;
                const auto property_weight = is_essential ? weight(essential) : weight(optional);
                const auto column = autoencoder_.column_of(property++);
                column_weights_[column] += property_weight;
                (is_essential ? result.essential : result.optional) += property_weight * autoencoder_.squared_error(column);
            }
        }
        return result;
    }

    const training_set<Scalar, D>& set_;
    min_max_scaler<Scalar> scaler_;
    size_t most_ids_;
    predictor_pass<Scalar, D> predictor_;
    autoencoder_pass<Scalar, D> autoencoder_;
    index_list ids_;
    std::vector<Scalar> column_weights_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
