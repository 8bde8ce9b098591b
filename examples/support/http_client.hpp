// Asks servers by HTTP, as streams: nothing of an answer is held but what its reader keeps.
#ifndef BELLAMY_EXAMPLES_HTTP_CLIENT_HPP
#define BELLAMY_EXAMPLES_HTTP_CLIENT_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tools {

enum class http_end {
    whole,
    refused,      // another status, more bytes than may come, or the reader wants no more: asking again would not help
    broken,       // what may pass: a server's error, an answer that ends too soon or stalls
    unreachable,  // what may pass as well: nobody answers there
};

struct http_result {
    http_end end = http_end::whole;
    std::string found{};  // of all but a whole answer, in words
};

/// An answer's beginning as one line of ASCII.
[[nodiscard]] std::string beginning_of(std::string_view answer);

/// One connection at a time, which is kept between requests. Follows five redirections; takes names and passwords of the
/// address or of ~/.netrc, and proxies of the environment.
class http_client {
public:
    /// Takes the next bytes of an answer of status 200. Says in words what was found where no more is wanted.
    using reader = std::function<std::string(std::string_view)>;

    /// Error: not_built_in where the program was built without libcurl.
    http_client();
    http_client(http_client&&) = delete;
    ~http_client();

    /// What `read` throws comes out of it.
    [[nodiscard]] http_result get(const std::string& address, std::int64_t most_bytes, const reader& read);

private:
    struct connection;
    std::unique_ptr<connection> connection_;
};

}  // namespace tools

#endif
