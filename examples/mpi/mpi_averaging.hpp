// Averages snapshots of MPI ranks, one worker each, while they go on computing.
#ifndef BELLAMY_EXAMPLES_MPI_AVERAGING_HPP
#define BELLAMY_EXAMPLES_MPI_AVERAGING_HPP

#include <bellamy/detail/network/training/delayed_averaging.hpp>

#include <mpi.h>

#include <chrono>
#include <concepts>
#include <deque>
#include <span>
#include <thread>
#include <vector>

namespace tools {

/// A `bellamy::averager<Scalar>`: every rank gathers all snapshots and sums them in the order of the ranks, so that the bits
/// are those of threads (MPI_Iallreduce may sum in any order). MPI goes on with its work when `arrived` is asked, after
/// every step. Outlives what is on its way: end the program with MPI_Abort when an average never came.
template <class Scalar>
class mpi_averaging {
    static_assert(std::same_as<Scalar, float> || std::same_as<Scalar, double>);

public:
    /// An average that is not there after this time of waiting counts as lost.
    explicit mpi_averaging(double patience_s) : patience_(patience_s) { MPI_Comm_size(MPI_COMM_WORLD, &ranks_); }
    mpi_averaging(const mpi_averaging&) = delete;
    mpi_averaging& operator=(const mpi_averaging&) = delete;
    ~mpi_averaging() = default;

    void begin(std::span<const Scalar> snapshot) {
        auto& made = rounds_.emplace_back();
        made.own.assign(snapshot.begin(), snapshot.end());
        made.all.resize(snapshot.size() * static_cast<std::size_t>(ranks_));
        const int size = static_cast<int>(snapshot.size());
        const auto type = std::same_as<Scalar, float> ? MPI_FLOAT : MPI_DOUBLE;
        MPI_Iallgather(made.own.data(), size, type, made.all.data(), size, type, MPI_COMM_WORLD, &made.request);
    }

    [[nodiscard]] bool arrived() {
        if (rounds_.empty()) return false;
        int is_there = 0;
        MPI_Test(&rounds_.front().request, &is_there, MPI_STATUS_IGNORE);
        return is_there != 0;
    }

    [[nodiscard]] std::span<const Scalar> finish() {
        const auto began = std::chrono::steady_clock::now();
        while (!arrived()) {
            const auto waited = std::chrono::steady_clock::now() - began;
            if (waited > patience_) return {};
            // Where ranks share a core, the late one gets it.
            if (waited < std::chrono::milliseconds(1))
                std::this_thread::yield();
            else
                std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        average_.resize(rounds_.front().own.size());
        bellamy::detail::mean_of_snapshots<Scalar>(rounds_.front().all, static_cast<std::size_t>(ranks_), average_);
        rounds_.pop_front();
        return average_;
    }

private:
    struct round {
        std::vector<Scalar> own{};
        std::vector<Scalar> all{};
        MPI_Request request = MPI_REQUEST_NULL;
    };

    std::chrono::duration<double> patience_;
    int ranks_ = 1;
    std::deque<round> rounds_{};  // MPI writes into their vectors, which stay where they are
    std::vector<Scalar> average_{};
};

}  // namespace tools

#endif
