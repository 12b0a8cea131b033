set(formats_SOURCES)
set(formats_HEADERS exposition.h exporter_map.h)
