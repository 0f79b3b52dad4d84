"""Several targets side by side: what each of them did."""
