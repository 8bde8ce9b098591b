// Undoes lz4 and snappy as Spark writes them: blocks, each behind a header with its size.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_BLOCK_CODEC_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_BLOCK_CODEC_HPP

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "codec.hpp"
#include "lines.hpp"

namespace tools::event_log {

/// Memory holds one block, packed and unpacked.
class block_codec {
public:
    /// lz4-java's own bound of a block; Spark's default is 32 KiB, for both.
    static constexpr std::size_t largest_block = std::size_t{32} << 20U;

    block_codec(block_codec&&) = delete;
    virtual ~block_codec() = default;

    /// Passes on the text of each whole block. False: a block is damaged; the text of those before it is passed on.
    [[nodiscard]] bool push(std::span<const char> bytes, line_splitter& to);

    /// Whether a log may end here: lz4 marks its end, snappy may end behind any block.
    [[nodiscard]] bool is_at_end() const noexcept { return is_between_ && held_.empty(); }

protected:
    explicit block_codec(std::size_t first_header) : needed_(first_header) {}

    /// Takes a whole header, or the whole block behind it, whose text it leaves in `text`. How many bytes come next; 0 where
    /// this is damaged.
    [[nodiscard]] virtual std::size_t take(std::span<const char> piece, std::vector<char>& text) = 0;

    bool is_between_ = false;

private:
    std::size_t needed_ = 0;
    std::vector<char> held_{};
    std::vector<char> text_{};
};

/// Null of other codecs, and of those without whose library the program was built.
[[nodiscard]] std::unique_ptr<block_codec> make_block_codec(codec kind);

}  // namespace tools::event_log

#endif
