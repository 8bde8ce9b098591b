// The known name that a mistyped one most likely stands for.
#ifndef BELLAMY_DETAIL_BASE_NEAREST_NAME_HPP
#define BELLAMY_DETAIL_BASE_NEAREST_NAME_HPP

#include <bellamy/version.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Of a capital letter the small one; other characters stay.
inline char lower_case(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours that lead from one to the
/// other; capital letters are as small ones.
inline size_t edit_distance(std::string_view a, std::string_view b) {
    const auto same = [&](size_t i, size_t j) { return lower_case(a[i - 1]) == lower_case(b[j - 1]); };
    std::vector<std::vector<size_t>> distance(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i) {
        for (size_t j = 0; j <= b.size(); ++j) {
            auto& least = distance[i][j];
            least = i + j;
            if (i == 0 || j == 0) continue;
            least =
                (std::min)({distance[i - 1][j] + 1, distance[i][j - 1] + 1, distance[i - 1][j - 1] + (same(i, j) ? 0 : 1)});
            if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) least = (std::min)(least, distance[i - 2][j - 2] + 1);
        }
    }
    return distance[a.size()][b.size()];
}

/// The nearest of the names: one edit away per three characters at most, else the only one that begins with the word; empty
/// where there is none.
inline std::string nearest_name(std::string_view word, const std::vector<std::string>& names) {
    std::string best;
    constexpr size_t longest_word = 256;  // the distance takes memory by the product of two lengths
    if (word.size() > longest_word) return best;
    size_t least = (std::max<size_t>)(1, word.size() / 3) + 1;
    for (const auto& name : names) {
        if (name.size() >= word.size() + least) continue;
        if (const auto distance = edit_distance(word, name); distance < least && distance < name.size()) {
            least = distance;
            best = name;
        }
    }
    if (!best.empty() || word.size() < 2) return best;
    for (const auto& name : names) {
        if (!name.starts_with(word)) continue;
        if (!best.empty()) return {};
        best = name;
    }
    return best;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
