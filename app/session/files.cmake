set(session_SOURCES time_context.cpp)
set(session_HEADERS time_context.h view_state.h)
