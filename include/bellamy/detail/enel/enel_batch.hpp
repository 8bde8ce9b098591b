// The graphs of the jobs of one run as Enel's network reads them: rows and edges of all jobs, one after the other.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_BATCH_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_BATCH_HPP

#include <bellamy/detail/enel/enel_parameters.hpp>
#include <bellamy/detail/network/training/columns.hpp>
#include <bellamy/detail/trace/stage_graph.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A row of the context: an encoded text or number; all zeros where it is not known.
using enel_encoding = std::array<double, enel_widths.encoding>;
using enel_metrics = std::array<double, enel_metrics_count>;
using enel_scale_out = std::array<double, scale_out_features_count>;

/// One row of a graph: a stage, or the summary of a previous job.
struct enel_node {
    enel_metrics metrics{};  // all zeros: not known
    enel_scale_out start{};  // scaled
    enel_scale_out end{};
    double rescaling_share = 0;
    bool rescales = false;
    double time_s = 0;  // 0: not known, or a summary
    std::vector<enel_encoding> context{};
};

/// A job with the summaries of the previous one: P as it ran in this run, H as it ran in the history.
struct enel_job_graph {
    enel_node previous{};
    enel_node history{};
    std::vector<enel_node> stages{};
    stage_graph parents{};
    std::vector<enel_encoding> required{};
    std::vector<enel_encoding> optional{};
    double time_s = 0;               // 0: not known
    bool previous_in_batch = false;  // the job before is the graph before
};

/// Plain arrays. In each graph the rows are P, H, then the stages; its edges are sorted by (source, target).
struct enel_batch {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    columns<double, enel_metrics_count> metrics{};
    columns<double, scale_out_features_count> start{};
    columns<double, scale_out_features_count> end{};
    std::vector<double> rescaling_share{};
    std::vector<std::uint8_t> is_stage{};
    std::vector<std::uint8_t> rescales{};
    std::vector<double> stage_s{};

    // Contexts: distinct encodings that are not all zeros, one a column; groups are lists of them (`none`: a row of zeros).
    columns<double, enel_widths.encoding> encodings{};
    std::vector<std::uint32_t> encoding_ids{};
    std::vector<std::uint32_t> group_first{0};
    std::vector<std::array<std::uint32_t, 3>> groups{};  // of a row: required, optional, its own

    std::vector<std::uint32_t> source{};  // of every edge, counted over the batch
    std::vector<std::uint32_t> target{};
    std::vector<std::uint32_t> incoming_first{0};  // of every row, into `incoming`
    std::vector<std::uint32_t> incoming{};         // edges by target
    std::vector<std::uint32_t> order{};            // stages, graph by graph, parents first

    std::vector<std::uint32_t> first_row{0};    // of every graph, one more entry than graphs
    std::vector<std::uint32_t> first_stage{0};  // of every graph, into `order`
    std::vector<std::uint8_t> previous_in_batch{};
    std::vector<double> job_s{};

    [[nodiscard]] std::size_t rows() const noexcept { return stage_s.size(); }
    [[nodiscard]] std::size_t edges() const noexcept { return source.size(); }
    [[nodiscard]] std::size_t graphs() const noexcept { return job_s.size(); }
    [[nodiscard]] std::span<const std::uint32_t> ids_of_group(std::size_t group) const noexcept {
        return std::span(encoding_ids).subspan(group_first[group], group_first[group + 1] - group_first[group]);
    }
    [[nodiscard]] std::span<const std::uint32_t> incoming_of(std::size_t row) const noexcept {
        return std::span(incoming).subspan(incoming_first[row], incoming_first[row + 1] - incoming_first[row]);
    }
    [[nodiscard]] std::span<const std::uint32_t> order_of(std::size_t graph) const noexcept {
        return std::span(order).subspan(first_stage[graph], first_stage[graph + 1] - first_stage[graph]);
    }
    [[nodiscard]] bool any_rescales() const noexcept {
        return std::any_of(rescales.begin(), rescales.end(), [](auto each) { return each != 0; });
    }
};

