set(base_SOURCES format.cpp text.cpp)
set(base_HEADERS cancel.h format.h id.h mailbox.h quantity.h result.h text.h time.h)
