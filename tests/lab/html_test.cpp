// The page with the stepper: names and values of arrays, the JSON of known runs, limits, and the page's text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <exactdot/error.hpp>
#include <lab/html_runs.hpp>
#include <nlohmann/json.hpp>
#include <simt/page/json.hpp>
#include <simt/page/json_text.hpp>
#include <simt/page/names.hpp>
#include <simt/page/page.hpp>

namespace {

using namespace exactdot;
using namespace exactdot::lab;
using nlohmann::ordered_json;
using simt::left_out_of, simt::named_range, simt::parameter, simt::parameters_of, simt::value_text;

rung rung_named(std::string_view name) {
  for (const rung& one : ladder(backend::simt)) {
    if (one.info.name == name) return one;
  }
  throw std::runtime_error("no such rung");
}

hazard hazard_named(std::string_view name) {
  for (const hazard& one : hazards(backend::simt)) {
    if (one.info.name == name) return one;
  }
  throw std::runtime_error("no such hazard");
}

html_rung_request ones(std::size_t n, unsigned grid, unsigned block) {
  html_rung_request request;
  request.n = n, request.block = block, request.grid = grid;
  request.data.data = io::data_set::ones;
  return request;
}

ordered_json json_of(const std::vector<html_subject>& subjects) {
  return ordered_json::parse(simt::json_of(subjects, "command", kernel_source));
}

std::string page_of(const std::string& title, const std::string& command,
                    const std::vector<html_subject>& subjects) {
  return simt::page_of(title, command, subjects, kernel_source);
}

const ordered_json& array_named(const ordered_json& run, std::string_view name) {
  for (const ordered_json& one : run["arrays"]) {
    if (one["name"] == name) return one;
  }
  throw std::runtime_error("no such array");
}

TEST(html_names, reads_the_parameters_of_a_kernel) {
  constexpr std::string_view source =
      "template <class T>\n__global__ void add(const T* a, std::size_t n,\n  device_lock lock, unsigned long long* "
      "out) {}\n"
      "__global__ void other(int* x) {}";
  const std::vector<parameter> found = parameters_of(source, "add<float>");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].name, "a");
  EXPECT_EQ(found[0].type, "T");
  EXPECT_TRUE(found[0].may_point);
  EXPECT_FALSE(found[1].may_point);
  EXPECT_TRUE(found[2].may_point);
  EXPECT_EQ(found[3].type, "unsigned long long");
  EXPECT_EQ(parameters_of(source, "other").size(), 1U);
  EXPECT_TRUE(parameters_of(source, "absent").empty());
}

TEST(html_names, reads_kernels_with_launch_bounds_and_in_namespaces) {
  constexpr std::string_view source = "__global__ void __launch_bounds__(256, 2) add(float* const x, int n) {}";
  const std::vector<parameter> found = parameters_of(source, "mine::add");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "x");
  for (const char* const broken : {"__global__", "__global__ add(", "__global__ __launch_bounds__ add", "add)("})
    EXPECT_TRUE(parameters_of(broken, "add").empty()) << broken;
}

TEST(html_json, text_is_valid_whatever_its_bytes) {
  std::string bytes;
  for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
  bytes += "\xe2\x82\xac \xc3 \xf0\x9f";  // a whole character, and beginnings of others
  const std::string text = simt::json_text(bytes);
  EXPECT_EQ(text.find('<'), std::string::npos);
  const std::string read = ordered_json::parse(text);
  EXPECT_EQ(read.substr(0, 128), bytes.substr(0, 128));
  EXPECT_NE(read.find("\xe2\x82\xac"), std::string::npos);
}

