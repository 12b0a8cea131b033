set(session_SOURCES)
set(session_HEADERS session.h slice_service.h time_context.h view_state.h)
