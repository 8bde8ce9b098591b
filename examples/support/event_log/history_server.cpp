#include "history_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "../http_client.hpp"
#include "../output_file.hpp"
#include "../tool_error.hpp"

namespace tools::event_log {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t longest_list = std::int64_t{64} << 20U;
constexpr int most_retries = 4;

// The applications of the server's API. Error: invalid_option.
[[nodiscard]] std::string api_of(std::string address) {
    if (!address.starts_with("http://") && !address.starts_with("https://"))
        throw tool_error("invalid_option",
                         fmt::format("expected --history-server http://HOST:18080, or https, found {}", address));
    for (const std::string_view end : {"/", "/applications", "/api/v1"})
        while (address.ends_with(end)) address.resize(address.size() - end.size());
    return address + "/api/v1/applications";
}

// As people may see it: without a name and a password.
[[nodiscard]] std::string shown(const std::string& address) {
    const auto host = address.find("://") + 3;
    const auto at = address.substr(0, address.find('/', host)).rfind('@');
    return at == address.npos ? address : address.substr(0, host) + address.substr(at + 1);
}

// The time as Spark reads it. Parts of a second are dropped, so that no application is.
[[nodiscard]] std::string spark_time(double seconds) {
    using namespace std::chrono;
    const sys_seconds at{std::chrono::seconds(static_cast<std::int64_t>(std::floor(seconds)))};
    const auto day = floor<days>(at);
    const year_month_day date(day);
    const hh_mm_ss time(at - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.000GMT", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count());
}

template <class Ask>
[[nodiscard]] http_result ask_again(int retries, const Ask& ask) {
    auto wait = std::chrono::seconds(1);
    auto result = ask();
    for (; retries > 0 && (result.end == http_end::broken || result.end == http_end::unreachable); --retries, wait *= 2) {
        std::this_thread::sleep_for(wait);
        result = ask();
    }
    return result;
}

[[nodiscard]] std::vector<served_application> list_applications(http_client& client, const std::string& api,
                                                                const std::optional<double>& since_s) {
    const auto address = api + (since_s ? "?minDate=" + spark_time(*since_s) : "");
    std::string answer;
    const auto result = ask_again(most_retries, [&] {
        answer.clear();
        return client.get(address, longest_list, [&](std::string_view bytes) {
            answer += bytes;
            return std::string();
        });
    });
    const auto expected = fmt::format("expected a list of applications from Spark's history server at {}", shown(address));
    if (result.end != http_end::whole)
        throw tool_error("no_history_server", fmt::format("{}, found: {}", expected, result.found));
    return read_applications(answer);
}

[[nodiscard]] bool is_object_with_attempts(const nlohmann::json& entry) {
    return entry.is_object() && entry.contains("id") && entry["id"].is_string() && entry.contains("attempts") &&
           entry["attempts"].is_array() && !entry["attempts"].empty();
}

[[nodiscard]] std::int64_t last_update_of(const nlohmann::json& attempts) {
    std::int64_t last = 0;
    for (const auto& each : attempts)
        if (each.is_object() && each.contains("lastUpdatedEpoch") && each["lastUpdatedEpoch"].is_number_integer())
            last = (std::max)(last, each["lastUpdatedEpoch"].get<std::int64_t>());
    return last;
}

// Whether the file has what the server has: files get the time of the server's last update, in seconds.
[[nodiscard]] bool is_present(const std::string& file, std::int64_t updated_at_ms) {
    struct stat found {};
    return ::stat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode) && found.st_mtime >= updated_at_ms / 1000;
}

void set_time(const std::string& file, std::int64_t updated_at_ms) {
    if (updated_at_ms <= 0) return;
    const timespec at{.tv_sec = static_cast<std::time_t>(updated_at_ms / 1000), .tv_nsec = 0};
    const timespec both[] = {at, at};
    (void)::utimensat(AT_FDCWD, file.c_str(), both, 0);  // else it is fetched once more
}

// A zip of logs as it comes: hidden until it is whole.
class arriving_zip {
public:
    explicit arriving_zip(const fs::path& folder, const std::string& id)
        : place_((folder / (id + ".zip")).string()), hidden_((folder / ("." + id + ".zip")).string()) {
        remove();
    }
    arriving_zip(arriving_zip&&) = delete;
    ~arriving_zip() { remove(); }

    [[nodiscard]] const std::string& place() const noexcept { return place_; }

