"""What the library refuses, as an exception."""

from __future__ import annotations


class Error(Exception):
    """`code` is the number of `errc` (never reused), `name` its name, the message what was expected and found."""

    code: int
    name: str
    message: str

    def __init__(self, code: int, name: str, message: str) -> None:
        super().__init__(code, name, message)
        self.code = code
        self.name = name
        self.message = message

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


def invalid_argument(message: str) -> Error:
    return Error(200, "invalid_argument", message)
