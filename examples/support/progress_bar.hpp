// Shows on a terminal how far a command is, from its second second on; silent where standard error is no terminal.
#ifndef BELLAMY_EXAMPLES_PROGRESS_BAR_HPP
#define BELLAMY_EXAMPLES_PROGRESS_BAR_HPP

#include <fmt/format.h>
#include <unistd.h>
#include <bellamy/training_progress.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace tools {

/// One line, redrawn by a thread of its own and wiped at the end.
class progress_bar {
public:
    /// `doing` stands before the time until `advance` is called.
    explicit progress_bar(std::string doing) : words_(std::move(doing)) {
        if (isatty(STDERR_FILENO) == 1) drawer_ = std::thread([this] { draw_until_done(); });
    }
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;
    ~progress_bar() {
        if (!drawer_.joinable()) return;
        {
            const std::lock_guard lock(mutex_);
            done_ = true;
        }
        wake_.notify_all();
        drawer_.join();
    }

    /// `done` of 1; `words` say of what.
    void advance(double done, std::string words) {
        if (!drawer_.joinable()) return;
        const std::lock_guard lock(mutex_);
        done_share_ = std::clamp(done, 0.0, 1.0);
        words_ = std::move(words);
    }

    /// For a training: hand it over as `options.progress = std::ref(bar)`. Never cancels.
    bool operator()(const bellamy::training_progress& now) {
        advance(now.share_done, fmt::format("{}epoch {}/{}, validation loss {:.4g}",
                                            now.trials > 1 ? fmt::format("trial {}/{}, ", now.trial, now.trials) : "",
                                            now.epoch, now.epochs, now.best_loss));
        return true;
    }

private:
    using clock = std::chrono::steady_clock;

    [[nodiscard]] std::string line() const {
        const double elapsed = std::chrono::duration<double>(clock::now() - began_).count();
        if (!(done_share_ > 0)) return fmt::format("{}  {:.0f} s", words_, elapsed);
        constexpr int width = 24;
        const int filled = static_cast<int>(width * done_share_);
        const auto left = static_cast<long long>(elapsed / done_share_ - elapsed + 0.5);
        return fmt::format("[{:#<{}}{:.<{}}] {}  {}:{:02} left", "", filled, "", width - filled, words_, left / 60,
                           left % 60);
    }

    void draw_until_done() {
        std::unique_lock lock(mutex_);
        auto next = std::chrono::milliseconds(1000);
        bool drawn = false;
        while (!wake_.wait_for(lock, next, [this] { return done_; })) {
            fmt::print(stderr, "\r{:<79.79}", line());  // blanks wipe what a longer line before may have left
            std::fflush(stderr);
            drawn = true;
            next = std::chrono::milliseconds(200);
        }
        if (drawn) fmt::print(stderr, "\r{:<79}\r", "");
    }

    std::mutex mutex_{};
    std::condition_variable wake_{};
    bool done_ = false;
    double done_share_ = 0;
    std::string words_;
    clock::time_point began_ = clock::now();
    std::thread drawer_{};
};

}  // namespace tools

#endif
