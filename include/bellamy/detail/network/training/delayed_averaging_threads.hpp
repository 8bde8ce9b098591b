// Averaging between workers of one process, and their scheduling on threads.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_DELAYED_AVERAGING_THREADS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_DELAYED_AVERAGING_THREADS_HPP

#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/detail/network/training/delayed_averaging.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Averages the snapshots of workers in this process. Thread-safe; the calls of one worker must be sequential.
template <class Scalar>
class thread_averaging {
public:
    thread_averaging(size_t workers, size_t size) : size_(size), seats_(workers) {
        for (auto& seat : seats_) seat.average.resize(size);
    }

    /// A worker's averager.
    class handle {
    public:
        handle(thread_averaging& all, size_t worker) : all_(&all), worker_(worker) {}
        void begin(std::span<const Scalar> snapshot) { all_->begin(worker_, snapshot); }
        bool arrived() {
            const std::lock_guard lock(all_->mutex_);
            return all_->has_arrived(worker_);
        }
        std::span<const Scalar> finish() { return all_->finish(worker_); }

    private:
        thread_averaging* all_;
        size_t worker_;
    };

    /// Calls `advance(worker, handle)` on up to this many threads, until every worker has ended or one is lost. A worker
    /// that waits yields its thread to another. False where one is lost. An exception ends all workers and is rethrown.
    bool run(size_t threads, const auto& advance) {
        for (auto& seat : seats_) seat.now = worker_seat::ready;
        for_each_index((std::min)(threads, seats_.size()), threads, [&](size_t) { work(advance); });
        return !closed_;
    }

    /// Ends all workers: after a failure, the others would wait forever.
    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
    }

private:
    // One averaging: the snapshots of all workers and their mean.
    struct merge_round {
        std::vector<Scalar> snapshots{};
        std::vector<Scalar> average{};
        size_t published = 0;
        size_t received = 0;
        bool is_averaged = false;
    };
    // A worker's state.
    struct worker_seat {
        enum { ready, running, waiting, ended } now = ready;
        size_t begun = 0;
        size_t finished = 0;
        std::vector<Scalar> average{};
    };

    bool has_arrived(size_t worker) const noexcept {
        const size_t i = seats_[worker].finished - first_;
        return closed_ || (i < rounds_.size() && rounds_[i]->is_averaged);
    }

    merge_round& round_to_begin(size_t worker) {
        const std::lock_guard lock(mutex_);
        const size_t i = seats_[worker].begun++ - first_;
        while (rounds_.size() <= i) {
            rounds_.push_back(std::make_unique<merge_round>());
            rounds_.back()->snapshots.resize(size_ * seats_.size());
            rounds_.back()->average.resize(size_);
        }
        return *rounds_[i];
    }

    void begin(size_t worker, std::span<const Scalar> snapshot) {
        auto& begun = round_to_begin(worker);
        std::copy(snapshot.begin(), snapshot.end(), begun.snapshots.data() + worker * size_);
        {
            const std::lock_guard lock(mutex_);
            if (++begun.published < seats_.size()) return;
        }
        mean_of_snapshots<Scalar>(begun.snapshots, seats_.size(), begun.average);
        {
            const std::lock_guard lock(mutex_);
            begun.is_averaged = true;
        }
        changed_.notify_all();
    }

    std::span<const Scalar> finish(size_t worker) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return has_arrived(worker); });
        if (closed_) return {};
        auto& seat = seats_[worker];
        auto& round = *rounds_[seat.finished - first_];
        seat.average = round.average;
        ++seat.finished;
        ++round.received;
        for (; !rounds_.empty() && rounds_.front()->received == seats_.size(); ++first_) rounds_.erase(rounds_.begin());
        return seat.average;
    }

    void work(const auto& advance) {
        struct closing {
            thread_averaging* all;
            ~closing() {
                if (all) all->close();
            }
        } unless_done{this};
        std::unique_lock lock(mutex_);
        for (;;) {
            const auto all_ended = [&] {
                return closed_ ||
                       std::all_of(seats_.begin(), seats_.end(), [](auto& s) { return s.now == worker_seat::ended; });
            };
            size_t next = seats_.size();
            changed_.wait(lock, [&] { return all_ended() || (next = first_runnable()) < seats_.size(); });
            if (all_ended()) break;
            seats_[next].now = worker_seat::running;
            lock.unlock();
            handle averager(*this, next);
            const auto state = advance(next, averager);
            lock.lock();
            closed_ = closed_ || state == worker_state::lost;
            seats_[next].now = state == worker_state::waits ? worker_seat::waiting : worker_seat::ended;
            changed_.notify_all();
        }
        unless_done.all = nullptr;
    }

    size_t first_runnable() const noexcept {
        size_t i = 0;
        while (i < seats_.size() && seats_[i].now != worker_seat::ready &&
               !(seats_[i].now == worker_seat::waiting && has_arrived(i)))
            ++i;
        return i;
    }

    std::mutex mutex_{};
    std::condition_variable changed_{};
    size_t size_;
    std::vector<worker_seat> seats_;
    std::vector<std::unique_ptr<merge_round>> rounds_;  // by pointer, so that references stay valid
    size_t first_ = 0;                                  // number of the first of these rounds
    bool closed_ = false;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
