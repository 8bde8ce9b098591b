// Forward and backward through all of Enel's network with its auto-encoder: the loss of pre-training and its gradient.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_JOINT_PASS_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_JOINT_PASS_HPP

#include <bellamy/detail/enel/enel_loss.hpp>
#include <bellamy/detail/network/training/autoencoder_pass.hpp>

#include <numeric>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

class enel_joint_pass {
public:
    /// Rows of zeros do not pass the auto-encoder, so that they keep the code zero under dropout too.
    enel_joint_pass(const enel_capacity& most, double alpha_dropout)
        : encodings_(most.encodings),
          autoencoder_(encodings_, most.encodings, alpha_dropout),
          ids_(most.encodings),
          pass_(most) {
        std::iota(ids_.begin(), ids_.end(), 0U);
    }
    enel_joint_pass(const enel_joint_pass&) = delete;  // the auto-encoder looks at its encodings
    enel_joint_pass& operator=(const enel_joint_pass&) = delete;
    ~enel_joint_pass() = default;

    [[nodiscard]] enel_losses forward(const double* parameters, const enel_batch& batch, enel_teaching teaching,
                                      const enel_edge_dropout& dropout, random_generator& random) {
        const std::size_t count = batch.encodings.size();
        copy_to(encodings_.piece(0, count), batch.encodings.piece(0, count));
        autoencoder_.forward(parameters, std::span<const std::uint32_t>(ids_).first(count), random);
        copy_to(pass_.codes().piece(0, count), autoencoder_.codes().piece(0, count));
        pass_.forward(parameters, batch, teaching, dropout);
        occurrences_ = occurrences(batch);
        const double rows = std::accumulate(occurrences_.begin(), occurrences_.end(), 0.0);
        enel_losses result;
        for (std::size_t i = 0; i < occurrences_.size(); ++i) {
            occurrences_[i] /= rows * static_cast<double>(enel_widths.encoding);
            result.reconstruction += occurrences_[i] * autoencoder_.squared_error(i);
        }
        result.times = compare_times(batch, pass_.times()).loss;
        result.metrics = compare_metrics(batch, pass_.metrics());
        return result;
    }

    /// After `forward` of the same batch: the gradient of the sum of the losses.
    void backward(const double* parameters, double* gradient, const enel_batch& batch, const enel_edge_dropout& dropout) {
        const std::size_t count = batch.encodings.size();
        const auto codes_gradient = autoencoder_.codes_gradient().piece(0, count);
        fill_zeros(codes_gradient);
        pass_.backward(parameters, gradient, batch, dropout, codes_gradient);
        autoencoder_.backward(parameters, gradient, std::span<const double>(occurrences_).first(count));
    }

    [[nodiscard]] enel_pass& pass() noexcept { return pass_; }

private:
    columns<double, enel_widths.encoding> encodings_;  // zeros where the batch has fewer
    autoencoder_pass<double, enel_widths> autoencoder_;
    std::vector<std::uint32_t> ids_;
    std::vector<double> occurrences_;
    enel_pass pass_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
