# SPDX-License-Identifier: GPL-3.0-or-later
set(widgets_SOURCES)
set(widgets_HEADERS)
set(widgets_RESOURCES)

# theme
list(APPEND widgets_HEADERS
    theme/buttons.h theme/choice_button.h theme/civil_time.h theme/draw.h theme/focus_ring.h theme/glyphs.h theme/icons.h theme/label.h
    theme/metrics.h theme/palette.h theme/plimsoll_style.h theme/scales.h theme/source_plurals.h theme/style_parts.h theme/text.h theme/tokens.h
    theme/type.h)
list(APPEND widgets_SOURCES
    theme/buttons.cpp theme/choice_button.cpp theme/draw.cpp theme/focus_ring.cpp theme/glyphs.cpp theme/icons.cpp
    theme/label.cpp theme/palette.cpp theme/plimsoll_style.cpp theme/scales.cpp theme/source_plurals.cpp theme/style_bars.cpp
    theme/style_buttons.cpp theme/style_editors.cpp theme/style_items.cpp theme/style_sizes.cpp theme/text.cpp
    theme/tokens.cpp theme/type.cpp)
list(APPEND widgets_RESOURCES ${CMAKE_SOURCE_DIR}/resources/plimsoll.qrc)

# state
list(APPEND widgets_HEADERS
    state/badge.h state/empty_panel.h state/error_panel.h state/progress_panel.h state/stale_badge.h state/toast.h)
list(APPEND widgets_SOURCES
    state/badge.cpp state/empty_panel.cpp state/error_panel.cpp state/progress_panel.cpp state/stale_badge.cpp
    state/toast.cpp)

# tables
list(APPEND widgets_HEADERS
    tables/chip.h tables/copyable_table.h tables/filter_bar.h tables/value_delegate.h)
list(APPEND widgets_SOURCES
    tables/chip.cpp tables/copyable_table.cpp tables/filter_bar.cpp tables/value_delegate.cpp)

# shell
list(APPEND widgets_HEADERS
    shell/command.h shell/command_palette.h shell/figure_strip.h shell/fuzzy_match.h shell/inspector.h
    shell/inspector_sections.h shell/keys_help.h shell/mode_box.h shell/page_header.h shell/palette_delegate.h
    shell/palette_model.h shell/panel.h shell/rail_item.h shell/range_box.h shell/ratio_bar.h shell/segmented.h
    shell/session_tab.h shell/side_rail.h shell/status_cell.h shell/status_strip.h shell/time_bar.h shell/top_row.h
    shell/typed_time.h)
list(APPEND widgets_SOURCES
    shell/command.cpp shell/command_palette.cpp shell/figure_strip.cpp shell/fuzzy_match.cpp shell/inspector.cpp
    shell/inspector_sections.cpp shell/keys_help.cpp shell/mode_box.cpp shell/page_header.cpp shell/palette_delegate.cpp
    shell/palette_model.cpp shell/panel.cpp shell/rail_item.cpp shell/range_box.cpp shell/ratio_bar.cpp shell/segmented.cpp
    shell/session_tab.cpp shell/side_rail.cpp shell/status_cell.cpp shell/status_strip.cpp shell/time_bar.cpp
    shell/top_row.cpp shell/typed_time.cpp)

# canvas
list(APPEND widgets_HEADERS
    canvas/coordinates.h canvas/event_mark.h canvas/gestures.h canvas/hatch.h canvas/line_raster.h
    canvas/overview_strip.h canvas/ruler.h canvas/text_widths.h)
list(APPEND widgets_SOURCES
    canvas/gestures.cpp canvas/hatch.cpp canvas/line_raster.cpp canvas/overview_strip.cpp canvas/ruler.cpp)

# timeline
list(APPEND widgets_HEADERS
    timeline/band_steps.h timeline/event_lane.h timeline/gap_shapes.h timeline/line_builder.h timeline/range_statistics.h timeline/timeline_geometry.h
    timeline/timeline_overlay.h timeline/timeline_painter.h timeline/timeline_table.h timeline/timeline_view.h
    timeline/track.h timeline/track_style.h)
list(APPEND widgets_SOURCES
    timeline/band_steps.cpp timeline/event_lane.cpp timeline/gap_shapes.cpp timeline/line_builder.cpp timeline/range_statistics.cpp timeline/timeline_geometry.cpp
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
