set(model_SOURCES event.cpp frame.cpp labels.cpp metric.cpp)
set(model_HEADERS event.h fleet.h frame.h labels.h metric.h series.h series_slice.h step.h)
