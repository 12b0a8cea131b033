set(snapshot_SOURCES
)
set(snapshot_HEADERS
)
