// Reads the jobs that arrive and end, and the hourly prices of sites, from tables of text.
#ifndef BELLAMY_EXAMPLES_PLACEMENT_ARRIVALS_HPP
#define BELLAMY_EXAMPLES_PLACEMENT_ARRIVALS_HPP

#include <bellamy/detail/base/nearest_name.hpp>
#include <bellamy/placement/job_graph.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bad_rows.hpp"
#include "parse.hpp"
#include "placement_json.hpp"
#include "table.hpp"

namespace tools {

/// A job that takes its slots from one hour to another, the latter not included.
struct arriving_job {
    std::string name{};
    bellamy::placement::job_graph graph{};
    int arrives_h = 0;
    int ends_h = 0;
};

/// Prices per kWh by hour, then by site. One row holds always, 24 rows repeat every day.
struct hourly_prices {
    std::size_t sites = 0;
    std::vector<double> prices{};

    [[nodiscard]] std::size_t hours() const noexcept { return prices.size() / sites; }
    [[nodiscard]] bool repeats() const noexcept { return hours() == 1 || hours() == 24; }
    [[nodiscard]] double at(int hour, std::size_t site) const noexcept {
        return prices[static_cast<std::size_t>(hour) % hours() * sites + site];
    }
    [[nodiscard]] double largest(std::size_t site) const noexcept {
        double most = 0;
        for (std::size_t i = site; i < prices.size(); i += sites) most = std::max(most, prices[i]);
        return most;
    }
};

inline constexpr int most_hours = 1'000'000;

namespace detail {

[[nodiscard]] inline int hour_in(const table& all, const table_row& row, std::size_t column) {
    const auto where = all.where(row, column);
    const int hour = to_whole(row.cells[column], where);
    if (hour < 0 || hour > most_hours)
        throw tool_error("cannot_read",
                         fmt::format("expected an hour from 0 to {} in {}, found {}", most_hours, where, hour));
    return hour;
}

[[nodiscard]] inline bellamy::placement::job_graph graph_of_shape(std::string_view shape, std::uint32_t tasks,
                                                                  double traffic, const std::string& where) {
    using bellamy::placement::job_graph;
    const auto graph = [&]() -> bellamy::result<job_graph> {
        if (shape == "path") return job_graph::path(tasks);
        if (shape == "star") return job_graph::star(tasks);
        if (shape == "cycle") return job_graph::cycle(tasks);
        if (shape == "complete") return job_graph::complete(tasks);
        throw tool_error("cannot_read",
                         fmt::format("expected path, star, cycle or complete in {}, found \"{}\"", where, shape));
    };
    const auto without_traffic = graph_at(where, graph());
    std::vector<bellamy::placement::task_edge> edges(without_traffic.edges().begin(), without_traffic.edges().end());
    for (auto& edge : edges) edge.traffic = traffic;
    return graph_at(where, job_graph::make(tasks, edges));
}

/// Reads one row of arrivals.
class arrival_reader {
public:
    explicit arrival_reader(const table& all)
        : all_(all),
          job_(all.column("job")),
          arrives_(all.column("arrives_h")),
          ends_(all.column("ends_h")),
          tasks_(all.column("tasks")),
          shape_(all.column("shape")),
          traffic_(all.find("traffic")) {}

