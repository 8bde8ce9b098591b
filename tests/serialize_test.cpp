#include "support/compare.hpp"
#include "support/made_up_job.hpp"
#include "support/model_bytes.hpp"
#include "support/temporary_directory.hpp"

#include <sstream>

#if defined(__unix__)
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#endif

using namespace bellamy;
using support::assembled;
using support::bytes;
using support::check_refused;
using support::named;
using support::overwrite;
using support::random_model;
using support::section;
using support::sections_of;
using support::temporary_directory;
using support::with_checksum;

#if defined(__unix__)
namespace {

// Files may not grow beyond a size while it lives.
class largest_file {
public:
    explicit largest_file(rlim_t size_bytes) {
        REQUIRE(getrlimit(RLIMIT_FSIZE, &before_) == 0);
        const rlimit now{.rlim_cur = size_bytes, .rlim_max = before_.rlim_max};
        REQUIRE(setrlimit(RLIMIT_FSIZE, &now) == 0);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
    }
    ~largest_file() {
        (void)setrlimit(RLIMIT_FSIZE, &before_);
        (void)std::signal(SIGXFSZ, handler_);
    }
    largest_file(const largest_file&) = delete;
    largest_file& operator=(const largest_file&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int) = SIG_DFL;
};

}  // namespace
#endif

TEST_CASE("a model survives the round trip through bytes bit by bit") {
    const auto before = random_model();
    const auto written = to_bytes(before);
    const auto after = from_bytes(written);
    REQUIRE(after);
    CHECK(after->schema() == before.schema());
    CHECK(after->basis() == before.basis());
    CHECK(after->parameters().parameters() == before.parameters().parameters());
    CHECK(after->parameters().runtime.scaler == before.parameters().runtime.scaler);
    CHECK(to_bytes(*after) == written);

    const auto context = support::made_up_context(30);
    for (int x = 1; x <= 24; ++x) CHECK(after->bind(context)->at(x).median_s == before.bind(context)->at(x).median_s);
}

TEST_CASE("every unit and kind and role survives the round trip") {
    std::vector<property> list{
        text("machine", "").with_role(property_role::machine_type), natural("size", 1).with_role(property_role::data_size),
        quantity("rate", 1).per_scale_out_unit(), natural("memory", 1).with_role(property_role::memory_per_node),
        natural("cores", 1).with_role(property_role::cores_per_node)};
    for (const auto unit : {scale_out_unit::node, scale_out_unit::executor, scale_out_unit::slot, scale_out_unit::core}) {
        const run one{.context = {.essential = list, .optional = {text("\xC3\xBC", "")}, .unit = unit},
                      .scale_out = 1,
                      .runtime_s = 1};
        const model before(*schema_of(std::span(&one, 1)), {}, network<>(list.size()));
        const auto after = from_bytes(to_bytes(before));
        REQUIRE(after);
        CHECK(after->schema() == before.schema());
    }
}

TEST_CASE("a model with a valid schema can be loaded however long its names are") {
    run one{.context = {.essential = {text(std::string(longest_name_bytes, 'x'), "")}}, .scale_out = 1, .runtime_s = 1};
    const auto properties = schema_of(std::span(&one, 1));
    REQUIRE(properties);
    CHECK(from_bytes(to_bytes(model(*properties, {}, network<>(1)))).has_value());
    one.context.essential[0].name += 'x';
    check_refused(schema_of(std::span(&one, 1)), errc::invalid_text, {"65536", "65537"});
}

TEST_CASE("the sections of a model put together again are the model") {
    const auto source = random_model();
    CHECK(assembled(sections_of(source)) == to_bytes(source));  // what the tests below rely on
}

TEST_CASE("every truncation of a model is refused") {
    const auto whole = to_bytes(random_model());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto answer = from_bytes(std::span(whole).first(size));
        REQUIRE_MESSAGE(!answer.has_value(), size);
        const auto code = answer.error().code();
        REQUIRE_MESSAGE(code == (size < 8 ? errc::not_a_model : errc::truncated), size);
    }
    // Also where the size in the header was made to fit.
    for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{40}, std::size_t{32}}) {
        auto cut = bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        overwrite(cut, 16, static_cast<std::uint64_t>(size));
        CHECK_FALSE(from_bytes(with_checksum(cut)).has_value());
    }
}

