// The immutable model: what training returns, what files hold, and what binds contexts to curves.
#ifndef BELLAMY_MODEL_HPP
#define BELLAMY_MODEL_HPP

#include <bellamy/curve.hpp>
#include <bellamy/network.hpp>
#include <bellamy/schema.hpp>

#include <cassert>

namespace bellamy::inline BELLAMY_ABI {

/// What a model was made from, so that an answer can say what it rests on.
struct training_basis {
    std::string algorithm{};
    std::uint32_t runs = 0;
    std::uint32_t contexts = 0;
    /// Runs of the target context that the model was fine-tuned on.
    std::uint32_t observed_runs = 0;
    scale_out_interval seen_scale_outs{};

    friend bool operator==(const training_basis&, const training_basis&) = default;
};

/// A runtime model of one algorithm. An immutable value: const means safe to share between threads, learning returns a new
/// one. Made by `pretrain`, `fine_tune` and `load`; there is no empty model. Copying allocates a few kilobytes.
class model {
public:
    /// Precondition: the network has as many essential properties as the schema.
    model(bellamy::schema properties, training_basis basis, network<> parameters)
        : schema_(std::move(properties)), basis_(std::move(basis)), network_(std::move(parameters)) {
        assert(network_.essential_count() == schema_.essential.size());
    }

    [[nodiscard]] const bellamy::schema& schema() const noexcept { return schema_; }
    [[nodiscard]] const training_basis& basis() const noexcept { return basis_; }
    [[nodiscard]] const network<>& parameters() const noexcept { return network_; }

    /// The runtimes of one context over scale-outs. Allocates only while checking the context.
    /// Errors: those of `schema::check`.
    [[nodiscard]] result<curve> bind(const context& subject) const {
        if (auto fits = schema_.check(subject); !fits) return fits.error();
        return curve(detail::network_curve(network_, subject), basis_.seen_scale_outs);
    }

private:
    bellamy::schema schema_;
    training_basis basis_;
    network<> network_;
};

}  // namespace bellamy::inline BELLAMY_ABI

#endif
