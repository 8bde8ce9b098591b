// One model for all threads of a scheduler: many ask while one learns.
#ifndef BELLAMY_SHARED_MODEL_HPP
#define BELLAMY_SHARED_MODEL_HPP

#include <bellamy/model.hpp>

#include <memory>
#include <mutex>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Holds the model that is valid now. Take a snapshot once per submission, and predict from that without any lock; a
/// snapshot stays as it is while others learn. Every member may be called by any number of threads.
class shared_model {
public:
    explicit shared_model(model first) : current_(std::make_shared<const model>(std::move(first))) {}
    shared_model(const shared_model&) = delete;
    shared_model& operator=(const shared_model&) = delete;

    /// The model that is valid now. Locks for as long as it takes to copy a pointer; does not allocate.
    [[nodiscard]] std::shared_ptr<const model> snapshot() const {
        const std::lock_guard lock(reading_);
        return current_;
    }

    /// Makes another model valid.
    void replace(model next) {
        const std::lock_guard turn(learning_);
        publish(std::move(next));
    }

    /// Makes learn(the model that is valid now) valid, which returns a `result<model>`; an error leaves the model as it was.
    /// Those who ask do not wait for it, those who learn wait for each other, so that nothing learned is lost.
    template <class Learn>
    [[nodiscard]] result<void> update(Learn&& learn) {
        const std::lock_guard turn(learning_);
        result<model> next = std::forward<Learn>(learn)(*snapshot());
        if (!next) return next.error();
        publish(*std::move(next));
        return {};
    }

private:
    void publish(model next) {
        auto fresh = std::make_shared<const model>(std::move(next));
        const std::lock_guard lock(reading_);
        current_.swap(fresh);  // the old one, if it is the last of its kind, dies after the lock
    }

    mutable std::mutex reading_;
    std::mutex learning_;
    std::shared_ptr<const model> current_;
};

}}  // namespace bellamy::BELLAMY_ABI

#endif
