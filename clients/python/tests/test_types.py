"""The types are made by a program: each of them can be resolved."""
from __future__ import annotations

import typing
import unittest

from keepsake import types


class Types(unittest.TestCase):
    def test_every_type_can_be_resolved(self) -> None:
        tables = [value for value in vars(types).values() if hasattr(value, "__total__")]
        self.assertGreater(len(tables), 20)
        for table in tables:
            self.assertIsInstance(typing.get_type_hints(table), dict, table)


if __name__ == "__main__":
    unittest.main()
