"""How the table is divided, without Spark: cuts on a sample, merging, keys."""
import unittest

import numpy as np

from pgveil_spark import plan


def parts_of(tree, sample):
    """By the rule that Spark is given: ≤ goes left."""
    def of(node, row):
        while isinstance(node, plan.Cut):
            node = node.left if row[node.dimension] <= node.last else node.right
        return node.part
    return [of(tree, row) for row in sample]


class Plan(unittest.TestCase):
    def test_quantiles_are_of_the_attribute_with_the_best_score(self):
        sample = np.array([[float(i % 2), float(i)] for i in range(100)])
        tree = plan.quantiles(sample, 4, "entropy", [1.0, 99.0])
        self.assertEqual(plan.dimensions_of(tree), {1})
        self.assertEqual(list(plan.leaves(tree)), [0, 1, 2, 3])
        self.assertEqual(np.bincount(parts_of(tree, sample)).tolist(), [25, 25, 25, 25])
        self.assertEqual(plan.dimensions_of(plan.quantiles(sample, 2, "min_entropy", [1.0, 99.0])), {0})

    def test_an_attribute_with_few_values_gives_fewer_parts(self):
        sample = np.array([[0.0]] * 90 + [[1.0]] * 10)
        tree = plan.quantiles(sample, 4, "span", [1.0])
        self.assertEqual(np.bincount(parts_of(tree, sample)).tolist(), [90, 10])

    def test_without_a_sample_or_with_one_value_there_is_one_part(self):
        for sample in (np.zeros((0, 2)), np.ones((50, 2))):
            for make in (plan.quantiles, plan.multidimensional):
                self.assertEqual(make(sample, 4, "entropy", [1.0, 1.0]), plan.Leaf(0))

    def test_multidimensional_parts_are_as_many_as_asked_for_and_even(self):
        random = np.random.default_rng(1)
        sample = random.normal(size=(1000, 3))
        for parts in (2, 3, 4, 7, 16):
            tree = plan.multidimensional(sample, parts, "normalized_span", [6.0, 6.0, 6.0])
            counts = np.bincount(parts_of(tree, sample))
            self.assertEqual(sorted(plan.leaves(tree)), list(range(parts)))
            self.assertEqual(len(counts), parts)
            self.assertLess(counts.max(), 2.1 * counts.min())

    def test_the_median_goes_to_the_side_that_is_less_uneven(self):
        for column, left in (([1, 1, 1, 2], 3), ([1, 2, 2, 2], 1), ([1, 2, 2, 3, 4], 3), ([1, 2, 3, 4], 2)):
            tree = plan.multidimensional(np.array([[float(x)] for x in column]), 2, "span", [3.0])
            self.assertEqual(parts_of(tree, [[x] for x in column]).count(0), left, column)

    def test_null_stands_before_all_numbers_and_spans_the_whole(self):
        sample = np.array([[-np.inf, 0.0], [5.0, 40.0], [6.0, 80.0], [7.0, 100.0]])
        self.assertEqual(plan.scores(sample, "normalized_span", [100.0, 200.0])[0][1], 0)
        tree = plan.multidimensional(sample, 2, "normalized_span", [100.0, 200.0])
        self.assertEqual(parts_of(tree, sample), [0, 0, 1, 1])

    def test_scores_are_as_the_native_cut_has_them(self):
        sample = np.array([[0.0, 0.0], [0.0, 1.0], [10.0, 2.0], [10.0, 3.0]])
        self.assertEqual([d for _, d in plan.scores(sample, "entropy", [10.0, 3.0])], [1, 0])
        self.assertEqual([d for _, d in plan.scores(sample, "min_entropy", [10.0, 3.0])], [0, 1])
        self.assertEqual([d for _, d in plan.scores(sample, "span", [10.0, 3.0])], [0, 1])
        self.assertEqual([d for _, d in plan.scores(sample, "normalized_span", [20.0, 3.0])], [1, 0])
        self.assertEqual(
            [d for _, d in plan.scores(sample, "normalized_span", [10.0, 3.0])], [0, 1], "equal: the first"
        )

    def test_parts_that_fail_go_to_the_smaller_neighbour(self):
        self.assertEqual(plan.merged([0, 1, 2], {0: 10, 1: 1, 2: 5}, {1}), {0: 0, 1: 1, 2: 1})
        self.assertEqual(plan.merged([0, 1, 2], {0: 1, 1: 9, 2: 5}, {0}), {0: 0, 1: 0, 2: 1})
        self.assertEqual(plan.merged([0, 1, 2], {0: 4, 2: 5}, set()), {0: 0, 1: 0, 2: 1}, "an empty one too")
        self.assertEqual(
            len(set(plan.merged([0, 1, 2, 3], {0: 1, 1: 1, 2: 1, 3: 1}, {0, 1, 2, 3}).values())), 1
        )
        self.assertEqual(plan.merged([0], {0: 1}, {0}), {0: 0})

    def test_a_key_is_sent_to_its_part(self):
        # Spark: SELECT hash(0), hash(1), hash(-1 and others) with its seed of 42.
        self.assertEqual([plan.murmur3(number) for number in (0, 1, 42)], [933211791, -559580957, 29417773])
        for parts in (1, 2, 16, 100):
            self.assertEqual(
                [plan.murmur3(plan.key_of_part(part, parts)) % parts for part in range(parts)],
                list(range(parts)),
            )


if __name__ == "__main__":
    unittest.main()