TEST(html_names, writes_values_by_their_type) {
  const auto text = [](auto value, const char* type) {
    named_range range;
    range.type = type, range.element = sizeof value;
    return value_text(&value, range);
  };
  EXPECT_EQ(text(1.5F, "float"), "1.5");
  EXPECT_EQ(text(-7, "int"), "-7");
  EXPECT_EQ(text(~0U, "unsigned"), "4294967295");
  EXPECT_EQ(text(0.1, "double"), "0.1");
  EXPECT_EQ(text(static_cast<short>(-3), "short"), "-3");
  EXPECT_EQ(text(3, ""), "3") << "unknown, but a small integer";
  EXPECT_EQ(text(2.5F, ""), "2.5") << "unknown, but a plausible float";
}

TEST(html_json, has_the_steps_of_a_known_kernel) {
  const html_subject subject = record_rung(rung_named("shared_host_sum"), ones(8, 1, 8), 1, {});
  EXPECT_NE(subject.about.find("n = 8, result 8, exact 8"), std::string::npos) << subject.about;
  const ordered_json all = json_of({subject});
  const ordered_json& run = all["subjects"][0]["runs"][0];
  EXPECT_EQ(run["kernel"], "combine_blocks<sum, float>");
  EXPECT_EQ(run["shown"].size(), 8U);
  EXPECT_EQ(run["leftOut"], "");
  EXPECT_TRUE(run["faults"].empty());
  EXPECT_TRUE(all["sources"].contains("shared_host_sum.cu"));
  for (const char* const name : {"a", "b", "partial", "partials"}) {
    const ordered_json& array = array_named(run, name);
    EXPECT_EQ(array["type"], "float") << name;
    EXPECT_EQ(array["space"], name == std::string_view("partial") ? "shared" : "global");
    EXPECT_EQ(array["values"][0], name[0] == 'p' ? ordered_json(nullptr) : ordered_json("1")) << name;
  }
  int reads = 0, writes = 0, barriers = 0, exits = 0, opened = 0;
  for (const ordered_json& step : run["steps"]) {
    const auto kind = static_cast<simt::step_kind>(step[2].get<int>());
    reads += kind == simt::step_kind::read, writes += kind == simt::step_kind::write;
    barriers += kind == simt::step_kind::barrier, exits += kind == simt::step_kind::exited;
    opened += kind == simt::step_kind::opened;
  }
  EXPECT_EQ(reads, 8 * 2 + 2 * (4 + 2 + 1) + 1);
  EXPECT_EQ(writes, 8 + (4 + 2 + 1) + 1);
  EXPECT_EQ(barriers, 4 * 8);
  EXPECT_EQ(opened, 4);
  EXPECT_EQ(exits, 8);
}

TEST(html_json, replaying_the_steps_gives_the_result) {
  const html_subject subject = record_rung(rung_named("partial_per_thread"), ones(16, 2, 4), 3, {});
  const ordered_json run = json_of({subject})["subjects"][0]["runs"][0];
  std::vector<ordered_json> memory;
  for (const ordered_json& array : run["arrays"]) memory.push_back(array["values"]);
  for (const ordered_json& step : run["steps"]) {
    if (step[6] < 0) continue;
    ordered_json& word = memory.at(step[6])[step[7].get<std::size_t>()];
    EXPECT_EQ(word, step[9]) << "the value before is that after the steps before";
    word = step[10];
  }
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (run["arrays"][i]["name"] == "partials") {
      EXPECT_EQ(memory[i], ordered_json(std::vector<std::string>(8, "2")));
    }
  }
}

TEST(html_json, says_what_is_left_out) {
  const html_subject subject =
      record_rung(rung_named("shared_host_sum"), ones(32, 2, 16), 1, {.max_steps = 20, .max_threads = 16});
  const ordered_json run = json_of({subject})["subjects"][0]["runs"][0];
  EXPECT_EQ(run["steps"].size(), 20U);
  const std::string left_out = run["leftOut"];
  EXPECT_NE(left_out.find("steps after the first 20; "), std::string::npos) << left_out;
  EXPECT_NE(left_out.find("of the 16 threads after the first 16"), std::string::npos) << left_out;
  ASSERT_EQ(left_out_of(std::vector{subject}).size(), 1U);
  EXPECT_NE(page_of("t", "c", {subject}).find(left_out), std::string::npos);
}

