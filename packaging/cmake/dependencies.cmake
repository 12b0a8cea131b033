# SPDX-License-Identifier: GPL-3.0-or-later
# Foreign code, found once. Package configs first; what ships none is wrapped here.

find_package(Protobuf REQUIRED) # before gRPC, whose config wants it found
find_package(gRPC CONFIG REQUIRED)
find_package(tl-expected CONFIG REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp CONFIG REQUIRED)
find_package(CURL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(simdjson CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
add_library(plimsoll_zstd INTERFACE)
target_link_libraries(plimsoll_zstd INTERFACE PkgConfig::ZSTD)

if(PLIMSOLL_GUI)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Charts Svg Test)
else()
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core Test)
endif()

# The contract, generated once into a target of its own, SYSTEM so that our warnings stay ours.
function(plimsoll_proto target)
    file(GLOB protos CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/proto ${CMAKE_SOURCE_DIR}/proto/plimsoll/v1/*.proto)
    set(out ${CMAKE_BINARY_DIR}/generated)
    file(MAKE_DIRECTORY ${out})
    foreach(proto IN LISTS protos)
        string(REGEX REPLACE "\\.proto$" "" stem ${proto})
        set(files ${out}/${stem}.pb.cc ${out}/${stem}.pb.h)
        set(plugin)
        file(STRINGS ${CMAKE_SOURCE_DIR}/proto/${proto} services REGEX "^service ")
        if(services)
            list(APPEND files ${out}/${stem}.grpc.pb.cc ${out}/${stem}.grpc.pb.h)
            set(plugin --grpc_out=${out} --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>)
        endif()
        add_custom_command(
            OUTPUT ${files}
            COMMAND protobuf::protoc -I${CMAKE_SOURCE_DIR}/proto --cpp_out=${out} ${plugin} ${proto}
            WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/proto
            DEPENDS ${CMAKE_SOURCE_DIR}/proto/${proto}
            COMMENT "Generating ${stem}"
            VERBATIM
        )
        list(APPEND generated ${files})
    endforeach()
    list(FILTER generated EXCLUDE REGEX "\\.h$")
    add_library(${target} STATIC ${generated})
    target_include_directories(${target} SYSTEM PUBLIC ${out})
    target_compile_options(${target} PRIVATE -w)
    target_link_libraries(${target} PUBLIC gRPC::grpc++ protobuf::libprotobuf)
endfunction()