TEST_CASE("bytes after the end of a model are refused") {
    auto longer = to_bytes(random_model());
    longer.push_back(std::byte{0});
    check_refused(from_bytes(longer), errc::truncated,
                  {"complete model", std::to_string(longer.size() - 1), std::to_string(longer.size())});
    // Within the envelope, after the last section.
    auto within = to_bytes(random_model());
    within.insert(within.end() - 8, std::byte{0});
    overwrite(within, 16, static_cast<std::uint64_t>(within.size()));
    check_refused(from_bytes(with_checksum(within)), errc::invalid_model, {"1 bytes"});
}

TEST_CASE("bytes that are no model are told from a damaged model") {
    const std::string words = "machine_type\tscale_out\truntime\n";
    check_refused(from_bytes(std::as_bytes(std::span(words))), errc::not_a_model, {std::to_string(words.size())});
    check_refused(from_bytes(std::span<const std::byte>{}), errc::not_a_model);
    auto altered = to_bytes(random_model());
    altered[altered.size() / 2] ^= std::byte{0x10};
    check_refused(from_bytes(altered), errc::corrupted, {"copy or save it again"});
}

TEST_CASE("a newer major version is refused and a newer minor version is read") {
    const auto sections = sections_of(random_model());
    check_refused(from_bytes(assembled(sections, model_format_major + 1, 0)), errc::unsupported_version,
                  {std::to_string(model_format_major + 1), "the version that saved it"});
    CHECK(from_bytes(assembled(sections, model_format_major, model_format_minor + 1)).has_value());
}

TEST_CASE("unknown sections are skipped unless they must be understood") {
    const auto source = random_model();
    auto sections = sections_of(source);
    sections.insert(sections.begin() + 1, {.name = "NOTE", .flags = 0, .content = bytes(100)});
    const auto skipped = from_bytes(assembled(sections));
    REQUIRE(skipped);
    CHECK(to_bytes(*skipped) == to_bytes(source));
    sections[1].flags = 1;
    check_refused(from_bytes(assembled(sections)), errc::unsupported_version);
}

TEST_CASE("missing and repeated sections are refused") {
    const auto sections = sections_of(random_model());
    for (const std::string name : {"SCHM", "BASE", "NETW"}) {
        CAPTURE(name);
        auto missing = sections;
        std::erase_if(missing, [&](const section& each) { return each.name == name; });
        check_refused(from_bytes(assembled(missing)), errc::invalid_model);
        auto repeated = sections;
        repeated.push_back(named(repeated, name));
        check_refused(from_bytes(assembled(repeated)), errc::invalid_model, {"twice"});
    }
    check_refused(from_bytes(assembled({})), errc::invalid_model);
}

TEST_CASE("a number that is no finite parameter is refused") {
    const auto clean = sections_of(random_model());
    const std::size_t scaler = 7 * 8;                   // after six widths and the number of essential properties
    const std::size_t parameters = scaler + 6 * 4 + 8;  // their number stands before them
    auto parts = clean;
    const std::size_t last = named(parts, "NETW").content.size() - 4;
    const float infinity = std::numeric_limits<float>::infinity();
    struct row {
        std::size_t offset;
        float value;
    };
    for (const auto& each :
         {row{parameters, std::nanf("")}, row{parameters + 400, infinity}, row{last, -infinity}, row{scaler, std::nanf("")},
          row{scaler + 12, 0.0F}, row{scaler + 16, -1.0F}, row{scaler + 20, infinity}}) {
        CAPTURE(each.offset);
        auto sections = clean;
        overwrite(named(sections, "NETW").content, each.offset, each.value);
        check_refused(from_bytes(assembled(sections)), errc::invalid_model, {"NETW"});
    }
}

