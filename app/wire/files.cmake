set(wire_SOURCES)
set(wire_HEADERS hello.h limits.h to_model.h to_proto.h version.h)
