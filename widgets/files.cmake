# SPDX-License-Identifier: GPL-3.0-or-later
set(widgets_SOURCES)
set(widgets_HEADERS)
set(widgets_RESOURCES)

# theme
list(APPEND widgets_HEADERS
    theme/glyphs.h theme/metrics.h theme/scales.h theme/text.h theme/tokens.h theme/type.h)
list(APPEND widgets_SOURCES
    theme/glyphs.cpp theme/scales.cpp theme/text.cpp theme/tokens.cpp theme/type.cpp)
