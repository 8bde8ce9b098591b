#include "codec.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <new>

#include "block_codec.hpp"

namespace tools::event_log {

std::string_view to_string(codec kind) noexcept {
    switch (kind) {
        case codec::plain: return "plain";
        case codec::gzip: return "gzip";
        case codec::zstd: return "zstd";
        case codec::lz4: return "lz4";
        case codec::snappy: return "snappy";
        case codec::lzf: return "lzf";
        case codec::other: break;
    }
    return "other";
}

codec codec_of(std::string_view first_bytes) noexcept {
    using namespace std::string_view_literals;
    const auto begins = [&](std::string_view magic) { return first_bytes.starts_with(magic); };
    if (begins("\x28\xB5\x2F\xFD"sv)) return codec::zstd;
    if (begins("\x1F\x8B"sv)) return codec::gzip;
    if (begins("LZ4Blo"sv)) return codec::lz4;
    if (begins("\x82SNAPP"sv)) return codec::snappy;
    if (begins("ZV\0"sv) || begins("ZV\1"sv)) return codec::lzf;
    // The framing of their own tools.
    if (begins("\x04\x22\x4D\x18"sv) || begins("\xFF\x06\0\0sN"sv)) return codec::other;
    // A skippable frame of zstd (or lz4): only zstd's own tools put one first.
    if (first_bytes.size() >= 4 && (first_bytes[0] & 0xF0) == 0x50 && first_bytes.substr(1, 3) == "\x2A\x4D\x18"sv)
        return codec::zstd;
    if (begins("BZh"sv) || begins("\xFD\x37zXZ"sv) || begins("PK\x03\x04"sv)) return codec::other;
    return codec::plain;
}

bool is_readable(codec kind) {
    return kind == codec::plain || kind == codec::gzip || kind == codec::zstd || make_block_codec(kind);
}

std::string_view packages_for(codec kind) noexcept {
    if (kind == codec::lz4) return "liblz4-dev libxxhash-dev";
    return kind == codec::snappy ? "libsnappy-dev" : "";
}

struct decoder::state {
    codec kind = codec::plain;
    bool between_frames = true;
    bool damaged = false;
    ZSTD_DStream* zstd = nullptr;
    z_stream gzip{};
    std::unique_ptr<block_codec> blocks{};

    explicit state(codec which) : kind(which) {
        if (kind == codec::zstd && (zstd = ZSTD_createDStream()) == nullptr) throw std::bad_alloc();
        // 15 bits of window, and the header of gzip.
        if (kind == codec::gzip && inflateInit2(&gzip, 15 + 16) != Z_OK) throw std::bad_alloc();
        blocks = make_block_codec(kind);
    }
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() {
        ZSTD_freeDStream(zstd);
        if (kind == codec::gzip) inflateEnd(&gzip);
    }

    bool decode_blocks(std::span<const char> bytes, line_splitter& to) {
        const bool good = blocks->push(bytes, to);
        between_frames = blocks->is_at_end();
        return good;
    }

    bool decode_zstd(std::span<const char> bytes, line_splitter& to) {
        ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
        bool full = false;
        // A full output may hide text that the decoder still holds.
        while (in.pos < in.size || full) {
            const auto room = to.room();
            ZSTD_outBuffer out{room.data(), room.size(), 0};
            const auto left = ZSTD_decompressStream(zstd, &out, &in);
            to.commit(out.pos);
            if (ZSTD_isError(left) != 0) return false;
            between_frames = left == 0;
            full = out.pos == out.size && left != 0;
        }
        return true;
    }

    bool decode_gzip(std::span<const char> bytes, line_splitter& to) {
        gzip.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        gzip.avail_in = static_cast<uInt>(bytes.size());
        bool full = false;
        while (gzip.avail_in > 0 || full) {
            if (between_frames) {
                if (gzip.avail_in == 0) return true;
                if (inflateReset(&gzip) != Z_OK) return false;
                between_frames = false;
            }
            const auto room = to.room();
            const auto size = static_cast<uInt>((std::min<std::size_t>)(room.size(), (std::numeric_limits<uInt>::max)()));
            gzip.next_out = reinterpret_cast<Bytef*>(room.data());
            gzip.avail_out = size;
            const int status = inflate(&gzip, Z_NO_FLUSH);
            to.commit(size - gzip.avail_out);
            full = gzip.avail_out == 0;
            if (status == Z_STREAM_END) {
                between_frames = true;
            } else if (status != Z_OK && status != Z_BUF_ERROR) {
                return false;
            } else if (status == Z_BUF_ERROR && !full) {
                return gzip.avail_in == 0;
            }
        }
        return true;
    }
};

decoder::decoder(codec kind, line_splitter& to) : state_(std::make_unique<state>(kind)), to_(to) {}
decoder::~decoder() = default;

bool decoder::push(std::span<const char> bytes) {
    if (state_->damaged) return false;
    // Blocks of at most 1 GiB: zlib counts in 32 bits.
    constexpr std::size_t block = std::size_t{1} << 30U;
    while (!bytes.empty() && !state_->damaged) {
        const auto part = bytes.first((std::min)(block, bytes.size()));
        bytes = bytes.subspan(part.size());
        switch (state_->kind) {
            case codec::zstd: state_->damaged = !state_->decode_zstd(part, to_); break;
            case codec::gzip: state_->damaged = !state_->decode_gzip(part, to_); break;
            case codec::lz4:
            case codec::snappy: state_->damaged = !state_->decode_blocks(part, to_); break;
            default: to_.append(part);
        }
    }
    return !state_->damaged;
}

bool decoder::at_end_of_frame() const noexcept { return !state_->damaged && state_->between_frames; }

}  // namespace tools::event_log
