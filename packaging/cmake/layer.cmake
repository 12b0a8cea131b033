# SPDX-License-Identifier: GPL-3.0-or-later

# plimsoll_layer(NAME DIR folder [USES public…] [PRIVATE_USES private…])
#
# One static library a station. Each exports an include root of its own in which
# its folder is one link, so `#include "history/reader.h"` compiles only where
# the target says that it uses history. The folder's files.cmake sets
# NAME_SOURCES and NAME_HEADERS, relative to the folder.
function(plimsoll_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 L "" "DIR" "USES;PRIVATE_USES")
    set(root ${CMAKE_BINARY_DIR}/layers/${name})
    file(MAKE_DIRECTORY ${root})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${L_DIR} ${root}/${name} SYMBOLIC)

    include(${CMAKE_SOURCE_DIR}/${L_DIR}/files.cmake)
    set(sources ${${name}_SOURCES})
    set(headers ${${name}_HEADERS})
    set(public ${headers})
    list(TRANSFORM public PREPEND ${root}/${name}/)
    list(TRANSFORM headers PREPEND ${CMAKE_SOURCE_DIR}/${L_DIR}/)
    list(TRANSFORM sources PREPEND ${CMAKE_SOURCE_DIR}/${L_DIR}/)
    list(APPEND sources ${${name}_RESOURCES})
    set_source_files_properties(${public} PROPERTIES SKIP_AUTOGEN ON) # else moc runs twice, through the link

    if(sources)
        add_library(plimsoll_${name} STATIC ${sources} ${headers})
        target_sources(plimsoll_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${root} FILES ${public})
        target_link_libraries(plimsoll_${name} PUBLIC ${L_USES} PRIVATE ${L_PRIVATE_USES} plimsoll_warnings)
        if("Qt6::Core" IN_LIST L_USES OR "Qt6::Widgets" IN_LIST L_USES OR "plimsoll_widgets" IN_LIST L_USES)
            set_target_properties(plimsoll_${name} PROPERTIES AUTOMOC ON AUTORCC ON)
        endif()
    else()
        add_library(plimsoll_${name} INTERFACE)
        target_include_directories(plimsoll_${name} INTERFACE ${root})
        target_link_libraries(plimsoll_${name} INTERFACE ${L_USES})
    endif()
endfunction()

# plimsoll_program(NAME source USES libs… [PRIVATE_USES libs…])
function(plimsoll_program name source)
    cmake_parse_arguments(PARSE_ARGV 2 P "" "" "USES;PRIVATE_USES")
    if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${source})
        return()
    endif()
    file(GLOB extra CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/main/${name}/*.cpp)
    add_executable(${name} ${source} ${extra})
    target_link_libraries(${name} PRIVATE ${P_USES} ${P_PRIVATE_USES} plimsoll_warnings)
    # A station's foreign libraries are loaded only where something of them is called.
    target_link_options(${name} PRIVATE LINKER:--as-needed)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    if("plimsoll_views" IN_LIST P_USES)
        set_target_properties(${name} PROPERTIES AUTOMOC ON)
    endif()
    install(TARGETS ${name})
endfunction()
