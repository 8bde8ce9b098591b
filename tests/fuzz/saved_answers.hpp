// Any bytes as answers of Spark's /api/v1: the list of applications, and what is told of one of them, an answer on each
// line.
#ifndef BELLAMY_TESTS_FUZZ_SAVED_ANSWERS_HPP
#define BELLAMY_TESTS_FUZZ_SAVED_ANSWERS_HPP

#include <filesystem>
#include <vector>

#include "../../examples/support/event_log/history_server.hpp"
#include "event_log.hpp"

namespace fuzz {

inline void check_refusal(const tools::tool_error& refused) {
    require(std::string_view(refused.what()).find("expected ") != std::string_view::npos,
            "a refusal says what was expected");
}

inline void list_applications(const std::string& text) {
    using namespace tools::event_log;
    try {
        for (const auto& each : read_applications(text))
            require(!is_plain_id(each.id) || std::filesystem::path(each.id).filename() == each.id,
                    "no id leads out of the folder");
    } catch (const tools::tool_error& refused) {
        check_refusal(refused);
    }
}

inline void try_saved_answers(bytes all) {
    const std::string text(all.begin(), all.end());
    list_applications(text);
    std::vector<std::string> answers(1);
    for (const char c : text)
        if (c == '\n')
            answers.emplace_back();
        else
            answers.back() += c;
    tools::event_log::log_reader read;
    try {
        read.take_answers(answers);
    } catch (const tools::tool_error& refused) {
        return check_refusal(refused);
    }
    read.finish();
    require(!facts_of(read).dump().empty(), "what was read has facts");
    if (read.log().application().at) check_run(read);
}

}  // namespace fuzz

#endif
