"""The register of errata: what the text says, where it fails, what holds instead; each with a problem to replay."""

from verify.errata.register import Erratum, Measurement, measured_again, read_register

__all__ = ["Erratum", "Measurement", "measured_again", "read_register"]