TEST_CASE("sections that contradict themselves or each other are refused") {
    const auto clean = sections_of(random_model());
    struct row {
        const char* what;
        const char* section;
        std::size_t offset;
        std::uint32_t value;
    };
    // Offsets: the schema starts with a byte for the unit, the number of essential properties, the length of the first name
    // ("machine"), the name, its kind, role and scaling. The basis starts with its algorithm ("made-up") and three numbers
    // of runs and contexts before the scale-outs. The network starts with six widths and the number of essential properties.
    const row table[] = {
        {"unit of scale-out", "SCHM", 0, 0xFF},
        {"number of essential properties", "SCHM", 1, 0xFFFFFFFF},
        {"length of a name", "SCHM", 9, 0xFFFFFFFF},
        {"length 0 of a name", "SCHM", 9, 0},
        {"name that is not UTF-8", "SCHM", 17, 0xFFFFFFFF},
        {"kind and role and scaling", "SCHM", 23, 0x0003FF03},
        {"length of the algorithm", "BASE", 0, 0xFFFFFFFF},
        {"algorithm that is not UTF-8", "BASE", 8, 0xFFFFFFFF},
        {"smallest scale-out above the largest", "BASE", 39, 13},
        {"smallest scale-out 0", "BASE", 39, 0},
        {"largest scale-out beyond all bounds", "BASE", 47, 0x80000000},
        {"width of the encoding", "NETW", 0, 41},
        {"width of the head", "NETW", 40, 0},
        {"number of essential codes", "NETW", 48, 0xFFFFFFFF},
        {"fewer essential codes", "NETW", 48, 1},
    };
    for (const auto& each : table) {
        CAPTURE(each.what);
        auto sections = clean;
        overwrite(named(sections, each.section).content, each.offset, each.value);
        check_refused(from_bytes(assembled(sections)), errc::invalid_model);
    }
    for (const char* name : {"SCHM", "BASE", "NETW"}) {
        CAPTURE(name);
        auto longer = clean;
        named(longer, name).content.push_back(std::byte{0});
        check_refused(from_bytes(assembled(longer)), errc::invalid_model, {name});
        auto shorter = clean;
        named(shorter, name).content.pop_back();
        check_refused(from_bytes(assembled(shorter)), errc::invalid_model, {name});
        auto empty = clean;
        named(empty, name).content.clear();
        check_refused(from_bytes(assembled(empty)), errc::invalid_model, {name});
    }
    auto other = clean;
    named(other, "SCHM").content = named(other, "SCHM").content;
    const model five({.essential = std::vector<property_definition>(5, {.name = "p"})}, {}, network<>(5));
    auto mixed = sections_of(five);
    named(mixed, "NETW") = named(other, "NETW");
    check_refused(from_bytes(assembled(mixed)), errc::invalid_model);
}

TEST_CASE("numbers of sections and sizes of sections that lie are refused") {
    const auto clean = to_bytes(random_model());
    for (const std::uint32_t count : {0U, 1U, 3U, 5U, 0xFFFFFFFFU}) {
        CAPTURE(count);
        auto lying = clean;
        overwrite(lying, 12, count);
        check_refused(from_bytes(with_checksum(lying)), errc::invalid_model);
    }
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1} << 40U, ~std::uint64_t{0}}) {
        CAPTURE(size);
        auto lying = clean;
        overwrite(lying, 24 + 8, size);
        CHECK_FALSE(from_bytes(with_checksum(lying)).has_value());
        auto whole = clean;
        overwrite(whole, 16, size);
        check_refused(from_bytes(with_checksum(whole)), errc::truncated);
    }
}

TEST_CASE("a model file is loaded as it was saved and replaces an older one") {
    const temporary_directory place;
    const auto path = place / "job.bellamy";
    support::write_text(path, "an older file");
    const auto subject = random_model();
    CHECK(save(subject, path).has_value());
    CHECK(place.listing() == "job.bellamy ");
    const auto loaded = load(path);
    REQUIRE(loaded);
    CHECK(to_bytes(*loaded) == to_bytes(subject));
}

TEST_CASE("a file that cannot be written leaves the old one as it was") {
    const temporary_directory place;
    const auto subject = random_model();
    check_refused(save(subject, place / "missing/job.bellamy"), errc::cannot_write, {"a folder that exists", "missing"});

    const auto path = place / "job.bellamy";
    support::write_text(path, "an older file");
#if defined(__unix__)
    {
        // As if the disk were full after a hundred bytes.
        const largest_file limit(100);
        check_refused(save(subject, path), errc::cannot_write, {"job.bellamy"});
    }
    CHECK(support::read_text(path) == "an older file");
    CHECK(place.listing() == "job.bellamy ");
#endif

    // The last step cannot be done where the target is a directory that is not empty.
    const auto folder = place / "folder";
    std::filesystem::create_directory(folder);
    support::write_text(folder + "/inside", "a file");
    check_refused(save(subject, folder), errc::cannot_write, {"folder"});
    CHECK(support::read_text(folder + "/inside") == "a file");
    CHECK(place.listing() == "folder job.bellamy ");
}

