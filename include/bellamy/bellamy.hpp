// Everything: include it where compile time does not matter, else the one header that is needed.
#ifndef BELLAMY_BELLAMY_HPP
#define BELLAMY_BELLAMY_HPP

#include <bellamy/application.hpp>
#include <bellamy/application_file.hpp>
#include <bellamy/batch.hpp>
#include <bellamy/choose.hpp>
#include <bellamy/cold_start.hpp>
#include <bellamy/curve.hpp>
#include <bellamy/drift.hpp>
#include <bellamy/encoding.hpp>
#include <bellamy/enel.hpp>
#include <bellamy/error.hpp>
#include <bellamy/fine_tune.hpp>
#include <bellamy/limits.hpp>
#include <bellamy/model.hpp>
#include <bellamy/model_store.hpp>
#include <bellamy/network.hpp>
#include <bellamy/parallel_training.hpp>
#include <bellamy/placement/arrivals.hpp>
#include <bellamy/placement/choose_variants.hpp>
#include <bellamy/placement/consensus.hpp>
#include <bellamy/placement/crawl.hpp>
#include <bellamy/placement/enumerated_plans.hpp>
#include <bellamy/placement/job_graph.hpp>
#include <bellamy/placement/network.hpp>
#include <bellamy/placement/place.hpp>
#include <bellamy/placement/plan.hpp>
#include <bellamy/placement/selection.hpp>
#include <bellamy/placement/strategies.hpp>
#include <bellamy/prediction.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/price.hpp>
#include <bellamy/replay.hpp>
#include <bellamy/rescale.hpp>
#include <bellamy/run.hpp>
#include <bellamy/schema.hpp>
#include <bellamy/serialize.hpp>
#include <bellamy/shared_model.hpp>
#include <bellamy/trace.hpp>
#include <bellamy/training.hpp>
#include <bellamy/training_basis.hpp>
#include <bellamy/training_progress.hpp>
#include <bellamy/unseen_values.hpp>
#include <bellamy/version.hpp>

#endif
