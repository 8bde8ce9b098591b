// Every reason for which bellamy refuses to answer, by name and number: `errc`, `to_string` and the C interface's
// `bellamy_errc` are made from this list. No include guard: who includes it undefines BELLAMY_ERROR_LIST after use.
// 0 is success. A number is never used again for another reason.

#define BELLAMY_ERROR_LIST(ENTRY)       \
    ENTRY(ok, 0)                        \
    /* runs and contexts */             \
    ENTRY(empty_history, 1)             \
    ENTRY(single_context, 2)            \
    ENTRY(invalid_runtime, 3)           \
    ENTRY(invalid_scale_out, 4)         \
    ENTRY(invalid_weight, 5)            \
    ENTRY(invalid_text, 6)              \
    ENTRY(invalid_quantity, 7)          \
    ENTRY(number_too_large, 8)          \
    ENTRY(duplicate_property, 9)        \
    ENTRY(too_many_properties, 10)      \
    ENTRY(too_many_scale_outs, 11)      \
    ENTRY(unknown_value, 12)            \
    /* what does not fit the model */   \
    ENTRY(essential_count_mismatch, 20) \
    ENTRY(property_mismatch, 21)        \
    ENTRY(unknown_property, 22)         \
    ENTRY(unit_mismatch, 23)            \
    ENTRY(not_conditionable, 24)        \
    /* requests */                      \
    ENTRY(invalid_deadline, 30)         \
    ENTRY(empty_candidates, 31)         \
    ENTRY(buffer_too_small, 32)         \
    ENTRY(invalid_option, 33)           \
    ENTRY(invalid_budget, 34)           \
    ENTRY(invalid_probability, 35)      \
    ENTRY(invalid_price, 36)            \
    ENTRY(missing_curve, 37)            \
    /* training */                      \
    ENTRY(training_diverged, 40)        \
    ENTRY(worker_lost, 41)              \
    /* files and model bytes */         \
    ENTRY(cannot_read, 50)              \
    ENTRY(cannot_write, 51)             \
    ENTRY(not_a_model, 52)              \
    ENTRY(unsupported_version, 53)      \
    ENTRY(truncated, 54)                \
    ENTRY(corrupted, 55)                \
    ENTRY(invalid_model, 56)            \
    ENTRY(self_test_failed, 57)         \
    ENTRY(model_not_found, 58)          \
    /* traces */                        \
    ENTRY(invalid_trace, 60)            \
    /* placement */                     \
    ENTRY(invalid_data_centre, 70)      \
    ENTRY(invalid_link, 71)             \
    ENTRY(invalid_job_graph, 72)        \
    ENTRY(too_many_strategies, 73)      \
    ENTRY(search_too_large, 74)
