// Suggestions for misspelt words: which candidate is near enough.
#include <gtest/gtest.h>

#include <cli/suggestion.hpp>
#include <string>
#include <vector>

namespace {

using exactdot::cli::closest;
using exactdot::cli::suggestion;

const std::vector<std::string> words = {"dot", "generate", "lab", "--threads", "--mode"};

TEST(suggestion, is_the_word_with_the_fewest_edits) {
  for (const std::string word : {"dot", "dit", "dto", "dott", "dt", "do"})
    EXPECT_EQ(closest(word, words), "dot") << word;
  for (const std::string word : {"genrate", "generaet", "gnerete"})
    EXPECT_EQ(closest(word, words), "generate") << word;
  for (const std::string word : {"--thraeds", "-threads", "--tread"})
    EXPECT_EQ(closest(word, words), "--threads") << word;
}

TEST(suggestion, completes_abbreviations) {
  EXPECT_EQ(closest("gen", words), "generate");
  EXPECT_EQ(closest("g", words), "generate");
  EXPECT_EQ(closest("--th", words), "--threads");
}

TEST(suggestion, is_absent_if_no_word_is_near) {
  for (const std::string& word : {std::string("multiply"), std::string("xyz"), std::string(), std::string("--"),
                                  std::string("a.npy"), std::string(100'000, 'd')}) {
    EXPECT_EQ(closest(word, words), "");
  }
  EXPECT_EQ(closest("dot", {}), "");
}

TEST(suggestion, is_a_question_in_parentheses) {
  EXPECT_EQ(suggestion("dit", words), " (did you mean dot?)");
  EXPECT_EQ(suggestion("multiply", words), "");
}

}  // namespace
