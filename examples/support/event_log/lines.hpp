// Cuts a stream of text into lines, each with the padding behind it that simdjson reads.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_LINES_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_LINES_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace tools::event_log {

/// Text is written into `room()` and committed; every complete line is handed on at once. Memory is bounded by the longest
/// line and at most `longest_line`: a longer line is dropped, and told as one.
class line_splitter {
public:
    /// At least SIMDJSON_PADDING bytes behind every line can be read; what stands there is of no meaning.
    static constexpr std::size_t padding = 128;
    static constexpr std::size_t longest_line = std::size_t{256} << 20U;

    /// `on_line(text)` gets each line without its end; `on_overlong()` each one that is dropped.
    line_splitter(std::function<void(std::string_view)> on_line, std::function<void()> on_overlong)
        : on_line_(std::move(on_line)), on_overlong_(std::move(on_overlong)) {
        grow(std::size_t{1} << 16U);
    }

    /// Where the next text goes: never empty.
    [[nodiscard]] std::span<char> room() noexcept { return {buffer_.get() + end_, size_ - end_}; }

    /// The first `size` bytes of `room()` are text now.
    void commit(std::size_t size) {
        std::size_t searched = end_;
        end_ += size;
        std::size_t begin = 0;
        while (const void* found = std::memchr(buffer_.get() + searched, '\n', end_ - searched)) {
            const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.get());
            end_line({buffer_.get() + begin, at - begin});
            begin = searched = at + 1;
        }
        std::memmove(buffer_.get(), buffer_.get() + begin, end_ - begin);
        end_ -= begin;
        if (skipping_) end_ = 0;
        if (end_ < size_) return;
        if (size_ < longest_line) return grow(2 * size_);
        skipping_ = true;
        end_ = 0;
    }

    /// The same for text that stands elsewhere.
    void append(std::span<const char> text) {
        while (!text.empty()) {
            const auto part = text.first((std::min)(room().size(), text.size()));
            std::memcpy(room().data(), part.data(), part.size());
            commit(part.size());
            text = text.subspan(part.size());
        }
    }

    /// The text ends here; a last line needs no line end.
    void finish() {
        if (end_ > 0 || skipping_) end_line({buffer_.get(), end_});
        end_ = 0;
    }

    /// Whether text stands behind the last line end.
    [[nodiscard]] bool within_line() const noexcept { return end_ > 0 || skipping_; }

private:
    void end_line(std::string_view line) {
        if (std::exchange(skipping_, false)) {
            on_overlong_();
        } else {
            on_line_(line);
        }
    }

    void grow(std::size_t size) {
        auto larger = std::make_unique_for_overwrite<char[]>(size + padding);
        if (end_ > 0) std::memcpy(larger.get(), buffer_.get(), end_);
        std::fill_n(larger.get() + size, padding, '\0');
        buffer_ = std::move(larger);
        size_ = size;
    }

    std::function<void(std::string_view)> on_line_;
    std::function<void()> on_overlong_;
    std::unique_ptr<char[]> buffer_{};
    std::size_t size_ = 0;
    std::size_t end_ = 0;
    bool skipping_ = false;
};

}  // namespace tools::event_log

#endif
