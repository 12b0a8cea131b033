set(views_SOURCES)
set(views_HEADERS)
