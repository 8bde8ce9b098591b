#include "log_reader.hpp"

#include <algorithm>
#include <utility>

#include "../flink/job_archive.hpp"
#include "saved_answers.hpp"

namespace tools::event_log {

namespace {
constexpr std::size_t enough_for_codec = 8;

// A trace, or three names of columns.
[[nodiscard]] bool is_of_runs(std::string_view first_line) noexcept {
    if (first_line.ends_with('\r')) first_line.remove_suffix(1);
    const auto is_control = [](char c) { return (c >= '\0' && c < ' ' && c != '\t') || c == '\x7F'; };
    if (std::any_of(first_line.begin(), first_line.end(), is_control)) return false;
    if (first_line.starts_with('{')) return first_line.starts_with(R"({"format")");
    const auto has_columns = [&](char delimiter) { return std::count(first_line.begin(), first_line.end(), delimiter) > 1; };
    return has_columns('\t') || has_columns(',') || has_columns(';');
}

}  // namespace

log_reader::log_reader() : lines_([this](std::string_view line) { take_line(line); }, [this] { ++counts_.bad_lines; }) {}
log_reader::~log_reader() = default;

void log_reader::take_line(std::string_view line) {
    counts_.text_bytes += static_cast<std::int64_t>(line.size()) + 1;
    const bool is_first = std::exchange(at_first_line_, false);
    if (is_first && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (is_first && counts_.parts == 1) begins_as_runs_ = is_of_runs(line);
    if (is_first) begins_with_event_ = begins_with_event_ || line.starts_with(R"({"Event":)");
    if (!flink_archive_.empty() || (counts_.parts == 1 && is_first && flink::begins_as_archive(line))) {
        // Of a longer text the rest is dropped: as JSON it is then cut.
        const auto room = line_splitter::longest_line - (std::min)(line_splitter::longest_line, flink_archive_.size());
        flink_archive_.append(line.substr(0, room)).push_back('\n');
        return;
    }
    switch (parser_.parse(line, log_)) {
        case line_kind::event: ++counts_.events; break;
        case line_kind::malformed: ++counts_.bad_lines; break;
        case line_kind::blank: break;
    }
}

void log_reader::begin_part() {
    end_part();
    ++counts_.parts;
    within_part_ = true;
    at_first_line_ = true;
}

bool log_reader::push(std::span<const char> bytes) {
    counts_.bytes += static_cast<std::int64_t>(bytes.size());
    if (unreadable_) return false;
    if (!decoder_) {
        first_bytes_.append(bytes.data(), bytes.size());
        if (first_bytes_.size() < enough_for_codec) return true;
        const auto kind = codec_of(first_bytes_);
        counts_.codecs.insert(kind);
        if (!is_readable(kind)) {
            unreadable_ = kind;
            return false;
        }
        decoder_ = std::make_unique<decoder>(kind, lines_);
        const auto held = std::exchange(first_bytes_, {});
        if (!decoder_->push(held)) counts_.damaged = true;
        return !counts_.damaged;
    }
    if (decoder_->push(bytes)) return true;
    counts_.damaged = true;
    return false;
}

void log_reader::end_part() {
    if (!within_part_) return;
    within_part_ = false;
    if (!first_bytes_.empty() && !unreadable_) {  // a part of less than eight bytes
        const auto held = std::exchange(first_bytes_, {});
        counts_.codecs.insert(codec::plain);
        (void)decoder(codec::plain, lines_).push(held);  // cannot be damaged
    } else if (decoder_ && !decoder_->at_end_of_frame()) {
        counts_.damaged = true;
    }
    first_bytes_.clear();
    decoder_.reset();
    const auto bad_before = counts_.bad_lines;
    const bool cut = lines_.within_line();
    lines_.finish();
    counts_.cut_line = counts_.cut_line || (cut && counts_.bad_lines > bad_before);
}

bool log_reader::looks_like_log() const noexcept {
    if (unreadable_) return *unreadable_ != codec::other;
    const auto has = [&](codec kind) { return counts_.codecs.contains(kind); };
    const bool is_lost =
        counts_.damaged && counts_.text_bytes == 0 && (has(codec::zstd) || has(codec::lz4) || has(codec::snappy));
    return counts_.events > 0 || begins_with_event_ || is_lost;
}

void log_reader::take_answers(std::span<const std::string> texts) {
    for (const auto& each : texts) counts_.text_bytes += static_cast<std::int64_t>(each.size());
    counts_.bytes = counts_.text_bytes;
    counts_.parts = counts_.events = static_cast<std::int64_t>(texts.size());
    counts_.codecs = {codec::plain};
    missing_answers_ = read_answers(texts, log_);
    counts_.part_missing = !missing_answers_.empty();
}

void log_reader::finish() {
    end_part();
    log_.finish();
}

}  // namespace tools::event_log
