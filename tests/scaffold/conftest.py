"""A proven jail, shared by the tests here, and the linters that the development requirements bring."""

from collections.abc import Iterator

import pytest

from envbounty.sandbox import Jail, JailUnavailable
from envbounty.sandbox.opening import open_jail


@pytest.fixture(scope="session")
def jail() -> Iterator[Jail]:
    try:
        pool = open_jail("auto", 2)
    except JailUnavailable as error:
        pytest.skip(f"no jail here: {error}")
    yield pool
    pool.close()
