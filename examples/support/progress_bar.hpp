// Shows on a terminal how far a training is; silent where standard error is no terminal.
#ifndef BELLAMY_EXAMPLES_PROGRESS_BAR_HPP
#define BELLAMY_EXAMPLES_PROGRESS_BAR_HPP

#include <fmt/format.h>
#include <unistd.h>
#include <bellamy/training.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

namespace tools {

/// Hand it to a training as `options.progress = std::ref(bar)`.
class progress_bar {
public:
    /// `watched` names the loss that training watches.
    explicit progress_bar(std::string watched) : watched_(std::move(watched)) {}
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;
    ~progress_bar() {
        if (!drawn_) return;
        draw(last_);
        std::fputc('\n', stderr);
    }

    /// Never cancels.
    bool operator()(const bellamy::training_progress& now) {
        if (!on_terminal_) return true;
        last_ = now;
        if (const auto time = clock::now(); !drawn_ || time - drawn_at_ >= std::chrono::milliseconds(100)) {
            draw(now);
            drawn_at_ = time;
            drawn_ = true;
        }
        return true;
    }

private:
    using clock = std::chrono::steady_clock;
    static constexpr int width = 24;

    void draw(const bellamy::training_progress& now) const {
        const int filled = static_cast<int>(width * now.share_done);
        const auto seconds = static_cast<long long>(now.seconds_left + 0.5);
        auto line = fmt::format("[{:#<{}}{:.<{}}] ", "", filled, "", width - filled);
        if (now.trials > 1) line += fmt::format("trial {}/{}, ", now.trial, now.trials);
        line += fmt::format("epoch {}/{}  {} {:.4g}  {}:{:02} left", now.epoch, now.epochs, watched_, now.best_loss,
                            seconds / 60, seconds % 60);
        // Blanks at the end wipe what a longer line before may have left.
        fmt::print(stderr, "\r{:<78}", line);
        std::fflush(stderr);
    }

    std::string watched_;
    bool on_terminal_ = isatty(STDERR_FILENO) == 1;
    bool drawn_ = false;
    clock::time_point drawn_at_{};
    bellamy::training_progress last_{};
};

}  // namespace tools

#endif
