// Mini-batch of job graphs as Enel's network reads it: nodes as rows, edges, and the context of every row.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_BATCH_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_BATCH_HPP

#include <bellamy/detail/base/sort.hpp>
#include <bellamy/detail/enel/enel_layers.hpp>
#include <bellamy/detail/trace/stage_graph.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// An encoded text or number of the context; all zeros where its value is not known.
using enel_encoding = std::array<double, enel_widths.encoding>;
using enel_metrics = std::array<double, enel_metrics_count>;
using enel_scale_out = std::array<double, scale_out_features_count>;
/// Positions of rows, edges, encodings or groups.
using enel_indices = std::vector<std::uint32_t>;

/// A node of a job's graph: a stage, or the summary of the previous job.
struct enel_node {
    enel_metrics metrics{};  // all zeros: not known
    enel_scale_out start{};  // scaled features of the scale-out when it starts
    enel_scale_out end{};
    double rescaling_share = 0;  // of its time, during which executors come or go
    bool rescales = false;
    double time_s = 0;  // 0: not known, or a summary
    std::vector<enel_encoding> context{};
};

/// A job's graph of stages, with two summaries of the previous job: P as it ran in this run, H as it ran in the history.
struct enel_job_graph {
    enel_node previous{};
    enel_node history{};
    std::vector<enel_node> stages{};
    stage_graph parents{};
    std::vector<enel_encoding> required{};
    std::vector<enel_encoding> optional{};
    double time_s = 0;               // 0: not known
    bool previous_in_batch = false;  // the previous job is the previous graph of the batch
};

/// Mini-batch of job graphs as plain arrays. A node is a row: in each graph P, H, then the stages. Edges of a graph are
/// sorted by (source, target).
struct enel_batch {
    static constexpr std::uint32_t none = ~std::uint32_t{0};  // encoding of zeros, which counts in a mean

    columns<double, enel_metrics_count> metrics{};
    columns<double, scale_out_features_count> start_scale_out{};
    columns<double, scale_out_features_count> end_scale_out{};
    std::vector<double> rescaling_share{};
    std::vector<std::uint8_t> rescales{};
    std::vector<double> stage_s{};

    // Contexts: the distinct encodings that are not all zeros, one a column, and groups of them (`none`: all zeros).
    columns<double, enel_widths.encoding> encodings{};
    enel_indices encoding_ids{};
    enel_indices group_first{0};
    std::vector<std::array<std::uint32_t, 3>> groups{};  // of every row: required, optional, its own

    enel_indices source{};  // row of every edge
    enel_indices target{};
    enel_indices incoming_first{0};  // of every row, into `incoming`
    enel_indices incoming{};         // edges by target
    enel_indices order{};            // stages, graph by graph, parents first

    enel_indices first_row{0};    // of every graph, one more entry than graphs
    enel_indices first_stage{0};  // of every graph, into `order`
    std::vector<std::uint8_t> previous_in_batch{};
    std::vector<double> job_s{};

    size_t rows() const noexcept { return stage_s.size(); }
    size_t edges() const noexcept { return source.size(); }
    size_t graphs() const noexcept { return job_s.size(); }
    auto ids_of_group(size_t group) const noexcept { return slice_of(encoding_ids, group_first, group); }
    auto incoming_of(size_t row) const noexcept { return slice_of(incoming, incoming_first, row); }
    auto order_of(size_t graph) const noexcept { return slice_of(order, first_stage, graph); }
    bool any_rescales() const noexcept { return contains(rescales, 1); }
};

/// Lays job graphs out as a mini-batch.
class enel_batch_builder {
public:
    /// Precondition: at least one graph, parents without cycles.
    static enel_batch build(std::span<const enel_job_graph> graphs) {
        enel_batch_builder builder;
        size_t rows = 0;
        for (const auto& graph : graphs) rows += graph.stages.size() + 2;
        builder.batch_.metrics.resize(rows);
        builder.batch_.start_scale_out.resize(rows);
        builder.batch_.end_scale_out.resize(rows);
        for (const auto& graph : graphs) builder.add(graph);
        builder.sort_incoming();
        auto& encodings = builder.batch_.encodings;
        encodings.resize(builder.encoding_ids_.size());
        for (const auto& [encoding, id] : builder.encoding_ids_) copy_to(encodings[id], std::span(encoding));
        return std::move(builder.batch_);
    }

private:
    void add(const enel_job_graph& graph) {
        const std::uint32_t first = batch_.first_row.back();
        const std::uint32_t required = add_group(graph.required);
        const std::uint32_t optional = add_group(graph.optional);
        const auto add_row = [&](const enel_node& node, bool is_stage) { add_node(node, is_stage, required, optional); };
        add_row(graph.previous, false);
        add_row(graph.history, false);
        for (const auto& stage : graph.stages) add_row(stage, true);
        add_edges(graph, first);
        for (const size_t stage : topological_order(graph.parents))
            batch_.order.push_back(first + 2 + static_cast<std::uint32_t>(stage));
        batch_.first_row.push_back(static_cast<std::uint32_t>(batch_.rows()));
        batch_.first_stage.push_back(static_cast<std::uint32_t>(batch_.order.size()));
        batch_.previous_in_batch.push_back(graph.previous_in_batch ? 1 : 0);
        batch_.job_s.push_back(graph.time_s);
    }

