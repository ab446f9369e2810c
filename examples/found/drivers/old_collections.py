"""numpy-ml 0.1.2 was written for Python before 3.10: imported ahead of it."""

import collections
import collections.abc

collections.Hashable = collections.abc.Hashable
