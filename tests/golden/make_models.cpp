// Writes a model of every kind and what it answers: make_models FOLDER. Run it when the model format changes, which is a
// decision: the files of tests/golden/models are what this version of the format promises to read.
#include <bellamy/cold_start.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "support/made_up_blend.hpp"

namespace {

void write(const bellamy::model& subject, const std::string& folder, const std::string& name, std::ofstream& answers) {
    bellamy::save(subject, folder + "/" + name + ".bellamy").value();
    const auto runtimes = subject.bind(support::made_up_context(30)).value();
    for (const int x : {1, 4, 12, 100}) {
        const auto answer = runtimes.at(x);
        answers << name << ',' << x << ',' << answer.median_s << ',' << answer.quantile_s(0.9) << '\n';
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("expected one argument: the folder to write to\n", stderr);
        return EXIT_FAILURE;
    }
    const std::string folder = arguments[1];
    std::ofstream answers(folder + "/answers.csv");
    answers.precision(9);
    answers << "model,scale_out,median_s,quantile_90_s\n";
    const std::vector observed{support::made_up_run(30, 4)};
    write(support::made_up_blend().condition(observed).value(), folder, "best", answers);
    write(bellamy::pretrain(support::made_up_history(6, 2),
                            {.mode = bellamy::training_mode::paper, .algorithm = "made-up", .epochs = 200})
              .value()
              .model,
          folder, "network", answers);
    write(bellamy::cold_start(support::made_up_context(30), "made-up").value().condition(observed).value(), folder, "shapes",
          answers);
    return EXIT_SUCCESS;
}
