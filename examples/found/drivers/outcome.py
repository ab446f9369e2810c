"""What a driver ends with: digests of what it trained, so that two versions of a package are told equal to the bit."""

import hashlib

import numpy as np


def show(**results):
    for name, value in results.items():
        value = value.detach() if hasattr(value, "detach") else value
        array = np.ascontiguousarray(np.asarray(value))
        digest = hashlib.sha256(array.tobytes()).hexdigest()[:16]
        print(f"{name}: {array.dtype}{list(array.shape)} mean {float(array.mean()):.9g} sha {digest}")
