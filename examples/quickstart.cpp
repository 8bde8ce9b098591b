// How many nodes does it take to sort 15 GB within 260 seconds, nine times out of ten?
#include <bellamy/choose.hpp>
#include <bellamy/models/sort.hpp>
#include <bellamy/serialize.hpp>
#include <cstdio>

int main() {
    const auto general = bellamy::from_bytes(bellamy_models::sort).value();  // learned from hundreds of other runs
    const auto job = general.schema().context({{"machine_type", "m4.2xlarge"}, {"memory", 32000}, {"slots", 8},
        {"data_size_MB", 15408}, {"data_characteristics", "100 160000000"}, {"job_args", ""}, {"job_type", "sort-spark"},
        {"environment", "public cloud aws emr"}}).value();
    const auto runtimes = general.condition({{job, 4, 298}, {job, 8, 226}}).value().bind(job).value();  // two runs so far
    const auto answer = bellamy::choose(runtimes, {2, 4, 6, 8, 10, 12}, 260, 0.9).value();
    std::printf("Take %d nodes: about %.0f s, which %s with probability %.2f.\n", answer.candidate->scale_out,
        answer.candidate->predicted.median_s, to_string(answer.outcome).data(), answer.candidate->probability);
}
