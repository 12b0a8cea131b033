set(session_SOURCES app_paths.cpp fleet_feed.cpp fleet_readings.cpp headroom.cpp job_queue.cpp settings.cpp time_context.cpp)
set(session_HEADERS app_paths.h fleet_feed.h fleet_readings.h headroom.h job_queue.h settings.h time_context.h view_state.h)
