set(wire_SOURCES to_model.cpp to_proto.cpp version.cpp)
set(wire_HEADERS hello.h limits.h to_model.h to_proto.h version.h)
