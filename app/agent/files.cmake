# SPDX-License-Identifier: GPL-3.0-or-later
set(agent_SOURCES agent.cpp cgroup.cpp cgroup_table.cpp curl_library.cpp http_get.cpp identity.cpp job_cgroups.cpp job_collector.cpp job_finder.cpp
    journal.cpp kept_file.cpp listen_address.cpp pid_scan.cpp pressure.cpp process_reader.cpp procfs.cpp sampler.cpp
    scrape.cpp scrape_target.cpp
    segment.cpp server.cpp spool.cpp spool_state.cpp watch_stream.cpp
    watch_stream.h) # not for users: it needs gRPC
set(agent_HEADERS agent.h cgroup.h cgroup_table.h collector.h crc32.h curl_library.h file_descriptor.h http_get.h identity.h job.h
    job_collector.h journal.h kept_file.h kill_watch.h listen_address.h pid_scan.h pressure.h process_reader.h procfs.h
    sampler.h scrape.h scrape_target.h segment.h series_of.h server.h spool.h spool_state.h text_scan.h)
