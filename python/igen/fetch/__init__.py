"""Getting what iGen neither contains nor compiles: prebuilt libraries, pinned by version and hash."""
