set(history_SOURCES)
set(history_HEADERS history.h)
