#include "http_client.hpp"

#include <fmt/format.h>

#include "tool_error.hpp"

#ifdef BELLAMY_HAS_CURL
#include <curl/curl.h>

#include <array>
#include <exception>
#endif

namespace tools {

std::string beginning_of(std::string_view answer) {
    constexpr std::size_t most = 80;
    std::string made;
    for (const char c : answer.substr(0, most)) {
        const bool is_blank = static_cast<unsigned char>(c) <= 0x20;
        if (!is_blank) made += static_cast<unsigned char>(c) < 0x7F ? c : '?';
        if (is_blank && !made.empty() && made.back() != ' ') made += ' ';
    }
    return made + (answer.size() > most ? "..." : "");
}

#ifdef BELLAMY_HAS_CURL

struct http_client::connection {
    CURL* handle = curl_easy_init();
    std::array<char, CURL_ERROR_SIZE> words{};
    // Of the answer that is being read:
    const reader* read = nullptr;
    std::int64_t left = 0;
    std::int64_t most = 0;
    std::string other{};  // the beginning of what has another status
    std::string stopped{};
    std::exception_ptr problem{};

    connection() = default;
    connection(connection&&) = delete;
    ~connection() { curl_easy_cleanup(handle); }

    [[nodiscard]] long status() const {
        long code = 0;
        curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
        return code;
    }
    bool take(std::string_view bytes);
    [[nodiscard]] std::string in_words(CURLcode code) const;
    [[nodiscard]] http_result result_of(CURLcode code) const;
};

namespace {

constexpr long connect_s = 30;
constexpr long stall_s = 120;  // a history server may have to look up what it answers
constexpr long ok = 200;

[[nodiscard]] bool is_unreachable(CURLcode code) noexcept {
    return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
           code == CURLE_OPERATION_TIMEDOUT;
}

[[nodiscard]] bool is_broken(CURLcode code) noexcept {
    return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING;
}

[[nodiscard]] bool may_pass(long status) noexcept {
    constexpr long timeout = 408;
    constexpr long too_many = 429;
    constexpr long servers = 500;
    return status >= servers || status == timeout || status == too_many;
}

}  // namespace

bool http_client::connection::take(std::string_view bytes) {
    constexpr std::size_t shown = 200;
    if (status() != ok) {
        other.append(bytes.substr(0, shown - other.size()));
        return other.size() < shown;
    }
    left -= static_cast<std::int64_t>(bytes.size());
    if (left < 0) stopped = fmt::format("more than {} MB", most >> 20U);
    if (stopped.empty()) stopped = (*read)(bytes);
    return stopped.empty();
}

std::string http_client::connection::in_words(CURLcode code) const {
    return words.front() != '\0' ? beginning_of(words.data()) : curl_easy_strerror(code);
}

http_result http_client::connection::result_of(CURLcode code) const {
    if (!stopped.empty()) return {http_end::refused, stopped};
    if (code == CURLE_FILESIZE_EXCEEDED) return {http_end::refused, fmt::format("more than {} MB", most >> 20U)};
    if (is_unreachable(code)) return {http_end::unreachable, in_words(code)};
    if (is_broken(code)) return {http_end::broken, in_words(code)};
    if (code != CURLE_OK && code != CURLE_WRITE_ERROR) return {http_end::refused, in_words(code)};
    if (const auto found = status(); found != ok)
        return {may_pass(found) ? http_end::broken : http_end::refused,
                fmt::format("status {}{}{}", found, other.empty() ? "" : ": ", beginning_of(other))};
    return {};
}

http_client::http_client() : connection_(std::make_unique<connection>()) {
    auto* const handle = connection_->handle;
    if (handle == nullptr) throw std::bad_alloc();
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, connection_->words.data());
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "bellamy");
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, connect_s);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, stall_s);
    curl_easy_setopt(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(handle, CURLOPT_MAXREDIRS, 5L);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    // What is thrown must not pass through a library of C.
    const curl_write_callback take = [](char* bytes, std::size_t, std::size_t size, void* to) noexcept -> std::size_t {
        auto& at = *static_cast<connection*>(to);
        try {
            return at.take({bytes, size}) ? size : 0;
        } catch (...) {
            at.problem = std::current_exception();
            return 0;
        }
    };
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, connection_.get());
}

http_result http_client::get(const std::string& address, std::int64_t most_bytes, const reader& read) {
    auto& at = *connection_;
    at.read = &read;
    at.left = at.most = most_bytes;
    at.other.clear();
    at.stopped.clear();
    at.problem = nullptr;
    at.words.front() = '\0';
    curl_easy_setopt(at.handle, CURLOPT_URL, address.c_str());
    curl_easy_setopt(at.handle, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(most_bytes));
    const auto code = curl_easy_perform(at.handle);
    if (at.problem) std::rethrow_exception(at.problem);
    return at.result_of(code);
}

#else

struct http_client::connection {};

http_client::http_client() {
    throw tool_error("not_built_in",
                     "expected a program built with libcurl, which --history-server needs, found one built without it, as "
                     "that of the Python package is (Debian: "
                     "apt-get install libcurl4-openssl-dev, and build it again)");
}

http_result http_client::get(const std::string&, std::int64_t, const reader&) { return {}; }

#endif

http_client::~http_client() = default;

}  // namespace tools
