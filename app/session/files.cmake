set(session_SOURCES headroom.cpp job_queue.cpp time_context.cpp)
set(session_HEADERS headroom.h job_queue.h time_context.h view_state.h)
