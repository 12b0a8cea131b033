# SPDX-License-Identifier: GPL-3.0-or-later
set(widgets_SOURCES)
set(widgets_HEADERS)
set(widgets_RESOURCES)

# theme
list(APPEND widgets_HEADERS
    theme/glyphs.h theme/metrics.h theme/scales.h theme/text.h theme/tokens.h theme/type.h)
list(APPEND widgets_SOURCES
    theme/glyphs.cpp theme/scales.cpp theme/text.cpp theme/tokens.cpp theme/type.cpp)

# canvas
list(APPEND widgets_HEADERS
    canvas/coordinates.h canvas/event_mark.h canvas/gestures.h canvas/hatch.h canvas/line_raster.h canvas/ruler.h)
list(APPEND widgets_SOURCES
    canvas/gestures.cpp canvas/hatch.cpp canvas/line_raster.cpp canvas/ruler.cpp)

# timeline
list(APPEND widgets_HEADERS
    timeline/range_statistics.h timeline/timeline_table.h timeline/track.h)
list(APPEND widgets_SOURCES
    timeline/range_statistics.cpp timeline/timeline_table.cpp)

# heatmap
list(APPEND widgets_HEADERS
    heatmap/heat_model.h)
