set(wire_SOURCES grpc_life.cpp to_model.cpp to_proto.cpp version.cpp)
set(wire_HEADERS grpc_life.h hello.h limits.h to_model.h to_proto.h version.h)
