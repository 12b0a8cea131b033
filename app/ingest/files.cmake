set(ingest_SOURCES)
set(ingest_HEADERS channel.h connection_state.h endpoint_config.h)
