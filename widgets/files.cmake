set(widgets_SOURCES)
set(widgets_HEADERS)
set(widgets_RESOURCES)
