"""Certificates for tests, made with the openssl command: an authority, and what it signs."""
import os
import pathlib
import subprocess

AUTHORITY = ["-x509", "-addext", "basicConstraints=critical,CA:TRUE"]
P256, RSA, ED25519 = ("ec", "ec_paramgen_curve:P-256"), ("rsa", "rsa_keygen_bits:2048"), ("ed25519",)


def key_options(kind):
    return ["-nodes", "-newkey", kind[0], *(["-pkeyopt", kind[1]] if len(kind) > 1 else [])]


def openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


class Issued:
    def __init__(self, certificate, key):
        self.certificate, self.key = pathlib.Path(certificate), pathlib.Path(key)


class Authority:
    """Its own certificate is `certificate`; folder: where all files go; kind: of its key."""

    def __init__(self, folder, name="authority", kind=P256):
        self.folder = pathlib.Path(folder)
        self.certificate, self._key = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        openssl(
            "req",
            "-new",
            *key_options(kind),
            "-days",
            "30",
            "-subj",
            f"/CN={name}",
            "-keyout",
            self._key,
            "-out",
            self.certificate,
            *AUTHORITY,
        )

    def revoke(self, *issued):
        """The list of what this authority has revoked, as a file."""
        index, settings, made = (
            self.folder / f"{self.certificate.stem}.{end}" for end in ("index", "cnf", "crl")
        )
        index.write_text("")
        (self.folder / f"{self.certificate.stem}.index.attr").write_text("")
        settings.write_text(
            f"[ca]\ndefault_ca = us\n[us]\ndatabase = {index}\ndefault_md = sha256\ndefault_crl_days = 30\n"
        )
        signer = ("-config", settings, "-cert", self.certificate, "-keyfile", self._key)
        for each in issued:
            openssl("ca", *signer, "-revoke", each.certificate)
        openssl("ca", *signer, "-gencrl", "-out", made)
        return made

    def issue(self, name, alternatives="DNS:localhost,IP:127.0.0.1", kind=P256, days=30, digest=()):
        certificate, key, request = (self.folder / f"{name}{end}" for end in (".crt", ".key", ".csr"))
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(
            f"subjectAltName={alternatives}\n" if alternatives else "basicConstraints=CA:FALSE\n"
        )
        openssl("req", "-new", *key_options(kind), "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        openssl(
            "x509",
            "-req",
            "-in",
            request,
            "-CA",
            self.certificate,
            "-CAkey",
            self._key,
            "-CAcreateserial",
            *digest,
            "-days",
            str(days),
            "-extfile",
            extensions,
            "-out",
            certificate,
        )
        os.chmod(key, 0o600)
        return Issued(certificate, key)
