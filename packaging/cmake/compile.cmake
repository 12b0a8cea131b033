# SPDX-License-Identifier: GPL-3.0-or-later
# Flags that hold for all our code, and the faster tools where they are.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

find_program(PLIMSOLL_CCACHE ccache)
if(PLIMSOLL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Paths relative to the build folder, so that two checkouts share one cache.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${PLIMSOLL_CCACHE})
endif()
find_program(PLIMSOLL_MOLD mold)
if(PLIMSOLL_MOLD)
    add_link_options(-fuse-ld=mold)
endif()

if(PLIMSOLL_SANITIZE)
    add_compile_options(-fsanitize=${PLIMSOLL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
    add_link_options(-fsanitize=${PLIMSOLL_SANITIZE})
endif()

# Our warnings, for our targets only: plimsoll_warnings is linked privately by each.
add_library(plimsoll_warnings INTERFACE)
target_compile_options(plimsoll_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
# GCC 12 optimising `"text" + std::string` warns of an overlap that is not there (its bug 105651).
target_compile_options(plimsoll_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# Errors with the compiler that we develop with. What a newer one, or a newer Qt's macros, are warned of is
# worth reading and must not keep anybody from running the tests.
if((DEFINED ENV{CI} OR PLIMSOLL_WERROR) AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(plimsoll_warnings INTERFACE -Werror)
    # Those that look through inlined code err often in GCC 12: when it optimises or adds a sanitizer's calls,
    # they warn, they don't stop.
    target_compile_options(plimsoll_warnings INTERFACE $<$<OR:$<CONFIG:Release>,$<BOOL:${PLIMSOLL_SANITIZE}>>:-Wno-error=array-bounds
        -Wno-error=maybe-uninitialized -Wno-error=stringop-overflow -Wno-error=stringop-overread>)
endif()
target_compile_definitions(plimsoll_warnings INTERFACE
    QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_FOREACH QT_NO_URL_CAST_FROM_STRING
    QT_DISABLE_DEPRECATED_BEFORE=0x060400
    PLIMSOLL_VERSION="${PROJECT_VERSION}"
)