    [[nodiscard]] arriving_job read(const table_row& row) {
        const auto [first, is_new] = first_line_.emplace(row.cells[job_], row.line);
        if (!is_new)
            throw tool_error("duplicate_job", fmt::format("expected every job once in {}, found \"{}\" in lines {} and {}",
                                                          all_.path, row.cells[job_], first->second, row.line));
        arriving_job job{
            .name = row.cells[job_], .arrives_h = hour_in(all_, row, arrives_), .ends_h = hour_in(all_, row, ends_)};
        if (job.ends_h <= job.arrives_h)
            throw tool_error("invalid_times",
                             fmt::format("expected an end after the arrival in line {} of {}, found hour {} "
                                         "after hour {}",
                                         row.line, all_.path, job.ends_h, job.arrives_h));
        const int tasks = to_whole(row.cells[tasks_], all_.where(row, tasks_));
        if (tasks < 1 || tasks > static_cast<int>(bellamy::placement::job_graph::most_tasks))
            throw tool_error("invalid_job_graph",
                             fmt::format("expected 1 to {} tasks in {}, found {}", bellamy::placement::job_graph::most_tasks,
                                         all_.where(row, tasks_), tasks));
        const double traffic = traffic_ ? to_real(row.cells[*traffic_], all_.where(row, *traffic_)) : 0;
        if (!(traffic >= 0 && traffic <= 1e100))
            throw tool_error("invalid_job_graph", fmt::format("expected a rate of at least 0 in {}, found {}",
                                                              all_.where(row, *traffic_), traffic));
        job.graph = graph_of_shape(row.cells[shape_], static_cast<std::uint32_t>(tasks), traffic, all_.where(row, shape_));
        return job;
    }

private:
    const table& all_;
    std::size_t job_;
    std::size_t arrives_;
    std::size_t ends_;
    std::size_t tasks_;
    std::size_t shape_;
    std::optional<std::size_t> traffic_;
    std::map<std::string, std::size_t> first_line_{};
};

}  // namespace detail

/// The jobs of a table with the columns job, arrives_h, ends_h, tasks, shape and, where edges have a rate, traffic; by
/// arrival. All bad rows are named at once, by their lines. Errors: those of read_table, unknown_column, duplicate_job,
/// invalid_times, invalid_job_graph, not_a_number, cannot_read.
[[nodiscard]] inline std::vector<arriving_job> read_arrivals(const std::string& path) {
    bad_rows bad;
    const auto all = read_table(path, bad);
    detail::arrival_reader reader(all);
    std::vector<arriving_job> jobs;
    for (const auto& row : all.rows) try {
            jobs.push_back(reader.read(row));
        } catch (const tool_error& problem) {
            bad.add(problem);
        }
    bad.require_none();
    if (jobs.empty()) throw tool_error("empty_table", fmt::format("expected a job in {}, found none", path));
    std::ranges::stable_sort(jobs, {}, &arriving_job::arrives_h);
    return jobs;
}

namespace detail {

[[nodiscard]] inline std::string meant(const std::string& known) {
    return known.empty() ? known : fmt::format("; did you mean \"{}\"?", known);
}

/// The column of each site.
[[nodiscard]] inline std::vector<std::size_t> site_columns(const table& all, const std::vector<std::string>& sites) {
    for (const auto& column : all.columns)
        if (column != "hour" && std::ranges::find(sites, column) == sites.end())
            throw tool_error(
                "unknown_site",
                fmt::format("expected hour and the {} sites as columns in line 1 of {}, found \"{}\"{}", sites.size(),
                            all.path, column, meant(bellamy::detail::nearest_name(column, sites))));
    std::vector<std::size_t> columns;
    for (const auto& site : sites) columns.push_back(all.column(site));
    return columns;
}

}  // namespace detail

/// Prices of a table with the column hour, counted from 0 without a gap, and a column for each site, until the last hour
/// in which a job runs. Errors: those of read_table, unknown_column, unknown_site, missing_price, invalid_price,
/// not_a_number.
[[nodiscard]] inline hourly_prices read_prices(const std::string& path, const std::vector<std::string>& sites, int last_h) {
    bad_rows bad;
    const auto all = read_table(path, bad);
    const auto hour_column = all.column("hour");
    const auto columns = detail::site_columns(all, sites);
    hourly_prices read{.sites = sites.size()};
    for (std::size_t i = 0; i < all.rows.size(); ++i) try {
            const auto& row = all.rows[i];
            if (detail::hour_in(all, row, hour_column) != static_cast<int>(i))
                throw tool_error("missing_price", fmt::format("expected hour {} in line {} of {}, found {}", i, row.line,
                                                              path, row.cells[hour_column]));
            for (const auto column : columns) {
                if (row.cells[column].empty())
                    throw tool_error("missing_price",
                                     fmt::format("expected a price in {}, found none", all.where(row, column)));
                const double price = to_real(row.cells[column], all.where(row, column));
                if (!(price >= 0 && price <= 1e100))
                    throw tool_error("invalid_price", fmt::format("expected a price of at least 0 in {}, found {}",
                                                                  all.where(row, column), row.cells[column]));
                read.prices.push_back(price);
            }
        } catch (const tool_error& problem) {
            bad.add(problem);
            break;  // a missing hour shifts all that follow
        }
    bad.require_none();
    if (read.prices.empty()) throw tool_error("empty_table", fmt::format("expected prices in {}, found none", path));
    if (!read.repeats() && read.hours() < static_cast<std::size_t>(last_h))
        throw tool_error("missing_price", fmt::format("expected prices of 1 hour, of 24, or of all {} in {}, found {}",
                                                      last_h, path, read.hours()));
    return read;
}

}  // namespace tools

#endif
