"""The reasons that a TLS connection to a server fails, and what to do about them.

Sources: OpenSSL's manual page openssl-verification-options, "Diagnostics"; Python's documentation of `ssl.SSLError`.
"""

from __future__ import annotations

import os
from typing import Final

_MAX_CAUSES: Final = 20

_NOT_TRUSTED: Final = (
    "is not trusted",
    "if the server, or a proxy before it, has a certificate of your own, set SSL_CERT_FILE to a PEM file with all certificates to trust",
)
_OTHER_NAME: Final = (
    "is for another name",
    "put a name of the certificate into the URL; or give the server a certificate for this name, and name it in SSL_CERT_FILE",
)
_PROBLEMS: Final = {
    9: ("is not valid yet", "check the clock of this machine"),
    10: (
        "has expired",
        "renew it, or the one in SSL_CERT_FILE that has signed it, or check the clock of this machine",
    ),
    62: _OTHER_NAME,
    64: _OTHER_NAME,
}
"""OpenSSL's code for a certificate that is not accepted -> what is wrong with it, and what to do."""


def tls_problem(error: BaseException) -> str:
    """Return the reason that the TLS connection of a request failed, and what to do about it.

    The text is empty if something else failed.

    Args:
        error: The exception of an HTTP client, or of the function that reads the certificates to trust. Its causes are searched, too.
    """
    import ssl  # it takes 10 ms, and only failures need it

    cause: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        if cause is None or isinstance(cause, ssl.SSLError):
            break
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        what, advice = _PROBLEMS.get(cause.verify_code, _NOT_TRUSTED)
        return f"the certificate of the server {what} ({cause.verify_message.rstrip('.')}); {advice}"
    is_unreadable = isinstance(error, FileNotFoundError) or getattr(error, "library", None) == "X509"
    variable = next((name for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if os.environ.get(name)), None)
    if is_unreadable and variable is not None:
        return (
            f"the certificates in {variable} cannot be read; set it to where they are, in PEM, or remove the variable"
        )
    if type(cause) is not ssl.SSLError:  # a class of its own is for a connection that broke off
        return ""
    reason = (cause.reason or "unknown reason").lower().replace("_", " ")
    return f"the server does not speak TLS, or no version that this machine speaks ({reason}); check whether the URL must begin with http"
