"""The statistics table in the columns of SLAMD."""
