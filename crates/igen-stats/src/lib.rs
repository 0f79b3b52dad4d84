//! Pure values: histograms and their encoding.
