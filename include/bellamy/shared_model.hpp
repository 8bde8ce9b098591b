// A model that threads read by snapshots while one replaces it.
#ifndef BELLAMY_SHARED_MODEL_HPP
#define BELLAMY_SHARED_MODEL_HPP

#include <bellamy/model.hpp>

#include <memory>
#include <mutex>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Holds the current model. Take a snapshot once per submission, and predict from it without any lock; a snapshot is
/// immutable. Thread-safe.
class shared_model {
public:
    explicit shared_model(model first) : current_(std::make_shared<const model>(std::move(first))) {}
    shared_model(const shared_model&) = delete;
    shared_model& operator=(const shared_model&) = delete;

    /// The current model. Locks only to copy a pointer; does not allocate.
    [[nodiscard]] std::shared_ptr<const model> snapshot() const {
        const std::lock_guard lock(current_mutex_);
        return current_;
    }

    /// Publishes another model.
    void replace(model next) {
        const std::lock_guard lock(update_mutex_);
        publish(std::move(next));
    }

    /// Publishes `learn(current model)`, a `result<model>`; an error leaves the model unchanged. Readers do not wait;
    /// updates run one after another, so that none is lost.
    template <class Learn>
    result<void> update(Learn&& learn) {
        const std::lock_guard lock(update_mutex_);
        result<model> next = std::forward<Learn>(learn)(*snapshot());
        if (!next) return next.error();
        publish(*std::move(next));
        return {};
    }

private:
    void publish(model next) {
        auto fresh = std::make_shared<const model>(std::move(next));
        const std::lock_guard lock(current_mutex_);
        current_.swap(fresh);  // the old model is destroyed after the lock is released
    }

    mutable std::mutex current_mutex_;
    std::mutex update_mutex_;
    std::shared_ptr<const model> current_;
};

}}  // namespace bellamy::BELLAMY_ABI

#endif
