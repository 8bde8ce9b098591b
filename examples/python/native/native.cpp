// bellamy._native: the C interface as Python's classes. What it takes and gives is plain; the package around it has the
// words.
#include <nanobind/stl/pair.h>

#include <array>

#include "applications.hpp"
#include "models.hpp"
#include "searches.hpp"

namespace python { namespace {

void bind_answers(nb::module_& module) {
    nb::class_<bellamy_prediction>(module, "Prediction")
        .def_ro("median_s", &bellamy_prediction::median_s)
        .def_ro("_flags", &bellamy_prediction::flags)
        .def_ro("observed_runs", &bellamy_prediction::observed_runs)
        .def(
            "quantile", [](const bellamy_prediction& self, double p) { return bellamy_prediction_quantile(&self, p); },
            nb::arg("p"))
        .def(
            "probability",
            [](const bellamy_prediction& self, double limit_s) { return bellamy_prediction_probability(&self, limit_s); },
            nb::arg("limit_s"));

    nb::class_<rows>(module, "Rows")
        .def("__len__", &rows::size)
        .def("at", &rows::at)
        .def("medians", &rows::medians)
        .def("quantiles", &rows::quantiles)
        .def("probabilities", &rows::probabilities)
        .def("flags", &rows::flags)
        .def("observed_runs", &rows::observed_runs);

    nb::class_<curve>(module, "Curve")
        .def("__init__", [](curve* self, const model& to, const nb::dict& context,
                            bool non_increasing) { new (self) curve(bind(to, context, non_increasing)); })
        .def("at", &at, nb::arg("scale_out"))
        .def(
            "median", [](const curve& self, int32_t scale_out) { return at(self, scale_out).median_s; },
            nb::arg("scale_out"))
        .def(
            "quantile",
            [](const curve& self, int32_t scale_out, double p) {
                const auto row = at(self, scale_out);
                return bellamy_prediction_quantile(&row, p);
            },
            nb::arg("scale_out"), nb::arg("p"))
        .def(
            "probability",
            [](const curve& self, int32_t scale_out, double limit_s) {
                const auto row = at(self, scale_out);
                return bellamy_prediction_probability(&row, limit_s);
            },
            nb::arg("scale_out"), nb::arg("limit_s"))
        .def("_ask",
             [](const curve& self, const std::vector<int32_t>& scale_outs) {
                 return ask(scale_outs, [&](auto... what) { call(bellamy_curve_predict, self.get(), what...); });
             })
        .def("_medians",
             [](const curve& self, int32_t first, const buffer<float>& out) {
                 call(bellamy_curve_medians, self.get(), first, out.size(), out.data());
             })
        .def("_describe", [](const curve& self) {
            auto about = sized<bellamy_curve_description>();
            call(bellamy_curve_describe, self.get(), &about);
            return std::make_tuple(about.observed_runs, about.smallest_seen_scale_out, about.largest_seen_scale_out,
                                   about.largest_valid_scale_out);
        });
}

void bind_models(nb::module_& module) {
    nb::class_<model>(module, "Model")
        .def_static("load",
                    [](const std::string& path) {
                        model made;
                        call_without_lock(bellamy_model_load, path.c_str(), made.out());
                        return made;
                    })
        .def_static("from_bytes",
                    [](const nb::bytes& bytes) {
                        model made;
                        call_without_lock(bellamy_model_from_bytes, static_cast<const void*>(bytes.c_str()), bytes.size(),
                                          made.out());
                        return made;
                    })
        .def("save", [](const model& self,
                        const std::string& path) { call_without_lock(bellamy_model_save, self.get(), path.c_str()); })
        .def("to_bytes", [](const model& self) { return bytes_of(self.get(), bellamy_model_to_bytes); })
        .def("id", &id_of)
        .def("describe", &describe)
        .def("properties", &properties_of)
        .def("observed_run", &observed_run)
        .def("improbable_runs", &improbable_runs_of)
        .def("condition", &condition)
        .def("learn", &relearn)
        .def("fine_tune", &fine_tune, nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
        .def("predict", &predict);
    module.def("pretrain", &pretrain, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
    module.def("cold_start", &cold_start);
}

void bind_applications(nb::module_& module) {
    nb::class_<forecast>(module, "Forecast")
        .def("observe", &observe)
        .def("describe",
             [](const forecast& self) {
                 auto about = sized<bellamy_forecast_description>();
                 call(bellamy_forecast_describe, self.get(), &about);
                 return std::make_tuple(about.jobs, about.finished_jobs);
             })
        .def("stage_counts", &stage_counts)
        .def("run",
             [](const forecast& self, const std::vector<int32_t>& scale_outs) {
                 return ask(scale_outs, [&](auto... what) { call(bellamy_forecast_run, self.get(), what...); });
             })
        .def("remaining",
             [](const forecast& self, const std::vector<int32_t>& scale_outs) {
                 return ask(scale_outs, [&](auto... what) { call(bellamy_forecast_remaining, self.get(), what...); });
             })
        .def("job",
             [](const forecast& self, size_t job, const std::vector<int32_t>& scale_outs) {
                 return ask(scale_outs, [&](auto... what) { call(bellamy_forecast_job, self.get(), job, what...); });
             })
        .def("stage",
             [](const forecast& self, size_t job, size_t stage, const std::vector<int32_t>& scale_outs) {
                 return ask(scale_outs,
                            [&](auto... what) { call(bellamy_forecast_stage, self.get(), job, stage, what...); });
             })
        .def("rescale", &rescale);
    nb::class_<application>(module, "Application")
        .def_static("load",
                    [](const std::string& path) {
                        application made;
                        call_without_lock(bellamy_application_load, path.c_str(), made.out());
                        return made;
                    })
        .def_static("from_bytes",
                    [](const nb::bytes& bytes) {
                        application made;
                        call_without_lock(bellamy_application_from_bytes, static_cast<const void*>(bytes.c_str()),
                                          bytes.size(), made.out());
                        return made;
                    })
        .def("save", [](const application& self,
                        const std::string& path) { call_without_lock(bellamy_application_save, self.get(), path.c_str()); })
        .def("to_bytes", [](const application& self) { return bytes_of(self.get(), bellamy_application_to_bytes); })
        .def("describe",
             [](const application& self) {
                 auto about = sized<bellamy_application_description>();
                 call(bellamy_application_describe, self.get(), &about);
                 return std::make_tuple(std::string(about.application), about.smallest_seen_scale_out,
                                        about.largest_seen_scale_out);
             })
        .def("bind", &forecast_of);
    module.def("learn", &learn);
}

void raise(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const refusal& refused) {
        const auto type = nb::module_::import_("bellamy._error").attr("Error");
        const auto made = type(refused.code, bellamy_code_name(refused.code), refused.message);
        PyErr_SetObject(type.ptr(), made.ptr());
    }
}

void fill(nb::module_& module) {
    nb::register_exception_translator(raise);
    bind_answers(module);
    bind_models(module);
    module.def("choose", &choose);
    nb::class_<exploration_prior>(module, "ExplorationPrior");
    module.def("learn_exploration", &learn_exploration);
    module.def("explore", &explore, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
               nb::arg().none());
    bind_applications(module);
    module.def("version", &bellamy_version);
    module.def("code_name", &bellamy_code_name);
}

}  // namespace

}  // namespace python

NB_MODULE(_native, module) { python::fill(module); }
