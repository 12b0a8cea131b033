// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/connections/add_agent_form.h"

#include "widgets/theme/buttons.h"
#include "widgets/theme/label.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

namespace plimsoll {

namespace {

constexpr int kLongestAddress = 300;
constexpr int kLongestSocketPath = 107; // sun_path less its end
constexpr int kHighestPort = 65535;

} // namespace

QString addressProblem(const QString &address)
{
    const auto tr = [](const char *text) { return AddAgentForm::tr(text); };
    if (address.isEmpty())
        return tr("Where does the agent listen? For example node-17:7443.");
    if (address.size() > kLongestAddress)
        return tr("That is too long for an address.");
    if (address.contains(QStringLiteral("://")))
        return tr("An agent has no URL: write host:port, for example node-17:7443. Exporters are given to the agent with --scrape.");
    if (address.startsWith(QStringLiteral("unix:"))) {
        if (!address.startsWith(QStringLiteral("unix:/")))
            return tr("A socket needs its whole path: unix:/run/plimsoll/agent.sock.");
        return address.toUtf8().size() - 5 > kLongestSocketPath ? tr("The path of a socket has at most 107 bytes.") : QString();
    }
    static const QRegularExpression kHostPort(QStringLiteral("^(\\[[0-9A-Fa-f:.%a-z]+\\]|[^\\s:\\[\\]/@?#]+):(\\d{1,6})$"));
    const auto match = kHostPort.match(address);
    if (!match.hasMatch()) {
        return address.contains(u':') ? tr("That is no address: write host:port, [IPv6]:port or unix:/path.")
                                      : tr("The port is missing: agents usually listen on 7443.");
    }
    const int port = match.captured(2).toInt();
    return port < 1 || port > kHighestPort ? tr("A port is a number from 1 to 65535.") : QString();
}

AddAgentForm::AddAgentForm(QWidget *parent)
    : QWidget(parent), m_address(new QLineEdit(this)), m_name(new QLineEdit(this)),
      m_problem(new Label({}, TextRole::Caption, Ink::Text2, this))
{
    setAccessibleName(tr("Add an agent"));
    m_address->setPlaceholderText(tr("host:port or unix:/path"));
    m_address->setAccessibleName(tr("Address of the agent"));
    m_address->setMaxLength(kLongestAddress + 1);
    m_name->setPlaceholderText(tr("name, may be empty"));
    m_name->setAccessibleName(tr("Name of the agent"));
    m_name->setMaxLength(80);
    auto *add = makeButton(tr("Add"), ButtonKind::Default, this);
    auto *test = makeButton(tr("Test"), ButtonKind::Normal, this);
    auto *cancel = makeButton(tr("Cancel"), ButtonKind::Quiet, this);

    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_address, 3);
    row->addWidget(m_name, 2);
    row->addWidget(add);
    row->addWidget(test);
    row->addWidget(cancel);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(12, 4, 12, 8);
    column->setSpacing(4);
    column->addLayout(row);
    column->addWidget(m_problem);
    m_problem->setWordWrap(true);

    const auto submit = [this] {
        if (const auto endpoint = read())
            emit added(*endpoint);
    };
    connect(add, &QPushButton::clicked, this, submit);
    connect(m_address, &QLineEdit::returnPressed, this, submit);
    connect(m_name, &QLineEdit::returnPressed, this, submit);
    connect(test, &QPushButton::clicked, this, [this] {
        if (const auto endpoint = read())
            emit testWanted(*endpoint);
    });
    connect(cancel, &QPushButton::clicked, this, &AddAgentForm::cancelled);
    connect(m_address, &QLineEdit::textEdited, this, [this] { showProblem({}); });
    showProblem({});
}

void AddAgentForm::setKnown(std::function<bool(const std::string &)> isKnown)
{
    m_isKnown = std::move(isKnown);
}

void AddAgentForm::start()
{
    m_address->clear();
    m_name->clear();
    showProblem({});
    m_address->setFocus();
}

std::optional<EndpointConfig> AddAgentForm::read()
{
    EndpointConfig endpoint;
    endpoint.address = m_address->text().trimmed().toStdString();
    endpoint.name = m_name->text().trimmed().toStdString();
    QString problem = addressProblem(QString::fromStdString(endpoint.address));
    if (problem.isEmpty() && m_isKnown && m_isKnown(endpoint.address))
        problem = tr("This agent is in the list already.");
    showProblem(problem);
    if (problem.isEmpty())
        return endpoint;
    m_address->setFocus();
    return std::nullopt;
}

void AddAgentForm::showProblem(const QString &sentence)
{
    setInvalid(m_address, !sentence.isEmpty());
    m_problem->setText(sentence.isEmpty() ? tr("The agent is asked for its name and version as soon as it answers.") : sentence);
    m_problem->setInk(sentence.isEmpty() ? Ink::Text3 : Ink::Text);
    m_address->setAccessibleDescription(sentence);
}

void AddAgentForm::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        emit cancelled();
    else
        QWidget::keyPressEvent(event);
}

} // namespace plimsoll
