// Walks through a history forward in time and predicts each run from those that had ended before it began.
#include <fmt/format.h>
#include <bellamy/baseline/ernest.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/history.hpp"
#include "support/output_file.hpp"
#include "support/program.hpp"

namespace {

// A run that was predicted, by everyone.
struct tried {
    double measured_s = 0;
    bellamy::prediction known_size{};               // the data size is told
    std::optional<bellamy::prediction> old_size{};  // that of the run before stands in: what a submission knows by itself
    std::optional<double> ernest_s{};
    double last_run_s = 0;
};

struct backtested {
    std::string application{};
    std::size_t runs = 0;
    std::vector<tried> tries{};
    std::size_t refused = 0;
};

[[nodiscard]] bool had_ended(const bellamy::run& past, const bellamy::run& next) {
    return !past.timestamp_s || !next.timestamp_s || *past.timestamp_s + past.runtime_s <= *next.timestamp_s;
}

[[nodiscard]] bellamy::context with_size_of(bellamy::context subject, const bellamy::context& before) {
    for (std::size_t i = 0; i < subject.essential.size(); ++i)
        if (subject.essential[i].role == bellamy::property_role::data_size) subject.essential[i] = before.essential[i];
    return subject;
}

// Learns anew once a tenth more runs have ended; between, the model is conditioned on the new ones.
class walking_model {
public:
    explicit walking_model(std::string name) : name_(std::move(name)) {}

