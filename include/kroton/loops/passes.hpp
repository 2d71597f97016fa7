// The table of passes over scans.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/arrays_outside.hpp>
#include <kroton/loops/backwards.hpp>
#include <kroton/loops/batched.hpp>
#include <kroton/loops/counters.hpp>
#include <kroton/loops/cumulative.hpp>
#include <kroton/loops/factors.hpp>
#include <kroton/loops/fewer_steps.hpp>
#include <kroton/loops/invariants.hpp>
#include <kroton/loops/joined_products.hpp>
#include <kroton/loops/last_values.hpp>
#include <kroton/loops/literals.hpp>
#include <kroton/loops/merge.hpp>
#include <kroton/loops/repeated.hpp>
#include <kroton/loops/short_chains.hpp>
#include <kroton/loops/stacked.hpp>
#include <kroton/loops/subscripts.hpp>
#include <kroton/loops/sums.hpp>
#include <kroton/loops/taken_in.hpp>
#include <kroton/loops/written_out.hpp>
#include <kroton/rewrite/engine/graph_pass.hpp>

namespace kroton::loops {

using rewrite::any_of;
using rewrite::graph_pass;
using rewrite::rewrite_options;

constexpr graph with_clean_scans(graph g, rewrite_options const&) {
  return cleaned_scans(std::move(g));
}
constexpr graph with_merged_scans(graph g, rewrite_options const&) {
  return cleaned_scans(merged_scans(std::move(g)));
}

// Once, between two normal forms.
inline constexpr graph_pass first_scan_passes[] = {
    {{.name = "scan_fill",
      .book = "scan",
      .ids = "N6",
      .says = "an array of which each step writes one place and reads others at fixed distances is "
              "made behind the loop, of states that go back as many steps",
      .optional = true},
     {any_of<op::scan>()},
     "before all others: what it leaves is in no normal form yet",
     &with_arrays_outside},
};

// Another order of operations rounds in another way.
inline constexpr graph_pass scan_passes[] = {
    {{.name = "scan_last_row",
      .book = "scan",
      .ids = "N11",
      .says = "of a loop in segments the last state is known without the stack of all",
      .optional = true},
     {any_of<op::stacked>()},
     "before cleaning: nothing may read the stacks then",
     &with_last_rows},
    {{.name = "scan_counters",
      .book = "scan",
      .ids = "",
      .says = "what a state that only counts is after each step is known before the loop",
      .optional = true},
     {any_of<op::scan>()},
     "before cleaning: nothing may read the state then",
     &with_counters_outside},
    {{.name = "scan_repeated",
      .book = "scan",
      .ids = "N1",
      .says = "a sequence that repeats one value, such as the gradient of a sum, is a constant",
      .optional = true},
     {any_of<op::scan>()},
     "before cleaning, which drops the sequence",
     &with_repeated_sequences},
    {{.name = "scan_clean",
      .book = "scan",
      .ids = "N1 N9 N12",
      .says = "a scan has no results, states, sequences or constants that nothing reads, and each "
              "once",
      .optional = true},
     {any_of<op::scan>()},
     "first: what is gone need not be looked at",
     &with_clean_scans},
    {{.name = "scan_literals",
      .book = "scan",
      .ids = "N1",
      .says = "a constant of a loop that is a number is this number in its body",
      .optional = true},
     {any_of<op::scan>()},
     "before the passes that look at numbers in bodies",
     &with_literals_in_bodies},
    {{.name = "scan_split_products",
      .book = "scan",
      .ids = "N5",
      .says = "a product of a state and an element that are joined is the sum of their products",
      .optional = true,
      .real = true},
     {any_of<op::scan>()},
     "before constants leave the loop: the blocks of a matrix are some",
     &with_split_products},
    {{.name = "scan_push_out_non_seq",
      .book = "scan",
      .ids = "N2",
      .says = "what is the same in every step is computed before the loop",
      .optional = true},
     {any_of<op::scan>()},
     "before batching, which takes it as a constant",
     &with_hoisted_invariants},
    {{.name = "scan_subscripts",
      .book = "scan",
      .ids = "N3 N4",
      .says = "what each step reads of an array at an index that moves with it is a sequence, and "
              "what it writes there is a stack, written at once",
      .optional = true,
      .real = true},
     {any_of<op::scan>()},
     "before batching and sums, which look at sequences and outputs",
     &with_subscripts_as_sequences},
    {{.name = "scan_factor_once",
      .book = "scan",
      .ids = "N13",
      .says = "a matrix that is the same in every step is factorized before the loop",
      .optional = true,
      .real = true},
     {any_of<op::scan>()},
     "behind what makes matrices constants",
     &with_factors_outside},
    {{.name = "scan_push_out_sums",
      .book = "scan",
      .ids = "N4",
      .says = "sums over the steps of which only the total is read are products of all steps",
      .optional = true,
      .real = true},
     {any_of<op::scan>()},
     "before elements are batched, some of them as columns, which sums take apart as vectors",
     &with_sums_outside},
    {{.name = "scan_push_out_seq",
      .book = "scan",
      .ids = "N3 N5",
      .says = "products and functions of elements alone are computed for all steps at once; a loop "
              "without states is gone",
      .optional = true,
      .real = true},
     {any_of<op::scan>()},
     "after sums, whose factors may be functions of elements alone",
     &with_batched_parts},
    {{.name = "scan_merge",
      .book = "scan",
      .ids = "N8",
      .says = "scans over the same steps that do not wait for each other are one, and compute what "
              "both do once",
      .optional = true},
     {any_of<op::scan>()},
     "after everything that leaves loops: what is left of two is more alike",
     &with_merged_scans},
    {{.name = "scan_reduce_steps",
      .book = "scan",
      .ids = "N10",
      .says = "a loop of which the first rows alone are read does no more steps",
      .optional = true},
     {any_of<op::scan>()},
     "after merging: another scan may need more steps",
     &with_fewer_steps},
    {{.name = "scan_save_mem",
      .book = "scan",
      .ids = "I6 N6 N11",
      .says = "a state or an output of which the last rows alone are read, or none, is not stored "
              "step by step",
      .optional = true},
     {any_of<op::scan>()},
     "after merging: another scan may have read all steps",
     &with_last_values},
    {{.name = "scan_accumulate",
      .book = "scan",
      .ids = "",
      .says = "running sums and products of what needs no state are cumsum and cumprod, or, where "
              "only the last is read, sum and prod",
      .optional = true,
      .real = true},
     {any_of<op::scan>()},
     "after it is known of which states only the last value is read",
     &with_accumulations_outside},
    {{.name = "scan_write_out",
      .book = "scan",
      .ids = "N14 N15",
      .says = "a loop of one step, or of a few small ones whose number is known, is written out",
      .optional = true},
     {any_of<op::scan>()},
     "last: what is left of a loop is small, and what is not read of it is gone",
     &with_short_loops_out},
};

// Once, when nothing else is done to loops any more.
inline constexpr graph_pass last_scan_passes[] = {
    {{.name = "scan_take_in",
      .book = "scan",
      .ids = "",
      .says = "a sequence that a cheap operation makes for a loop of numbers is made in the loop",
      .optional = true},
     {any_of<op::scan>()},
     "against scan_push_out_seq, which may have brought it out to find sums and products",
     &with_cheap_sequences_inside},
    {{.name = "scan_backwards",
      .book = "scan",
      .ids = "",
      .says = "a stack that is read from its end alone, such as the gradient by a sequence, is "
              "stored in this order",
      .optional = true},
     {any_of<op::scan>()},
     "last: it changes where rows lie, which other passes count",
     &with_backward_stacks},
};

// When the operations are those that run.
inline constexpr graph_pass lowered_scan_passes[] = {
    {{.name = "scan_short_chains",
      .book = "scan",
      .ids = "",
      .says = "sums and products of numbers and elements take last what the step before gives",
      .optional = true,
      .real = true},
     {any_of<op::scan>()},
     "behind everything that orders terms and factors",
     &with_short_chains},
};

}  // namespace kroton::loops
