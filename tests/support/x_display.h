// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>

#include <memory>

namespace plimsoll::test {

/// An X server of our own (Xvfb) on a display number that it chose itself.
/// Empty when Xvfb is not installed. Ends with its owner.
class XDisplay
{
public:
    static std::unique_ptr<XDisplay> start(const QString &geometry = QStringLiteral("1600x1000x24"))
    {
        auto display = std::unique_ptr<XDisplay>(new XDisplay);
        display->m_server.setProcessChannelMode(QProcess::SeparateChannels);
        display->m_server.start(QStringLiteral("Xvfb"),
                                {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"),
                                 QStringLiteral("0"), geometry, QStringLiteral("-nolisten"), QStringLiteral("tcp")});
        if (!display->m_server.waitForStarted(5000))
            return nullptr;
        QByteArray number;
        while (!number.endsWith('\n')) {
            if (!display->m_server.waitForReadyRead(10000))
                return nullptr;
            number += display->m_server.readAllStandardOutput();
        }
        display->m_name = ":" + number.trimmed();
        return display;
    }

    ~XDisplay()
    {
        m_server.terminate();
        if (!m_server.waitForFinished(5000))
            m_server.kill();
    }

    [[nodiscard]] const QByteArray &name() const noexcept { return m_name; }

    /// xdotool with these arguments; what it printed. XTEST events, as from a keyboard and a mouse.
    QByteArray xdotool(const QStringList &arguments) const
    {
        QProcess tool;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("DISPLAY"), QString::fromLatin1(m_name));
        tool.setProcessEnvironment(environment);
        tool.start(QStringLiteral("xdotool"), arguments);
        tool.waitForFinished(10000);
        return tool.readAllStandardOutput().trimmed();
    }

private:
    XDisplay() = default;
    QProcess m_server;
    QByteArray m_name;
};

} // namespace plimsoll::test
