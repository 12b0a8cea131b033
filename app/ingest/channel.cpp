// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/channel.h"

#include "ingest/connection.h"

#include <utility>

namespace plimsoll {

// Keeps gRPC's headers out of the one that everybody includes.
class Channel::Private
{
public:
    template <class... Arguments>
    explicit Private(Arguments &&...arguments) : connection(std::forward<Arguments>(arguments)...)
    {
    }
    Connection connection;
};

Channel::Channel(ChannelOptions options, Mailbox<Delivery> &inbox, ResumeLookup resume, StateSink changed,
                 const Clock &clock)
    : d(std::make_unique<Private>(std::move(options), inbox, std::move(resume), std::move(changed), clock))
{
}

Channel::~Channel() = default;

ConnectionState Channel::state() const
{
    return d->connection.state();
}

void Channel::retryNow()
{
    d->connection.retryNow();
}

} // namespace plimsoll
