"""The worker that makes the vectors of new messages, so that writing one never waits for the embedder."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from echovessel.embedding import Embedder
from echovessel.errors import EchoVesselError
from echovessel.memory.vectors import Vectors

BATCH = 64
_log = logging.getLogger(__name__)


def embed_pending(
    vectors: Vectors,
    embedder: Embedder,
    *,
    progress: Callable[[int], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Make every missing vector, a batch a transaction; gives how many were made.

    Parameters
    ----------
    progress : callable, optional
        Called with the number made so far after each batch.
    stopped : callable, optional
        Asked before each batch; true ends the work.

    Raises
    ------
    EmbedderMismatch
        The file holds vectors of another embedder.
    """
    made = 0
    while not stopped() and (waiting := vectors.pending(BATCH)):
        vectors.check(embedder.identity)
        made += vectors.fill(waiting, embedder.embed([text.passage for text in waiting], kind="passage"))
        if progress is not None:
            progress(made)
    return made


class EmbeddingWorker:
    """A thread that works off the queue whenever it is woken. The queue is in the file, so a kill loses nothing."""

    def __init__(self, vectors: Vectors, embedder: Embedder) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._wake = threading.Event()
        self._stop = False
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """There is something to do; starts the thread when none runs, also after an embedder's own error ended it."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="echovessel-embedding", daemon=True)
                self._thread.start()
        self._wake.set()

    def close(self) -> None:
        """Finish the batch at hand and stop; what is left waits in the file."""
        with self._lock:
            thread, self._thread, self._stop = self._thread, None, True
        self._wake.set()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            try:
                embed_pending(self._vectors, self._embedder, stopped=lambda: self._stop)
            except EchoVesselError as error:
                # The queue stays; the next message wakes the worker again.
                _log.warning("vectors could not be made: %s", error)
            if self._stop:
                return
