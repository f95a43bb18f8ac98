"""Errors as answers: one sentence, one shape, which is OpenAI's."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException as AnyHTTPException

from echovessel.errors import (
    ConfigError,
    EchoVesselError,
    InputError,
    MissingExtra,
    ModelError,
    NotFoundError,
    SpendingLimit,
    StoreBusy,
    WasForgotten,
)

# The first that fits.
STATUS: tuple[tuple[type[EchoVesselError], int], ...] = (
    (NotFoundError, 404),
    (WasForgotten, 409),
    (InputError, 400),
    (SpendingLimit, 402),
    (ModelError, 502),
    (MissingExtra, 501),
    (StoreBusy, 503),
    (ConfigError, 500),
)
_log = logging.getLogger(__name__)


def status_of(error: EchoVesselError) -> int:
    """The HTTP status that an error is answered with."""
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


def told(message: str, kind: str) -> dict[str, Any]:
    """The body of an answer that says what went wrong."""
    return {"error": {"message": message, "type": kind, "code": None}}


def answer_errors(app: FastAPI) -> None:
    """Have every error answered in one sentence; what nobody foresaw goes to the log, not to the caller."""

    @app.exception_handler(EchoVesselError)
    def expected(request: Request, error: EchoVesselError) -> JSONResponse:
        return JSONResponse(told(str(error), type(error).__name__), status_of(error))

    @app.exception_handler(AnyHTTPException)
    def refused(request: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse(told(str(error.detail), "HTTPException"), error.status_code, error.headers)

    @app.exception_handler(RequestValidationError)
    def misshapen(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        why = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
        return JSONResponse(told(f"{where or 'The body'}: {why}. See /openapi.json.", "InputError"), 422)

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> JSONResponse:
        _log.error("a request broke", exc_info=error)
        what = f"Something inside EchoVessel broke ({type(error).__name__}). The log says where."
        return JSONResponse(told(what, "internal"), 500)
