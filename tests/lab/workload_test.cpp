// Workloads: sums of rows beside the dot product. The harness checks each row; reports name the workload.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <exactdot/error.hpp>
#include <lab/checks.hpp>
#include <lab/explain.hpp>
#include <lab/ladder.hpp>
#include <lab/report.hpp>
#include <nlohmann/json.hpp>

#include "lab/wrong_rungs.hpp"

namespace {

using namespace lab_test;
using exactdot::element;

constexpr std::size_t row_length = 8;

std::size_t rows_of(std::size_t n, const division& = {}) { return (n + row_length - 1) / row_length; }

template <element T>
host_vectors<T> with_ones(host_vectors<T> made) {
  std::ranges::fill(made.b, T{1});
  return made;
}

template <element T>
host_vectors<T> row_data(const exactdot::io::data_request& request, const division& parts = {}) {
  return with_ones(dot_workload().of<T>().data(request, parts));
}

template <element T>
host_vectors<T> row_integers(std::size_t n, operation op, const division& parts) {
  return with_ones(dot_workload().of<T>().integers(n, op, parts));
}

template <element T>
std::vector<reference<T>> row_references(const vector_views<T>& of, operation op, const division& = {}) {
  std::vector<reference<T>> rows;
  for (std::size_t first = 0; first < of.a.size(); first += row_length) {
    const std::size_t count = std::min(row_length, of.a.size() - first);
    rows.emplace_back(of.a.subspan(first, count), of.b.subspan(first, count), op);
  }
  return rows;
}

template <element T>
constexpr workload_functions<T> row_functions{row_data<T>, row_integers<T>, row_references<T>};

/// A host rung with a result for each row; `change` spoils them.
template <class T, class Change>
class prepared_rows final : public prepared_rung<T> {
 public:
  prepared_rows(const Change& change, const rung_input<T>& input) : change_(change), input_(input) {}
  void launch() override {
    sums_.assign(input_.results, T{0});
    for (std::size_t i = 0; i < input_.config.n; ++i) sums_[i / row_length] += input_.a[i];
    change_(sums_);
  }
  T result() override { return sums_.empty() ? T{0} : sums_.front(); }
  std::vector<T> results() override { return sums_; }

