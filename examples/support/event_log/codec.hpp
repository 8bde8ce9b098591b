// Undoes the compression of an event log as its bytes come in, one frame after the other.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_CODEC_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_CODEC_HPP

#include <memory>
#include <span>
#include <string_view>

#include "lines.hpp"

namespace tools::event_log {

/// How a file is compressed. `other` is a format that no Spark writes.
enum class codec { plain, gzip, zstd, lz4, snappy, lzf, other };

[[nodiscard]] std::string_view to_string(codec kind) noexcept;

/// Names lie (a compacted part may be zstd and not say so), so that the first bytes decide. Six bytes are enough.
[[nodiscard]] codec codec_of(std::string_view first_bytes) noexcept;

/// Whether `decoder` can undo it: lz4 and snappy where the program was built with their libraries.
[[nodiscard]] bool is_readable(codec kind);

/// What to install to build the program with the codec, as Debian calls it; empty where nothing would bring it.
[[nodiscard]] std::string_view packages_for(codec kind) noexcept;

/// Passes the text on to lines. What is decoded before a frame is cut or damaged is good and has been passed on.
class decoder {
public:
    /// Requires `is_readable(kind)`. Throws std::bad_alloc only.
    decoder(codec kind, line_splitter& to);
    decoder(decoder&&) = delete;
    ~decoder();

    /// False: the stream is damaged, and nothing more comes of it.
    [[nodiscard]] bool push(std::span<const char> bytes);

    /// Whether the bytes pushed so far end between two frames.
    [[nodiscard]] bool at_end_of_frame() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
    line_splitter& to_;
};

}  // namespace tools::event_log

#endif
