"""Tests the check of decision records. The other checks of prose.py have no tests."""

from __future__ import annotations

import unittest

import prose


def record(number: int, sections: str = "Context Decision Consequences Alternatives") -> str:
    return f"# {number}. Title\n\nStatus: accepted.\n" + "".join(f"\n## {each}\nText.\n" for each in sections.split())


class DecisionTemplateTest(unittest.TestCase):
    def assert_errors(self, second: str, *expected: str, name: str = "0002-b.md") -> None:
        errors = list(prose.template_errors({"0001-a.md": record(1), name: second}))
        self.assertEqual(len(errors), len(expected), errors)
        for error, part in zip(errors, expected):
            self.assertIn(part, error)

    def test_records_of_the_template_have_no_error(self) -> None:
        self.assert_errors(record(2))

    def test_each_section_is_needed_in_its_place(self) -> None:
        self.assert_errors(record(2, "Context Decision Alternatives"), "0002-b.md: has the sections Context, Decision,")
        self.assert_errors(record(2, "Context Decision Alternatives Consequences"), "0002-b.md: has the sections")
        self.assert_errors(record(2) + "\n## Notes\n", "0002-b.md: has the sections")

    def test_the_title_has_the_number_of_the_file(self) -> None:
        self.assert_errors(record(3), "0002-b.md: does not begin with '# 2. TITLE'")

    def test_a_status_is_needed(self) -> None:
        self.assert_errors(record(2).replace("Status", "State"), "0002-b.md: does not begin with")

    def test_numbers_have_no_gap_and_no_double(self) -> None:
        self.assert_errors(record(3), "0003-c.md: the record before it has the number 1", name="0003-c.md")
        self.assert_errors(record(1), "0001-b.md: the record before it has the number 1", name="0001-b.md")


if __name__ == "__main__":
    unittest.main()