    [[nodiscard]] bellamy::result<bellamy::model> after(const std::vector<bellamy::run>& past) {
        if (!model_ || 10 * past.size() >= 11 * learnt_) {
            model_ = tools::learn(past, name_);
            learnt_ = past.size();
            return *model_;
        }
        if (!*model_) return *model_;
        const std::vector<bellamy::run> more(past.begin() + static_cast<std::ptrdiff_t>(learnt_), past.end());
        return more.empty() ? *model_ : (*model_)->condition(more);
    }

private:
    std::string name_;
    std::optional<bellamy::result<bellamy::model>> model_{};
    std::size_t learnt_ = 0;
};

[[nodiscard]] std::optional<tried> predict(const bellamy::model& model, const std::vector<bellamy::run>& past,
                                           const bellamy::run& next) {
    const auto known = model.bind(next.context);
    if (!known) return std::nullopt;
    tried made{.measured_s = next.runtime_s, .known_size = known->at(next.scale_out), .last_run_s = past.back().runtime_s};
    if (!made.known_size.usable()) return std::nullopt;
    if (const auto old = model.bind(with_size_of(next.context, past.back().context)))
        made.old_size = old->at(next.scale_out);
    std::vector<bellamy::run> ended;
    for (const auto& each : past)
        if (!each.censored) ended.push_back(each);
    if (const auto ernest = bellamy::baseline::ernest(ended)) made.ernest_s = ernest->at(next.scale_out).median_s;
    return made;
}

// Runs that failed or were killed are learned from, as lower bounds, and not predicted: nobody knows how long they would
// take.
[[nodiscard]] backtested walk(const tools::application_history& history) {
    backtested made{.application = history.name, .runs = history.runs.size()};
    walking_model model(history.name);
    for (const auto& next : history.runs) {
        std::vector<bellamy::run> past;
        for (const auto& each : history.runs)
            if (&each < &next && had_ended(each, next)) past.push_back(each);
        if (next.censored || std::all_of(past.begin(), past.end(), [](const auto& each) { return each.censored; })) continue;
        const auto learnt = model.after(past);
        const auto one = learnt ? predict(*learnt, past, next) : std::nullopt;
        if (one) {
            made.tries.push_back(*one);
        } else {
            ++made.refused;
        }
    }
    return made;
}

[[nodiscard]] double median(std::vector<double> values) {
    if (values.empty()) return std::nan("");
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

struct score {
    std::size_t predicted = 0;
    double known_size = 0;
    double old_size = 0;
    double ernest = 0;
    double last_run = 0;
    double covered = 0;  // by the central 90 %
};

// Median relative errors.
[[nodiscard]] score score_of(const std::vector<tried>& tries) {
    score made{.predicted = tries.size()};
    std::vector<double> known;
    std::vector<double> old;
    std::vector<double> ernest;
    std::vector<double> last;
    double covered = 0;
    for (const auto& each : tries) {
        const auto error = [&](double predicted_s) { return std::abs(predicted_s - each.measured_s) / each.measured_s; };
        known.push_back(error(each.known_size.median_s));
        if (each.old_size && each.old_size->usable()) old.push_back(error(each.old_size->median_s));
        if (each.ernest_s) ernest.push_back(error(*each.ernest_s));
        last.push_back(error(each.last_run_s));
        const auto range = each.known_size.interval_s(0.9);
        if (range.low_s <= each.measured_s && each.measured_s <= range.high_s) ++covered;
    }
    made.known_size = median(known);
    made.old_size = median(old);
    made.ernest = median(ernest);
    made.last_run = median(last);
    made.covered = tries.empty() ? std::nan("") : covered / static_cast<double>(tries.size());
    return made;
}

[[nodiscard]] std::string percent(double share) { return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "-"; }

[[nodiscard]] std::string escaped(const std::string& text) {
    std::string made;
    for (const char c : text) {
        switch (c) {
            case '<': made += "&lt;"; break;
            case '>': made += "&gt;"; break;
            case '&': made += "&amp;"; break;
            case '"': made += "&quot;"; break;
            default: made += c;
        }
    }
    return made;
}

// Predicted over measured runtimes, both axes logarithmic from the shortest to the longest; the bars hold 90 %.
[[nodiscard]] std::string picture_of(const backtested& of) {
    double low = 1e300;
    double high = 0;
    for (const auto& each : of.tries) {
        const auto range = each.known_size.interval_s(0.9);
        low = std::min({low, each.measured_s, range.low_s});
        high = std::max({high, each.measured_s, range.high_s});
    }
    low = std::max(low, 1e-3) / 1.1;
    high *= 1.1;
    constexpr double size = 360;
    const auto place = [&](double seconds) { return size * std::log(seconds / low) / std::log(high / low); };
    auto svg = fmt::format(
        "<svg role=\"img\" viewBox=\"-60 -10 {0} {1}\" width=\"{0}\"><title>Predicted over measured runtimes of {2}</title>"
        "<rect width=\"{3}\" height=\"{3}\" fill=\"none\" stroke=\"#888\"/>"
        "<line x1=\"0\" y1=\"{3}\" x2=\"{3}\" y2=\"0\" stroke=\"#888\" stroke-dasharray=\"4\"/>",
        size + 80, size + 60, escaped(of.application), size);
    for (const auto& each : of.tries) {
        const auto range = each.known_size.interval_s(0.9);
        const double x = place(each.measured_s);
        svg += fmt::format(
            "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#9bd\"/>"
            "<circle cx=\"{0:.1f}\" cy=\"{3:.1f}\" r=\"3\" fill=\"#036\"/>",
            x, size - place(std::max(range.low_s, low)), size - place(range.high_s), size - place(each.known_size.median_s));
    }
    for (const double tick : {low * 1.1, std::sqrt(low * high), high / 1.1})
        svg += fmt::format(
            "<text x=\"{0:.1f}\" y=\"{1}\" text-anchor=\"middle\">{2:.3g} s</text>"
            "<text x=\"-6\" y=\"{3:.1f}\" text-anchor=\"end\">{2:.3g} s</text>",
            place(tick), size + 18, tick, size - place(tick) + 4);
    return svg + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">measured</text></svg>", size / 2, size + 40);
}

[[nodiscard]] std::string cells(const std::string& name, std::size_t runs, const score& of) {
    return fmt::format("<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                       escaped(name), runs, of.predicted, percent(of.known_size), percent(of.old_size), percent(of.ernest),
                       percent(of.last_run), percent(of.covered));
}

[[nodiscard]] std::string page_of(const std::vector<backtested>& all, const std::string& overall) {
    std::string page =
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Back-test</title><style>body{font:15px sans-serif;"
        "margin:2em;max-width:60em}table{border-collapse:collapse}td,th{padding:.3em "
        ".8em;text-align:right;border-bottom:1px "
        "solid #ddd}th:first-child{text-align:left}svg text{font:11px sans-serif}</style><h1>Back-test</h1><p>Each run is "
        "predicted from those that had ended before it began. Errors are medians of |predicted - measured| / measured.</p>"
        "<table><tr><th>application</th><th>runs</th><th>predicted</th><th>error, data size known</th><th>error, size of "
        "the "
        "run before</th><th>Ernest</th><th>last run</th><th>within the 90 % interval</th></tr>";
    for (const auto& each : all) page += cells(each.application, each.runs, score_of(each.tries));
    page += overall + "</table>";
    for (const auto& each : all)
        if (!each.tries.empty()) page += fmt::format("<h2>{}</h2>{}", escaped(each.application), picture_of(each));
    return page + "</html>\n";
}

void print_row(const std::string& name, std::size_t runs, const score& of) {
    fmt::print("{:<32.32} {:>5} {:>9} {:>10} {:>10} {:>10} {:>10} {:>8}\n", name, runs, of.predicted, percent(of.known_size),
               percent(of.old_size), percent(of.ernest), percent(of.last_run), percent(of.covered));
}

void run(const std::string& history, const std::string& html) {
    if (!html.empty()) tools::require_writable(html);
    std::vector<backtested> all;
    for (const auto& each : tools::read_history(history)) all.push_back(walk(each));
    fmt::print("{:<32} {:>5} {:>9} {:>10} {:>10} {:>10} {:>10} {:>8}\n", "application", "runs", "predicted", "bellamy",
               "old size", "Ernest", "last run", "in 90 %");
    std::vector<tried> together;
    std::size_t runs = 0;
    for (const auto& each : all) {
        print_row(each.application, each.runs, score_of(each.tries));
        together.insert(together.end(), each.tries.begin(), each.tries.end());
        runs += each.runs;
    }
    print_row("all", runs, score_of(together));
    fmt::print("Errors are medians of |predicted - measured| / measured; old size: with the data size of the run before.\n");
    if (!html.empty()) tools::write_file(html, page_of(all, cells("all", runs, score_of(together))));
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Tells how right bellamy would have been on the runs of a history.", "backtest");
    std::string history;
    std::string html;
    app.add_option("history", history,
                   "Folder of Spark event logs or of trace files, a trace file, or a table that import_logs wrote")
        ->required();
    app.add_option("--html", html, "Page to write, with a picture for each application; it needs nothing beside it");
    return tools::run_program(app, argc, argv, [&] { run(history, html); });
}
