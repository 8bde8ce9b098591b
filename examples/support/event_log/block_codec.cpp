#include "block_codec.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(BELLAMY_HAS_LZ4)
#include <lz4.h>
#include <xxhash.h>
#endif
#if defined(BELLAMY_HAS_SNAPPY)
#include <snappy-c.h>
#endif

namespace tools::event_log {

bool block_codec::push(std::span<const char> bytes, line_splitter& to) {
    while (!bytes.empty()) {
        const auto part = bytes.first((std::min)(needed_ - held_.size(), bytes.size()));
        bytes = bytes.subspan(part.size());
        held_.insert(held_.end(), part.begin(), part.end());
        if (held_.size() < needed_) break;
        text_.clear();
        needed_ = take(held_, text_);
        held_.clear();
        if (needed_ == 0) return false;
        to.append(text_);
    }
    return true;
}

namespace {

// A number of four bytes: the first byte is the highest, or the lowest.
[[maybe_unused, nodiscard]] std::uint32_t number_at(std::span<const char> bytes, std::size_t place, std::endian order) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number = (number << 8U) | static_cast<unsigned char>(bytes[place + (order == std::endian::big ? i : 3 - i)]);
    return number;
}

#if defined(BELLAMY_HAS_LZ4)
// LZ4BlockOutputStream of lz4-java. Header: "LZ4Block", method and largest size, size packed, size of the text and its
// checksum.
class lz4_blocks : public block_codec {
public:
    lz4_blocks() : block_codec(header_size) {}

private:
    static constexpr std::size_t header_size = 21;

    std::size_t take(std::span<const char> piece, std::vector<char>& text) override {
        return is_block_next_ ? take_block(piece, text) : take_header(piece);
    }

    std::size_t take_header(std::span<const char> header) {
        if (std::string_view(header.data(), 8) != "LZ4Block") return 0;
        const auto token = static_cast<unsigned char>(header[8]);
        const auto method = token & 0xF0U;
        const auto largest = std::size_t{1} << (10U + (token & 0x0FU));
        const std::size_t packed_size = number_at(header, 9, std::endian::little);
        text_size_ = number_at(header, 13, std::endian::little);
        checksum_ = number_at(header, 17, std::endian::little);
        is_packed_ = method == 0x20U;
        if (!is_packed_ && method != 0x10U) return 0;
        if (text_size_ > largest || packed_size > text_size_ || (!is_packed_ && packed_size != text_size_)) return 0;
        // A block without text is the end; another stream may follow.
        is_between_ = text_size_ == 0;
        if (is_between_) return checksum_ == 0 ? header_size : 0;
        is_block_next_ = true;
        return packed_size;
    }

    std::size_t take_block(std::span<const char> block, std::vector<char>& text) {
        is_block_next_ = false;
        text.assign(block.begin(), block.end());
        if (is_packed_) {
            text.resize(text_size_);
            const auto size = LZ4_decompress_safe(block.data(), text.data(), static_cast<int>(block.size()),
                                                  static_cast<int>(text.size()));
            if (size < 0 || static_cast<std::size_t>(size) != text_size_) return 0;
        }
        constexpr std::uint32_t seed = 0x9747B28C;
        constexpr std::uint32_t kept_bits = 0x0FFFFFFF;
        return (XXH32(text.data(), text.size(), seed) & kept_bits) == checksum_ ? header_size : 0;
    }

    std::size_t text_size_ = 0;
    std::uint32_t checksum_ = 0;
    bool is_packed_ = false;
    bool is_block_next_ = false;
};
#endif

#if defined(BELLAMY_HAS_SNAPPY)
// SnappyOutputStream of snappy-java: "\x82SNAPPY\0" and two versions, then blocks behind their sizes.
class snappy_blocks : public block_codec {
public:
    snappy_blocks() : block_codec(size_size) {}

private:
    static constexpr std::size_t size_size = 4;
    static constexpr std::size_t rest_of_header = 12;
    enum class expected { header, size, rest, block };

    std::size_t take(std::span<const char> piece, std::vector<char>& text) override {
        using namespace std::string_view_literals;
        is_between_ = false;
        switch (next_) {
            case expected::header:
            case expected::size: return take_size(piece);
            case expected::rest:
                if (std::string_view(piece.data(), 4) != "PPY\0"sv) return 0;
                break;
            case expected::block:
                if (!unpack(piece, text)) return 0;
        }
        is_between_ = true;
        next_ = expected::size;
        return size_size;
    }

    // Where a size would be, another stream may begin with a header of its own.
    std::size_t take_size(std::span<const char> piece) {
        if (std::string_view(piece.data(), 4) == "\x82SNA") {
            next_ = expected::rest;
            return rest_of_header;
        }
        const std::size_t size = number_at(piece, 0, std::endian::big);
        if (next_ == expected::header || size > snappy_max_compressed_length(largest_block)) return 0;
        next_ = expected::block;
        return size;
    }

    [[nodiscard]] static bool unpack(std::span<const char> block, std::vector<char>& text) {
        std::size_t size = 0;
        if (snappy_uncompressed_length(block.data(), block.size(), &size) != SNAPPY_OK || size > largest_block) return false;
        text.resize(size);
        return snappy_uncompress(block.data(), block.size(), text.data(), &size) == SNAPPY_OK && size == text.size();
    }

    expected next_ = expected::header;
};
#endif

}  // namespace

std::unique_ptr<block_codec> make_block_codec([[maybe_unused]] codec kind) {
#if defined(BELLAMY_HAS_LZ4)
    if (kind == codec::lz4) return std::make_unique<lz4_blocks>();
#endif
#if defined(BELLAMY_HAS_SNAPPY)
    if (kind == codec::snappy) return std::make_unique<snappy_blocks>();
#endif
    return nullptr;
}

}  // namespace tools::event_log