/// Lays graphs out as a batch.
class enel_batch_maker {
public:
    /// Precondition: at least one graph, parents without cycles.
    [[nodiscard]] static enel_batch make(std::span<const enel_job_graph> graphs) {
        enel_batch_maker maker;
        std::size_t rows = 0;
        for (const auto& each : graphs) rows += each.stages.size() + 2;
        maker.result_.metrics.resize(rows);
        maker.result_.start.resize(rows);
        maker.result_.end.resize(rows);
        for (const auto& each : graphs) maker.add(each);
        maker.sort_incoming();
        auto& encodings = maker.result_.encodings;
        encodings.resize(maker.known_.size());
        for (const auto& [values, id] : maker.known_) copy_to(encodings[id], std::span(values));
        return std::move(maker.result_);
    }

private:
    void add(const enel_job_graph& graph) {
        const std::uint32_t first = result_.first_row.back();
        const std::uint32_t required = add_group(graph.required);
        const std::uint32_t optional = add_group(graph.optional);
        add_row(graph.previous, false, required, optional);
        add_row(graph.history, false, required, optional);
        for (const auto& each : graph.stages) add_row(each, true, required, optional);
        add_edges(graph, first);
        for (const std::size_t stage : topological_order(graph.parents))
            result_.order.push_back(first + 2 + static_cast<std::uint32_t>(stage));
        result_.first_row.push_back(static_cast<std::uint32_t>(result_.rows()));
        result_.first_stage.push_back(static_cast<std::uint32_t>(result_.order.size()));
        result_.previous_in_batch.push_back(graph.previous_in_batch ? 1 : 0);
        result_.job_s.push_back(graph.time_s);
    }

    void add_row(const enel_node& node, bool is_stage, std::uint32_t required, std::uint32_t optional) {
        const std::size_t row = result_.rows();
        copy_to(result_.metrics[row], std::span(node.metrics));
        copy_to(result_.start[row], std::span(node.start));
        copy_to(result_.end[row], std::span(node.end));
        result_.rescaling_share.push_back(node.rescaling_share);
        result_.is_stage.push_back(is_stage ? 1 : 0);
        result_.rescales.push_back(is_stage && node.rescales ? 1 : 0);
        result_.stage_s.push_back(is_stage ? node.time_s : 0);
        result_.groups.push_back({required, optional, add_group(node.context)});
    }

    [[nodiscard]] std::uint32_t add_group(std::span<const enel_encoding> rows) {
        for (const auto& each : rows) {
            result_.encoding_ids.push_back(
                any_not_zero(each) ? known_.try_emplace(each, static_cast<std::uint32_t>(known_.size())).first->second
                                   : enel_batch::none);
        }
        result_.group_first.push_back(static_cast<std::uint32_t>(result_.encoding_ids.size()));
        return static_cast<std::uint32_t>(result_.group_first.size()) - 2;
    }

    void add_edges(const enel_job_graph& graph, std::uint32_t first) {
        std::vector<std::array<std::uint32_t, 2>> edges;
        for (std::uint32_t stage = 0; stage < graph.stages.size(); ++stage) {
            for (const std::size_t parent : graph.parents[stage])
                edges.push_back({first + 2 + static_cast<std::uint32_t>(parent), first + 2 + stage});
            if (!graph.parents[stage].empty()) continue;
            edges.push_back({first, first + 2 + stage});
            edges.push_back({first + 1, first + 2 + stage});
        }
        std::sort(edges.begin(), edges.end());
        for (const auto& each : edges) {
            result_.source.push_back(each[0]);
            result_.target.push_back(each[1]);
        }
    }

    void sort_incoming() {
        const std::size_t rows = result_.rows();
        std::vector<std::uint32_t> count(rows + 1, 0);
        for (const std::uint32_t row : result_.target) ++count[row + 1];
        for (std::size_t row = 0; row < rows; ++row) count[row + 1] += count[row];
        result_.incoming_first = count;
        result_.incoming.resize(result_.edges());
        for (std::uint32_t edge = 0; edge < result_.edges(); ++edge) result_.incoming[count[result_.target[edge]]++] = edge;
    }

    enel_batch result_{};
    std::map<enel_encoding, std::uint32_t> known_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
