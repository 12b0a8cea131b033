// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ingest/endpoint_config.h"

#include <QWidget>

#include <functional>
#include <optional>

class QLineEdit;
class QPushButton;

namespace plimsoll {

class Label;

/// What is wrong with an address, as a sentence; empty when it can be dialled:
/// "host:port", "[::1]:7443" or "unix:/path".
[[nodiscard]] QString addressProblem(const QString &address);

/// Address and name of a new agent, in a line, with what is wrong under it.
class AddAgentForm : public QWidget
{
    Q_OBJECT

public:
    explicit AddAgentForm(QWidget *parent = nullptr);

    /// Tells whether an address is in the list already.
    void setKnown(std::function<bool(const std::string &address)> isKnown);
    void start(); // empty fields, focus on the address

signals:
    void added(const plimsoll::EndpointConfig &endpoint);
    void testWanted(const plimsoll::EndpointConfig &endpoint);
    void cancelled();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    [[nodiscard]] std::optional<EndpointConfig> read();
    void showProblem(const QString &sentence);

    QLineEdit *m_address;
    QLineEdit *m_name;
    Label *m_problem;
    std::function<bool(const std::string &)> m_isKnown;
};

} // namespace plimsoll
