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

#include "../bench/support/boosting.hpp"
#include "support/history.hpp"
#include "support/next_size.hpp"
#include "support/output_file.hpp"
#include "support/program.hpp"

namespace {

// A run that was predicted, by everyone.
struct tried {
    double measured_s = 0;
    bellamy::prediction predicted{};  // by what a submission knows: the data size is forecast, and integrated over
    std::optional<bellamy::prediction> size_told{};
    std::optional<double> ernest_s{};
    std::optional<double> boosting_s{};
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

// Gradient boosting over the runs that ended; learns anew as the model does, because trees cannot be conditioned.
class walking_trees {
public:
    [[nodiscard]] std::optional<double> predict(const std::vector<bellamy::run>& ended, const bellamy::context& subject,
                                                int scale_out) {
        if (!bench::boosting_missing.empty() || ended.size() < 2) return std::nullopt;
        if (!trees_ || 10 * ended.size() >= 11 * learnt_) {
            trees_.reset();
            history_.emplace(ended, 1);
            trees_.emplace(history_->with({}));
            learnt_ = ended.size();
        }
        return (*trees_)(subject, scale_out);
    }

private:
    std::optional<bench::boosting> history_{};
    std::optional<bench::boosted_trees> trees_{};  // refers to the history
    std::size_t learnt_ = 0;
};

// The run's context but for its size, which is not known before it.
[[nodiscard]] bellamy::context with_middle_size(bellamy::context subject, const tools::next_size& size) {
    for (auto& each : subject.essential)
        if (each.role == bellamy::property_role::data_size && size.middle_mb())
            each.value = static_cast<std::uint64_t>(*size.middle_mb());
    return subject;
}

[[nodiscard]] std::optional<tried> predict(const bellamy::model& model, walking_trees& trees,
                                           const std::vector<bellamy::run>& past, const bellamy::run& next) {
    const auto size = tools::forecast_size(past);
    const auto runtimes = tools::bind_next(model, next.context, size);
    if (!runtimes) return std::nullopt;
    tried made{.measured_s = next.runtime_s, .predicted = runtimes->at(next.scale_out), .last_run_s = past.back().runtime_s};
    if (!made.predicted.usable()) return std::nullopt;
    if (const auto told = model.bind(next.context)) made.size_told = told->at(next.scale_out);
    std::vector<bellamy::run> ended;
    for (const auto& each : past)
        if (!each.censored) ended.push_back(each);
    if (const auto ernest = bellamy::baseline::ernest(ended)) made.ernest_s = ernest->at(next.scale_out).median_s;
    made.boosting_s = trees.predict(ended, with_middle_size(next.context, size), next.scale_out);
    return made;
}

// Runs that failed or were killed are learned from, as lower bounds, and not predicted: nobody knows how long they would
// take.
[[nodiscard]] backtested walk(const tools::application_history& history) {
    backtested made{.application = history.name, .runs = history.runs.size()};
    walking_model model(history.name);
    walking_trees trees;
    for (const auto& next : history.runs) {
        std::vector<bellamy::run> past;
        for (const auto& each : history.runs)
            if (&each < &next && had_ended(each, next)) past.push_back(each);
        if (next.censored || std::all_of(past.begin(), past.end(), [](const auto& each) { return each.censored; })) continue;
        const auto learnt = model.after(past);
        const auto one = learnt ? predict(*learnt, trees, past, next) : std::nullopt;
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
    double error = 0;
    double size_told = 0;
    double ernest = 0;
    double boosting = 0;
    double last_run = 0;
    double covered = 0;  // by the central 90 %
    double kept = 0;     // within the 90 % quantile, as if that had been promised
};

// Median relative errors.
[[nodiscard]] score score_of(const std::vector<tried>& tries) {
    score made{.predicted = tries.size()};
    std::vector<double> own;
    std::vector<double> told;
    std::vector<double> ernest;
    std::vector<double> boosting;
    std::vector<double> last;
    double covered = 0;
    double kept = 0;
    for (const auto& each : tries) {
        const auto error = [&](double predicted_s) { return std::abs(predicted_s - each.measured_s) / each.measured_s; };
        own.push_back(error(each.predicted.median_s));
        if (each.size_told && each.size_told->usable()) told.push_back(error(each.size_told->median_s));
        if (each.ernest_s) ernest.push_back(error(*each.ernest_s));
        if (each.boosting_s) boosting.push_back(error(*each.boosting_s));
        last.push_back(error(each.last_run_s));
        const auto range = each.predicted.interval_s(0.9);
        if (range.low_s <= each.measured_s && each.measured_s <= range.high_s) ++covered;
        if (each.measured_s <= each.predicted.quantile_s(0.9)) ++kept;
    }
    made.error = median(own);
    made.size_told = median(told);
    made.ernest = median(ernest);
    made.boosting = median(boosting);
    made.last_run = median(last);
    const auto tried_runs = static_cast<double>(tries.size());
    made.covered = tries.empty() ? std::nan("") : covered / tried_runs;
    made.kept = tries.empty() ? std::nan("") : kept / tried_runs;
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

// Predicted over measured runtimes, both axes logarithmic; the bars hold 90 %, and end with the picture.
[[nodiscard]] std::string picture_of(const backtested& of) {
    double low = 1e300;
    double high = 0;
    for (const auto& each : of.tries) {  // the first intervals are far wider than what is of interest
        low = std::min({low, each.measured_s, each.predicted.median_s});
        high = std::max({high, each.measured_s, each.predicted.median_s});
    }
    low = std::max(low, 1e-3);
    const double margin = std::max(1.1, std::pow(high / low, 0.25));
    low /= margin;
    high *= margin;
    constexpr double size = 360;
    const auto place = [&](double seconds) { return size * std::log(seconds / low) / std::log(high / low); };
    const auto now = score_of(of.tries);
    auto svg = fmt::format(
        "<svg role=\"img\" viewBox=\"-80 -10 {0} {1}\" width=\"{0}\" aria-label=\"Predicted over measured runtimes of {2}\">"
        "<title>Predicted over measured runtimes of {2}</title><desc>{3} runs; median error {4}, {5} of them within the 90 "
        "% "
        "interval; points on the dashed line were predicted exactly.</desc>"
        "<rect width=\"{6}\" height=\"{6}\" fill=\"none\" stroke=\"#888\"/>"
        "<line x1=\"0\" y1=\"{6}\" x2=\"{6}\" y2=\"0\" stroke=\"#888\" stroke-dasharray=\"4\"/>",
        size + 100, size + 60, escaped(of.application), of.tries.size(), percent(now.error), percent(now.covered), size);
    for (const auto& each : of.tries) {
        const auto range = each.predicted.interval_s(0.9);
        const double x = place(each.measured_s);
        svg += fmt::format(
            "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#9bd\"/>"
            "<circle cx=\"{0:.1f}\" cy=\"{3:.1f}\" r=\"3\" fill=\"#036\"/>",
            x, size - place(std::max(range.low_s, low)), size - place(std::min(range.high_s, high)),
            size - place(each.predicted.median_s));
    }
    for (const double tick : {low * margin, std::sqrt(low * high), high / margin})
        svg += fmt::format(
            "<text x=\"{0:.1f}\" y=\"{1}\" text-anchor=\"middle\">{2}</text>"
            "<text x=\"-6\" y=\"{3:.1f}\" text-anchor=\"end\">{2}</text>",
            place(tick), size + 18, tick < 100 ? fmt::format("{:.3g}", tick) : fmt::format("{:.0f}", tick),
            size - place(tick) + 4);
    return svg + fmt::format(
                     "<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\">measured (s, logarithmic)</text>"
                     "<text transform=\"translate(-58 {0}) rotate(-90)\" text-anchor=\"middle\">predicted (s, "
                     "logarithmic): median, 90 % interval</text></svg>",
                     size / 2, size + 40);
}

[[nodiscard]] std::vector<std::string> columns_of(const score& of) {
    return {percent(of.error),    percent(of.size_told), percent(of.ernest), percent(of.boosting),
            percent(of.last_run), percent(of.covered),   percent(of.kept)};
}

[[nodiscard]] std::string cells(const std::string& name, std::size_t runs, const score& of) {
    auto row = fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td>", escaped(name), runs, of.predicted);
    for (const auto& each : columns_of(of)) row += "<td>" + each + "</td>";
    return row + "</tr>";
}

[[nodiscard]] std::string page_of(const std::vector<backtested>& all, const std::string& overall) {
    std::string page =
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
        "<title>Back-test</title><style>body{font:15px sans-serif;margin:2em;max-width:80em}table{border-collapse:collapse}"
        "td,th{padding:.3em .8em;text-align:right;white-space:nowrap;border-bottom:1px solid "
        "#ddd}th:first-child{text-align:left}"
        "svg text{font:11px sans-serif}figure{display:inline-block;margin:1em}</style><h1>Back-test</h1><p>Each run is "
        "predicted from those that had ended before it began. What a submission does not know, the data size, is forecast "
        "from past sizes and integrated over; beside it the errors had the size been told. Errors are medians of "
        "|predicted - measured| / measured. <i>Kept</i>: runs no longer than the 90 % quantile, which would have been "
        "promised.</p><table><tr><th>application</th><th>runs</th><th>predicted</th><th>bellamy</th><th>size told</th>"
        "<th>Ernest</th><th>gradient boosting</th><th>last run</th><th>within 90 %</th><th>kept</th></tr>";
    for (const auto& each : all) page += cells(each.application, each.runs, score_of(each.tries));
    page += overall + "</table>";
    for (const auto& each : all)
        if (!each.tries.empty())
            page +=
                fmt::format("<figure><figcaption>{}</figcaption>{}</figure>", escaped(each.application), picture_of(each));
    return page + "</html>\n";
}

void print_row(const std::string& name, std::size_t runs, const score& of) {
    fmt::print("{:<32.32} {:>5} {:>9}", name, runs, of.predicted);
    for (const auto& each : columns_of(of)) fmt::print(" {:>9}", each);
    fmt::print("\n");
}

void run(const std::string& history, bool skip_invalid, const std::string& html) {
    if (!html.empty()) tools::require_writable(html);
    const auto found = tools::read_history(history, skip_invalid);
    tools::tell_skipped(found);
    std::vector<backtested> all;
    for (const auto& each : found.applications) all.push_back(walk(each));
    fmt::print("{:<32} {:>5} {:>9}", "application", "runs", "predicted");
    for (const char* column : {"bellamy", "size told", "Ernest", "boosting", "last run", "in 90 %", "kept"})
        fmt::print(" {:>9}", column);
    fmt::print("\n");
    std::vector<tried> together;
    std::size_t runs = 0;
    for (const auto& each : all) {
        print_row(each.application, each.runs, score_of(each.tries));
        together.insert(together.end(), each.tries.begin(), each.tries.end());
        runs += each.runs;
    }
    print_row("all", runs, score_of(together));
    fmt::print(
        "Errors are medians of |predicted - measured| / measured. Data sizes are forecast from past ones, or told. In 90 %: "
        "runs within the central 90 % interval; kept: no longer than the 90 % quantile.\n");
    if (!bench::boosting_missing.empty()) fmt::print("Gradient boosting is left out: {}.\n", bench::boosting_missing);
    if (!html.empty()) tools::write_file(html, page_of(all, cells("all", runs, score_of(together))));
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Tells how right bellamy would have been on the runs of a history.", "backtest");
    std::string history;
    std::string html;
    bool skip_invalid = false;
    app.add_option("history", history,
                   "Folder of Spark event logs or of trace files, a trace file, or a table that import_logs wrote")
        ->required();
    app.add_option("--html", html, "Page to write, with a picture for each application; it needs nothing beside it");
    app.add_flag("--skip-invalid", skip_invalid, "Leave rows of a table out that cannot be used, and tell them");
    return tools::run_program(app, argc, argv, [&] { run(history, skip_invalid, html); });
}