 private:
  Change change_;
  rung_input<T> input_;
  std::vector<T> sums_;
};

template <class T, class Change>
rung_factory<T> rows_factory(const Change& change) {
  return [=](const rung_input<T>& input) { return std::make_unique<prepared_rows<T, Change>>(change, input); };
}

template <class Change>
rung row_rung(const char* name, const Change& change) {
  rung_info info = loop_promises();
  info.name = name;
  info.summary = "a loop over each row";
  info.roundings = [](const launch_config&) -> std::uint64_t { return row_length; };
  info.workload = "row_sums";
  return {info, backend::host, rows_factory<float>(change), rows_factory<double>(change)};
}

const auto unchanged = [](auto&) {};

const bool is_registered = [] {
  add_workload({.name = "row_sums",
                .summary = "sums of rows of 8 elements",
                .terms = "elements",
                .results = rows_of,
                .of_float = row_functions<float>,
                .of_double = row_functions<double>});
  add_rung(row_rung("row_loop", unchanged));
  return true;
}();

ladder_request request_for(std::size_t n) {
  ladder_request request;
  request.workload = "row_sums";
  request.data.n = n;
  request.options.runs = 2;
  request.memory_limit = std::size_t{1} << 30;
  request.target = backend::host;
  return request;
}

TEST(workload, runs_its_own_rungs_on_its_own_data) {
  ASSERT_TRUE(is_registered);
  const ladder_result result = run_ladder(request_for(1001));
  ASSERT_EQ(result.measurements.size(), 1U) << "rungs of another workload do not run";
  const measurement& rows = result.measurements.front();
  EXPECT_TRUE(passed(rows));
  EXPECT_EQ(rows.values.size(), 126U);
  EXPECT_EQ(rows.distinct_results, 1);
  const host_vectors<float> data = row_data<float>(request_for(1001).data);
  EXPECT_EQ(result.exact, row_references<float>(data, operation::sum).front().value());
}

TEST(workload, of_no_elements_has_no_results) {
  const ladder_result result = run_ladder(request_for(0));
  EXPECT_TRUE(result.measurements.front().values.empty());
  EXPECT_TRUE(passed(result.measurements.front()));
}

/// Checks a rung that is right on integers and wrong on these data, which are longer.
template <class Change>
measurement changed(Change change) {
  const std::unique_ptr<executor> host = open_executor(backend::host);
  const host_vectors<float> data = row_data<float>({.n = 5000});
  const rung tested = row_rung("changed", [=](auto& sums) {
    if (sums.size() == rows_of(5000)) change(sums);
  });
  return measure(tested, *host, problem<float>(*host, data, operation::sum, find_workload("row_sums")), {});
}

TEST(workload, checks_each_result) {
  EXPECT_TRUE(passed(changed(unchanged)));
  EXPECT_TRUE(rejected(changed([](auto& sums) { sums[77] *= 2; }), "result 77: an error of "));
  EXPECT_TRUE(rejected(changed([](auto& sums) { std::swap(sums[1], sums[2]); }), "result 1: an error of "));
  EXPECT_TRUE(rejected(changed([](auto& sums) { sums.pop_back(); }), "624 results instead of 625"));
  EXPECT_TRUE(rejected(changed([](auto& sums) { sums.back() = std::nanf(""); }), "result 624: an error of nan"));
}

TEST(workload, compares_the_bits_of_all_results) {
  bool up = false;
  const measurement varying = changed([&up](auto& sums) {
    up = !up;
    sums.back() = std::nextafter(sums.back(), up ? 9.F : -9.F);
  });
  EXPECT_TRUE(rejected(varying, "2 different results in 5 runs; the rung promises one"));
}

TEST(workload, must_be_exact_on_integers_in_each_result) {
  const std::unique_ptr<executor> host = open_executor(backend::host);
  measurement result;
  const rung last_row = row_rung("last_row", [](auto& sums) {
    if (sums.size() > 3) sums.back() += 1;
  });
  result.info = last_row.info;
  EXPECT_FALSE(exact_on_integers<double>(last_row, *host, {}, result));
  EXPECT_EQ(result.fault.find("on integers, n = 31, starts 0 and 0: result 3: "), 0U) << result.fault;
}

TEST(workload, is_named_in_reports_and_in_the_list) {
  const ladder_result result = run_ladder(request_for(100));
  EXPECT_EQ(json_of(result)["workload"], "row_sums");
  EXPECT_EQ(table_of(result).find("host: sum of 100 elements, data uniform, float32\n"), 0U) << table_of(result);
  const std::string list = rung_list();
  const std::size_t dot = list.find("workload dot:"),
                    rows = list.find("workload row_sums: sums of rows of 8 elements\n");
  ASSERT_NE(rows, std::string::npos) << list;
  EXPECT_EQ(dot, 0U);
  EXPECT_LT(list.find(" cpu_loop "), rows);
  EXPECT_GT(list.find(" row_loop "), rows);
}

TEST(workload, keeps_the_ladder_of_the_dot_product) {
  EXPECT_TRUE(std::ranges::none_of(ladder(backend::simt),
                                   [](const rung& one) { return one.info.workload != std::string_view("dot"); }));
  ladder_request request = request_for(9);
  request.workload = "dot", request.rungs = {"row_loop"};
  EXPECT_THROW(static_cast<void>(choose_rungs(request)), exactdot::error);
  EXPECT_EQ(ladder_result{}.workload, "dot");
}

TEST(workload, refuses_an_unknown_name) {
  try {
    static_cast<void>(find_workload("columns"));
    FAIL() << "no error";
  } catch (const exactdot::error& fault) {
    EXPECT_STREQ(fault.what(), "'columns': unknown workload; expected dot, rows, groups, row_sums");
  }
}

}  // namespace