    void add_node(const enel_node& node, bool is_stage, std::uint32_t required, std::uint32_t optional) {
        const size_t row = batch_.rows();
        copy_to(batch_.metrics[row], std::span(node.metrics));
        copy_to(batch_.start_scale_out[row], std::span(node.start));
        copy_to(batch_.end_scale_out[row], std::span(node.end));
        batch_.rescaling_share.push_back(node.rescaling_share);
        batch_.rescales.push_back(is_stage && node.rescales ? 1 : 0);
        batch_.stage_s.push_back(is_stage ? node.time_s : 0);
        batch_.groups.push_back({required, optional, add_group(node.context)});
    }

    std::uint32_t add_group(std::span<const enel_encoding> encodings) {
        for (const auto& encoding : encodings) {
            const auto next_id = static_cast<std::uint32_t>(encoding_ids_.size());
            batch_.encoding_ids.push_back(any_not_zero(encoding) ? encoding_ids_.try_emplace(encoding, next_id).first->second
                                                                 : enel_batch::none);
        }
        batch_.group_first.push_back(static_cast<std::uint32_t>(batch_.encoding_ids.size()));
        return static_cast<std::uint32_t>(batch_.group_first.size()) - 2;
    }

    // From parents to children; stages without parents follow P and H.
    void add_edges(const enel_job_graph& graph, std::uint32_t first) {
        std::vector<std::array<std::uint32_t, 2>> edges;
        for (std::uint32_t stage = 0; stage < graph.stages.size(); ++stage) {
            for (const size_t parent : graph.parents[stage])
                edges.push_back({first + 2 + static_cast<std::uint32_t>(parent), first + 2 + stage});
            if (!graph.parents[stage].empty()) continue;
            edges.push_back({first, first + 2 + stage});
            edges.push_back({first + 1, first + 2 + stage});
        }
        sort(edges);
        for (const auto& [source, target] : edges) {
            batch_.source.push_back(source);
            batch_.target.push_back(target);
        }
    }

    // Counting sort of the edges by target.
    void sort_incoming() {
        const size_t rows = batch_.rows();
        enel_indices next(rows + 1, 0);
        for (const std::uint32_t row : batch_.target) ++next[row + 1];
        for (size_t row = 0; row < rows; ++row) next[row + 1] += next[row];
        batch_.incoming_first = next;
        batch_.incoming.resize(batch_.edges());
        for (std::uint32_t edge = 0; edge < batch_.edges(); ++edge) batch_.incoming[next[batch_.target[edge]]++] = edge;
    }

    enel_batch batch_{};
    std::map<enel_encoding, std::uint32_t> encoding_ids_;
};

/// Codes of a batch's distinct encodings, one a column.
using enel_codes = columns<double, enel_layout::code>;
using enel_contexts = columns<double, enel_layout::context>;

/// Mean code of one of a context's three parts.
template <class Context>
auto context_part(Context context, size_t part) noexcept {
    constexpr size_t code = enel_layout::code;
    return std::span<typename Context::element_type, code>(context.data() + part * code, code);
}

/// Context of every row: mean codes of its three groups. An encoding of zeros has the code zero (the encoder has no biases)
/// and counts in the mean; a mean over nothing is zero.
inline void mean_codes(const enel_batch& batch, const enel_codes& codes, enel_contexts& contexts) {
    for (size_t row = 0; row < batch.rows(); ++row) {
        for (size_t part = 0; part < 3; ++part) {
            const std::uint32_t group = batch.groups[row][part];
            const auto mean = context_part(contexts[row], part);
            if (part < 2 && row > 0 && group == batch.groups[row - 1][part]) {
                copy_to(mean, context_part(contexts[row - 1], part));
                continue;
            }
            const auto ids = batch.ids_of_group(group);
            fill_zeros(mean);
            for (const std::uint32_t id : ids)
                if (id != enel_batch::none) add_to(mean, codes[id]);
            if (!ids.empty()) divide(mean, count_of(ids));
        }
    }
}

/// Backpropagates `mean_codes`: adds to the gradient of the codes, column by column.
inline void mean_codes_backward(const enel_batch& batch, const enel_contexts& contexts_gradient,
                                std::span<double> codes_gradient) {
    constexpr size_t code = enel_layout::code;
    for (size_t row = 0; row < batch.rows(); ++row) {
        for (size_t part = 0; part < 3; ++part) {
            const auto ids = batch.ids_of_group(batch.groups[row][part]);
            const double weight = 1 / count_of(ids);
            for (const std::uint32_t id : ids)
                if (id != enel_batch::none)
                    add_to(codes_gradient.subspan(id * code).first<code>(), context_part(contexts_gradient[row], part),
                           weight);
        }
    }
}

/// How often every distinct encoding occurs, required and optional ones once per row of their graph.
inline std::vector<double> occurrences(const enel_batch& batch) {
    std::vector<double> counts(batch.encodings.size(), 0.0);
    for (const auto& groups : batch.groups)
        for (const std::uint32_t group : groups)
            for (const std::uint32_t id : batch.ids_of_group(group))
                if (id != enel_batch::none) ++counts[id];
    return counts;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