TEST(html_json, follows_a_schedule) {
  const html_subject subject = record_hazard(hazard_named("race_condition"), 1, {.script = {5, 0, 5, 0}});
  const auto& steps = subject.launches.at(0).steps;
  EXPECT_EQ(steps.at(0).thread, 5U);
  EXPECT_EQ(steps.at(1).thread, 0U);
  EXPECT_EQ(steps.at(2).after.words[0], 1U);
  const ordered_json run = json_of({subject})["subjects"][0]["runs"][0];
  EXPECT_EQ(run["faults"][0]["kind"], "data_race");
  EXPECT_EQ(run["faults"][0]["sites"][0][0], "race_condition.cu");
  EXPECT_EQ(run["scheduled"], true);
}

TEST(html_json, refuses_schedules_of_unknown_threads_and_steps) {
  const auto message = [](std::vector<unsigned> script) -> std::string {
    try {
      static_cast<void>(record_hazard(hazard_named("race_condition"), 1, {.script = std::move(script)}));
    } catch (const error& refused) {
      EXPECT_EQ(refused.code(), errc::bad_option);
      return refused.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({0, 8}), "--schedule: step 2: no thread 8; the launch of count_plainly has threads 0 to 7");
  EXPECT_EQ(message({1, 1, 1}), "--schedule: step 3: thread 1 of count_plainly cannot take it: it has exited");
}

TEST(html_json, step_by_step_has_both_interleavings) {
  const html_subject subject = record_hazard(hazard_named("step_by_step"), 1, {});
  ASSERT_EQ(subject.launches.size(), 2U);
  const char* const results[] = {"9", "8"};
  const ordered_json all = json_of({subject});
  for (std::size_t i = 0; i < 2; ++i) {
    const ordered_json& run = all["subjects"][0]["runs"][i];
    EXPECT_EQ(array_named(run, "x")["values"][0], "7");
    EXPECT_EQ(array_named(run, "held")["space"], "shared");
    std::string last;
    for (const ordered_json& step : run["steps"]) {
      if (step[6] >= 0 && run["arrays"][step[6].get<std::size_t>()]["name"] == "x") last = step[10];
    }
    EXPECT_EQ(last, results[i]);
  }
}

TEST(html_json, every_hazard_and_rung_has_a_page) {
  for (const hazard& one : hazards(backend::simt)) {
    const html_subject subject = record_hazard(one, 1, {.max_watched_steps = 0});
    const ordered_json all = json_of({subject});
    EXPECT_FALSE(all["sources"].empty()) << one.info.name;
    EXPECT_LT(page_of(one.info.name, "", {subject}).size(), 2'000'000U) << one.info.name;
  }
  for (const rung& one : ladder(backend::simt)) {
    if (one.target != backend::simt) continue;
    const html_subject subject = record_rung(one, {}, 1, {.max_watched_steps = 0});
    EXPECT_FALSE(subject.launches.empty()) << one.info.name;
    for (const auto& launch : subject.launches) {
      EXPECT_EQ(launch.faults.empty(), !one.info.wrong_on_purpose) << one.info.name;
    }
  }
}

TEST(html_page, is_complete_and_closes_no_script_early) {
  html_subject subject = record_rung(rung_named("racy"), ones(8, 0, 4), 1, {});
  subject.about = "</script><b>";
  const std::string page = page_of("A < B", "exactdot lab", {subject});
  EXPECT_NE(page.find("<title>A &lt; B</title>"), std::string::npos);
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  EXPECT_EQ(page.find("@DATA@"), std::string::npos);
  EXPECT_EQ(page.find("@SCRIPT@"), std::string::npos);
  EXPECT_NE(page.find("</html>"), std::string::npos);
}

}  // namespace
