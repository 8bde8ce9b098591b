// Draws a run so far, job by job, and the band in which its rest is predicted, through gnuplot.
#ifndef BELLAMY_EXAMPLES_FORECAST_PLOT_HPP
#define BELLAMY_EXAMPLES_FORECAST_PLOT_HPP

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "output_file.hpp"
#include "plot_style.hpp"
#include "run_forecast.hpp"

namespace tools {

namespace detail {

class forecast_script {
public:
    explicit forecast_script(const run_forecast& all) : all_(all) {
        double last_s = std::max(all.elapsed_s, 1.0);
        if (!all.to_come.empty() && all.rest.usable()) last_s += all.rest.interval_s(0.9).high_s;
        if (has_deadline() && all.wanted->deadline_s <= 2 * last_s) last_s = std::max(last_s, all.wanted->deadline_s);
        top_s_ = 1.05 * last_s;
        unit_ = unit_for(last_s);
    }

    [[nodiscard]] std::string text() {
        script_ = fmt::format(
            "set encoding utf8\nset terminal svg noenhanced size 800,520 font 'sans-serif,14' background rgb 'white'\n"
            "set title {}\nset xlabel 'jobs that have ended'\nset ylabel 'time since the start ({})'\n"
            "set xrange [0:{}]\nset yrange [0:{}]\nset tics nomirror out\nset border 3 lw 1\n"
            "set grid y lt 1 lw 1 lc rgb '#E0E0E0'\nset bmargin 7\nset key at screen 0.5, screen 0.12 center top horizontal "
            "samplen 2 width 1\n",
            in_quotes(fmt::format("{}, {} of {} jobs have ended", all_.so_far.application, all_.finished, all_.jobs)),
            unit_.name, static_cast<double>(std::max<std::size_t>(all_.jobs, 1)) + 0.3, shown(top_s_));
        if (all_.jobs <= 20) script_ += "set xtics 1\n";
        add_ended();
        if (!all_.to_come.empty() && all_.rest.usable()) add_rest();
        add_lines();
        script_ += fmt::format("plot {}\n", layers_);
        return script_;
    }

private:
    [[nodiscard]] bool has_deadline() const { return all_.wanted.has_value(); }
    [[nodiscard]] double shown(double time_s) const { return time_s / unit_.seconds; }

    void add_layer(const std::string& what, const std::string& style, const std::string& title) {
        layers_ += fmt::format("{}{} {} title {}", layers_.empty() ? "" : ", ", what, style, in_quotes(title));
    }

    // Painted after the band, so that its last point lies on it.
    void add_ended() {
        script_ += "$ended << EOD\n0 0\n";
        for (std::size_t job = 0; job < all_.finished; ++job)
            script_ += fmt::format("{} {}\n", job + 1, shown(all_.so_far.jobs[job].completed_s.value_or(0)));
        script_ += "EOD\n";
    }

    // The rest in proportion to the medians of the jobs: what is slow stays slow.
    void add_rest() {
        script_ += "$rest << EOD\n";
        const auto add = [&](std::size_t job, double share) {
            script_ += std::to_string(job);
            for (const double p : {0.05, 0.25, 0.5, 0.75, 0.95})
                script_ += fmt::format(" {}", shown(all_.elapsed_s + share * all_.rest.quantile_s(p)));
            script_ += '\n';
        };
        add(all_.finished, 0);
        for (const auto& each : all_.to_come) add(each.job + 1, each.share_of_rest);
        script_ += "EOD\n";
        const auto band = [](std::string_view rgb) {
            return fmt::format("with filledcurves fillstyle solid noborder fc rgb '{}'", rgb);
        };
        add_layer("$rest using 1:2:6", band(colour::band_90), "90 % of runs");
        add_layer("$rest using 1:3:5", band(colour::band_50), "50 % of runs");
        add_layer("$rest using 1:4", fmt::format("with lines lw 2 lc rgb '{}'", colour::blue),
                  fmt::format("median at {} {}s", all_.scale_out, to_string(all_.so_far.unit)));
        add_choice();
    }

    void add_choice() {
        if (!all_.decision || !all_.decision->changes || !all_.decision->candidate) return;
        const auto& chosen = *all_.decision->candidate;
        const double delay_s = all_.candidates[chosen.candidate].costs.start_up_s;
        script_ += fmt::format("$choice << EOD\n{} {}\n", all_.finished, shown(all_.elapsed_s + delay_s));
        for (const auto& each : all_.to_come)
            script_ += fmt::format("{} {}\n", each.job + 1,
                                   shown(all_.elapsed_s + delay_s + each.share_of_rest * chosen.rest.median_s));
        script_ += "EOD\n";
        add_layer("$choice using 1:2", fmt::format("with lines lw 2 lc rgb '{}'", colour::orange),
                  fmt::format("median at {} {}s", chosen.scale_out, to_string(all_.so_far.unit)));
    }

    void add_lines() {
        add_layer("$ended using 1:2", fmt::format("with linespoints lw 2 pt 7 ps 0.7 lc rgb '{}'", colour::black),
                  "this run");
        if (!has_deadline()) return;
        const double deadline_s = all_.wanted->deadline_s;
        const auto name = fmt::format("deadline: {:.3g} {}", shown(deadline_s), unit_.name);
        const bool fits = deadline_s <= top_s_;
        add_layer(fits ? fmt::format("{}", shown(deadline_s)) : std::string("NaN"),
                  fmt::format("with lines lw 2 dt 2 lc rgb '{}'", colour::vermilion),
                  fits ? name : name + " (not in the picture)");
    }

    const run_forecast& all_;
    double top_s_ = 1;
    time_unit unit_{"s", 1};
    std::string script_{};
    std::string layers_{};
};

}  // namespace detail

/// Writes the picture as SVG; where that fails, the file at `path` stays as it was.
/// Errors: missing_program, program_failed, cannot_write.
inline void write_forecast_plot(const run_forecast& all, const std::string& path) {
    write_file(path, detail::draw(detail::forecast_script(all).text()));
}

}  // namespace tools

#endif