#if defined(__unix__)
TEST_CASE("a model takes the place of a file alone, never of a pipe or a device") {
    const temporary_directory place;
    const auto pipe = place / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    check_refused(save(random_model(), pipe), errc::cannot_write, {"regular file", "pipe"});
    CHECK(std::filesystem::is_fifo(pipe));
    CHECK(place.listing() == "pipe ");
}
#endif

TEST_CASE("a file that cannot be read or is no model is refused by name") {
    const temporary_directory place;
    check_refused(load(place / "missing.bellamy"), errc::cannot_read, {"missing.bellamy"});
    support::write_text(place / "empty.bellamy", "");
    check_refused(load(place / "empty.bellamy"), errc::not_a_model);
    support::write_text(place / "runs.tsv", "scale_out\truntime\n2\t150\n");
    check_refused(load(place / "runs.tsv"), errc::not_a_model);
}

TEST_CASE("a model header holds the bytes of the model") {
    const auto subject = random_model();
    const auto header = to_header(subject, "sort_job", "first line\nsecond line \\");
    REQUIRE(header);
    const auto written = to_bytes(subject);
    CHECK(header->starts_with("// first line\n// second line \n#ifndef BELLAMY_MODELS_SORT_JOB\n"));
    CHECK(header->find("namespace bellamy_models {") != std::string::npos);
    CHECK(header->find("#include") == std::string::npos);
    CHECK(header->ends_with("#endif\n"));

    const auto declaration = "inline constexpr unsigned char sort_job[" + std::to_string(written.size()) + "] = {";
    const auto start = header->find(declaration);
    REQUIRE(start != std::string::npos);
    const auto end = header->find("};", start);
    std::istringstream rest(header->substr(start + declaration.size(), end - start - declaration.size()));
    std::vector<unsigned char> embedded;
    for (int value = 0; rest >> value; rest.ignore(1, ',')) {
        REQUIRE(value <= 255);
        embedded.push_back(static_cast<unsigned char>(value));
    }
    CHECK(embedded.size() == written.size());
    const auto loaded = from_bytes(std::span<const unsigned char>(embedded));
    REQUIRE(loaded);
    CHECK(to_bytes(*loaded) == written);
}

TEST_CASE("a model header needs a C++ identifier for a name") {
    const auto subject = random_model();
    for (const char* name : {"", "1st", "a-b", "a b", "a\nb", "\xC3\xBC"})
        check_refused(to_header(subject, name), errc::invalid_option, {name});
    for (const auto* name : {"_model_2", "A0", "Z9", "a", "z"}) CHECK(to_header(subject, name).has_value());
}

TEST_CASE("the paper's network takes less than 6 kilobytes") {
    schema c3o;
    for (const char* name : {"machine_type", "job_args", "data_size_MB", "data_characteristics", "environment"})
        c3o.essential.push_back({.name = name});
    for (const char* name : {"job_type", "memory", "slots"}) c3o.optional.push_back({.name = name});
    CHECK(to_bytes(model(c3o, {.algorithm = "grep"}, network<>(5))).size() < 6 * 1024);
}

TEST_CASE("a model has the same id before it is saved and after it is loaded, and another than any other") {
    const auto subject = random_model(1);
    const auto id = model_id(subject);
    CHECK(id.size() == 16);
    CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(model_id(*from_bytes(to_bytes(subject))) == id);
    CHECK(model_id(random_model(2)) != id);
    auto basis = subject.basis();
    basis.date = "2026-11-21";
    CHECK(model_id(model(subject.schema(), basis, subject.parameters())) != id);
}

TEST_CASE("an earlier and a later format are refused with those that can be read") {
    const auto sections = sections_of(random_model());
    for (const std::uint16_t major : {std::uint16_t{0}, std::uint16_t{model_format_major + 1}}) {
        const auto name = std::to_string(major) + ".7";
        check_refused(from_bytes(assembled(sections, major, 7)), errc::unsupported_version,
                      {std::to_string(earliest_model_format_major) + ".x", std::to_string(model_format_major) + ".x", name});
    }
}
