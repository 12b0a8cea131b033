// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <QWidget>

#include <filesystem>
#include <functional>
#include <optional>

namespace plimsoll {

class CommandTable;
class Inspector;
class Session;
class Settings;
struct FilteredFleet;

/// What every page works with; nothing of it is the page's own.
struct PageContext
{
    Session *session = nullptr;
    Settings *settings = nullptr;
    Inspector *inspector = nullptr; // filled by the page that is shown
    CommandTable *commands = nullptr;
    std::filesystem::path historyFile; // where the session keeps its history
    std::function<const FilteredFleet &()> fleet;  // what the filter leaves of it now
    std::function<void(const QString &)> notify;   // a sentence for a toast
};

/// One place of the window. Shown pages follow the session; hidden ones do no work
/// and catch up in activate(). GUI thread.
class Page : public QWidget
{
    Q_OBJECT

public:
    explicit Page(PageContext context, QWidget *parent = nullptr) : QWidget(parent), m_context(std::move(context)) {}

    /// It became the shown one: fill the inspector, ask for data.
    virtual void activate() = 0;
    virtual void deactivate() {}
    /// Who takes the keys when the page comes up.
    [[nodiscard]] virtual QWidget *focusPlace() { return this; }
    /// The fleet, or what the filter leaves of it, is another one. Only while shown.
    virtual void refresh() {}
    /// False for pages without panels about the fleet: they show no filter.
    [[nodiscard]] virtual bool hasFilter() const { return true; }
    [[nodiscard]] virtual bool hasInspector() const { return true; }
    /// True once there are figures to show (screenshots wait for it).
    [[nodiscard]] virtual bool isFilled() const { return true; }

    virtual void saveLayout() const {}
    virtual void resetLayout() {}

protected:
    [[nodiscard]] const PageContext &context() const noexcept { return m_context; }
    [[nodiscard]] Session &session() const noexcept { return *m_context.session; }

private:
    PageContext m_context;
};

} // namespace plimsoll
