# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DSOURCE=… -DBUILD=… -P check_arrows.cmake
# The allowed arrow must compile (else the check proves nothing), the wrong one must not.
foreach(arrow history model)
    file(REMOVE_RECURSE ${BUILD}/${arrow})
    execute_process(
        COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/layers/wrong_arrow -B ${BUILD}/${arrow} -DPLIMSOLL_ARROW=${arrow}
        RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output
    )
    if(failed)
        message(FATAL_ERROR "configuring with ${arrow} failed:\n${output}")
    endif()
    execute_process(
        COMMAND ${CMAKE_COMMAND} --build ${BUILD}/${arrow} --target arrow
        RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output
    )
    if(arrow STREQUAL "history" AND failed)
        message(FATAL_ERROR "history may include its own header, but that failed:\n${output}")
    endif()
    if(arrow STREQUAL "model")
        if(NOT failed)
            message(FATAL_ERROR "model includes history/history.h and it compiled: the layers leak")
        endif()
        if(NOT output MATCHES "history/history.h: No such file")
            message(FATAL_ERROR "the wrong arrow failed for another reason:\n${output}")
        endif()
    endif()
endforeach()
