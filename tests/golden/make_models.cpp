// Writes a model of every kind and what it answers: make_models FOLDER. Run it when the model format changes, which is a
// decision: the files of tests/golden/models are what this version of the format promises to read.
#include <bellamy/application_file.hpp>
#include <bellamy/cold_start.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "support/made_up_application.hpp"
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

[[nodiscard]] std::ofstream answers_file(const std::string& path, const std::string& header) {
    std::ofstream made(path);
    made.precision(9);
    made << header << '\n';
    return made;
}

void write_application(const std::string& folder) {
    const auto model = support::learned_from(support::etl_history()).value();
    bellamy::save(model, folder + "/application.bellamy").value();
    auto answers = answers_file(folder + "/application_answers.csv", "what,job,scale_out,median_s,quantile_90_s");
    const auto run = support::made_up_trace(9, 1500, 4, 1.3);
    const auto whole = model.bind(run.properties).value();
    for (const int x : {1, 4, 12}) {
        const auto tell = [&](const char* what, std::size_t job, const bellamy::prediction& answer) {
            answers << what << ',' << job << ',' << x << ',' << answer.median_s << ',' << answer.quantile_s(0.9) << '\n';
        };
        tell("run", 0, whole.run(x));
        for (std::size_t job = 0; job < whole.jobs(); ++job) {
            tell("stage", job, whole.stage(job, 0, x));
            tell("job", job, whole.job(job, x));
            const auto rest = whole.observe(support::first_jobs(run, job + 1)).value();
            if (job + 1 < whole.jobs()) tell("remaining", job, rest.remaining(x));
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("expected one argument: the folder to write to\n", stderr);
        return EXIT_FAILURE;
    }
    const std::string folder = arguments[1];
    auto answers = answers_file(folder + "/answers.csv", "model,scale_out,median_s,quantile_90_s");
    const std::vector observed{support::made_up_run(30, 4)};
    write(support::made_up_blend().condition(observed).value(), folder, "best", answers);
    write(bellamy::pretrain(support::made_up_history(6, 2),
                            {.mode = bellamy::training_mode::paper, .algorithm = "made-up", .epochs = 200})
              .value()
              .model,
          folder, "network", answers);
    write(bellamy::cold_start(support::made_up_context(30), "made-up").value().condition(observed).value(), folder, "shapes",
          answers);
    write_application(folder);
    return EXIT_SUCCESS;
}