    [[nodiscard]] http_result fetch(http_client& client, const std::string& address, const history_server& server,
                                    std::int64_t updated_at_ms) {
        output_file file(hidden_);
        std::string first_bytes;
        const auto result = client.get(address, server.largest_zip, [&](std::string_view bytes) -> std::string {
            constexpr std::size_t enough = 100;
            file.write(bytes);
            if (first_bytes.size() < enough) first_bytes += bytes.substr(0, enough);
            return first_bytes.size() < 4 || is_zip(first_bytes) ? "" : beginning_of(first_bytes);
        });
        if (result.end != http_end::whole) return result;
        file.close();
        try {
            (void)zip_members(hidden_);
        } catch (const tool_error& problem) {
            const std::string found = problem.what();  // a zip may be cut where the answer does not say its length
            return {found.starts_with("unreadable_archive") ? http_end::broken : http_end::refused, found};
        }
        set_time(hidden_, updated_at_ms);
        std::error_code why;
        fs::rename(hidden_, place_, why);
        if (why) detail::refuse_to_write(place_, why);
        return {};
    }

private:
    void remove() const {
        std::error_code none;
        fs::remove(hidden_, none);
        fs::remove(hidden_ + ".partial", none);
    }

    std::string place_;
    std::string hidden_;
};

void require_folder(const std::string& folder) {
    std::error_code why;
    fs::create_directory(folder, why);
    if (!why && !fs::is_directory(folder, why) && !why) why = std::make_error_code(std::errc::not_a_directory);
    if (why)
        throw tool_error("cannot_write",
                         fmt::format("expected a folder for fetched logs at {}, found: {}", folder, why.message()));
}

// What was fetched so far, and whether more is to be asked for.
class fetching {
public:
    fetching(const history_server& server, std::string folder)
        : server_(server), folder_(std::move(folder)), api_(api_of(server.address)) {}

    [[nodiscard]] std::vector<served_application> list() { return list_applications(client_, api_, server_.since_s); }

    void take(const served_application& one) {
        if (!is_plain_id(one.id))
            return miss(
                beginning_of(one.id),
                "unusual_id: expected an id of letters, digits, '-', '_' and '.', by which a file can be called, found "
                "another");
        arriving_zip zip(folder_, one.id);
        if (is_present(zip.place(), one.updated_at_ms)) {
            ++made_.present;
            return;
        }
        const auto address = fmt::format("{}/{}/logs", api_, one.id);
        const auto expected = fmt::format("not_fetched: expected a zip of logs at {}, found", shown(address));
        if (is_lost_) return miss(one.id, expected + " that the server no longer answers");
        const auto result = ask_again(retries_, [&] { return zip.fetch(client_, address, server_, one.updated_at_ms); });
        if (result.end == http_end::whole) {
            ++made_.fetched;
        } else {
            miss(one.id, fmt::format("{}: {}", expected, result.found));
        }
        is_lost_ = result.end == http_end::unreachable;
        retries_ = result.end == http_end::broken || is_lost_ ? 0 : most_retries;
    }

    [[nodiscard]] std::size_t done() const { return made_.fetched + made_.present + made_.missed.size(); }
    [[nodiscard]] fetched_logs made() && { return std::move(made_); }

private:
    void miss(const std::string& id, std::string problem) {
        made_.missed.push_back({.name = id, .is_claimed = true, .problem = std::move(problem)});
    }

    const history_server& server_;
    std::string folder_;
    http_client client_{};
    std::string api_;
    fetched_logs made_{};
    int retries_ = most_retries;  // none, once they did not help, until the server answers again
    bool is_lost_ = false;
};

}  // namespace

bool is_plain_id(std::string_view id) noexcept {
    constexpr std::size_t longest = 200;
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
    };
    return !id.empty() && id.size() <= longest && id.front() != '.' && std::all_of(id.begin(), id.end(), is_plain);
}

std::vector<served_application> read_applications(std::string_view answer) {
    const auto list = nlohmann::json::parse(answer, nullptr, false);
    if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_object_with_attempts))
        throw tool_error("other_answer",
                         fmt::format("expected a list of applications, each with \"id\" and \"attempts\", as "
                                     "Spark's history server gives it, found {}",
                                     answer.empty() ? "an empty answer" : beginning_of(answer)));
    std::vector<served_application> made;
    std::set<std::string> seen;
    for (const auto& each : list)
        if (auto id = each["id"].get<std::string>(); seen.insert(id).second)
            made.push_back({.id = std::move(id), .updated_at_ms = last_update_of(each["attempts"])});
    std::reverse(made.begin(), made.end());  // the oldest are removed first from servers
    return made;
}

fetched_logs fetch_logs(const history_server& server, const std::string& folder,
                        const std::function<void(std::size_t done, std::size_t of)>& on_progress) {
    fetching fetch(server, folder);
    const auto all = fetch.list();
    require_folder(folder);
    for (const auto& each : all) {
        on_progress(fetch.done(), all.size());
        fetch.take(each);
    }
    return std::move(fetch).made();
}

}  // namespace tools::event_log
