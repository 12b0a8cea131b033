# SPDX-License-Identifier: GPL-3.0-or-later
set(widgets_SOURCES)
set(widgets_HEADERS)
set(widgets_RESOURCES)

# theme
list(APPEND widgets_HEADERS
    theme/buttons.h theme/choice_button.h theme/draw.h theme/focus_ring.h theme/glyphs.h theme/icons.h theme/label.h
    theme/metrics.h theme/palette.h theme/plimsoll_style.h theme/scales.h theme/style_parts.h theme/text.h theme/tokens.h
    theme/type.h)
list(APPEND widgets_SOURCES
    theme/buttons.cpp theme/choice_button.cpp theme/draw.cpp theme/focus_ring.cpp theme/glyphs.cpp theme/icons.cpp
    theme/label.cpp theme/palette.cpp theme/plimsoll_style.cpp theme/scales.cpp theme/style_bars.cpp
    theme/style_buttons.cpp theme/style_editors.cpp theme/style_items.cpp theme/style_sizes.cpp theme/text.cpp
    theme/tokens.cpp theme/type.cpp)
list(APPEND widgets_RESOURCES ${CMAKE_SOURCE_DIR}/resources/plimsoll.qrc)

# canvas
list(APPEND widgets_HEADERS
    canvas/coordinates.h canvas/event_mark.h canvas/gestures.h canvas/hatch.h canvas/line_raster.h
    canvas/overview_strip.h canvas/ruler.h)
list(APPEND widgets_SOURCES
    canvas/gestures.cpp canvas/hatch.cpp canvas/line_raster.cpp canvas/overview_strip.cpp canvas/ruler.cpp)

# timeline
list(APPEND widgets_HEADERS
    timeline/event_lane.h timeline/gap_shapes.h timeline/range_statistics.h timeline/timeline_geometry.h
    timeline/timeline_overlay.h timeline/timeline_painter.h timeline/timeline_table.h timeline/timeline_view.h
    timeline/track.h timeline/track_style.h)
list(APPEND widgets_SOURCES
    timeline/event_lane.cpp timeline/gap_shapes.cpp timeline/range_statistics.cpp timeline/timeline_geometry.cpp
    timeline/timeline_input.cpp timeline/timeline_overlay.cpp timeline/timeline_painter.cpp timeline/timeline_table.cpp
    timeline/timeline_view.cpp timeline/track_style.cpp)

# heatmap
list(APPEND widgets_HEADERS
    heatmap/headroom_list.h heatmap/heat_grid.h heatmap/heat_layout.h heatmap/heat_model.h heatmap/heat_painter.h
    heatmap/heat_table.h heatmap/legend.h)
list(APPEND widgets_SOURCES
    heatmap/headroom_list.cpp heatmap/heat_grid.cpp heatmap/heat_layout.cpp heatmap/heat_painter.cpp heatmap/heat_rows.cpp
    heatmap/heat_table.cpp heatmap/legend.cpp)

# charts
list(APPEND widgets_HEADERS
    charts/chart_frame.h charts/sparkline.h charts/table_text.h)
list(APPEND widgets_SOURCES
    charts/chart_frame.cpp charts/sparkline.cpp charts/table_text.cpp)
