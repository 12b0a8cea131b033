set(history_SOURCES
    as_of.cpp bucket_column.cpp buckets.cpp bytes.cpp chunk.cpp connection_pool.cpp database.cpp doctor.cpp fold.cpp gaps.cpp head.cpp history.cpp
    intake.cpp integer_column.cpp loader.cpp lock_file.cpp periods.cpp reader.cpp record_writer.cpp records.cpp retention.cpp
    rollup.cpp schema.cpp series_table.cpp settle.cpp slice.cpp snapshot.cpp state_board.cpp tail_row.cpp value_column.cpp writer.cpp
)
# The contract, and what tests look at without SQLite; the rest is ours alone.
set(history_HEADERS
    bucket_column.h buckets.h bytes.h chunk.h gaps.h head.h history.h integer_column.h lock_file.h periods.h rollup.h series_table.h
    state_board.h tail_row.h value_column.h
)
