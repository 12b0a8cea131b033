// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/connections/add_agent_form.h"

#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

using namespace plimsoll;

class TestAddAgentForm : public QObject
{
    Q_OBJECT

private slots:
    void judgesAddresses_data()
    {
        QTest::addColumn<QString>("address");
        QTest::addColumn<bool>("isFine");
        QTest::newRow("host and port") << "node-17:7443" << true;
        QTest::newRow("dots") << "node-17.eu.example:7443" << true;
        QTest::newRow("IPv4") << "10.0.0.1:1" << true;
        QTest::newRow("IPv6") << "[::1]:7443" << true;
        QTest::newRow("socket") << "unix:/run/plimsoll/agent.sock" << true;
        QTest::newRow("empty") << "" << false;
        QTest::newRow("no port") << "node-17" << false;
        QTest::newRow("port 0") << "node-17:0" << false;
        QTest::newRow("port too high") << "node-17:65536" << false;
        QTest::newRow("URL") << "http://node-17:9100/metrics" << false;
        QTest::newRow("space") << "node 17:7443" << false;
        QTest::newRow("bare IPv6") << "::1:7443" << false;
        QTest::newRow("relative socket") << "unix:agent.sock" << false;
        QTest::newRow("socket path too long") << QStringLiteral("unix:/") + QString(120, u'a') << false;
        QTest::newRow("endless") << QString(5000, u'a') + QStringLiteral(":1") << false;
        QTest::newRow("line break") << QStringLiteral("a\nb:1") << false;
    }
    void judgesAddresses()
    {
        QFETCH(QString, address);
        QFETCH(bool, isFine);
        const QString problem = addressProblem(address);
        QCOMPARE(problem.isEmpty(), isFine);
        if (!isFine)
            QVERIFY2(problem.endsWith(u'.'), qPrintable(problem)); // a sentence
    }
    void refusesWhatIsKnown()
    {
        AddAgentForm form;
        form.setKnown([](const std::string &address) { return address == "a:1"; });
        QSignalSpy added(&form, &AddAgentForm::added);
        form.show();
        form.start();
        auto *address = form.findChild<QLineEdit *>();
        QTest::keyClicks(address, QStringLiteral("a:1"));
        QTest::keyClick(address, Qt::Key_Return);
        QCOMPARE(added.count(), 0);
        QVERIFY(!address->accessibleDescription().isEmpty());
        address->clear();
        QTest::keyClicks(address, QStringLiteral(" b:2 "));
        QTest::keyClick(address, Qt::Key_Return);
        QCOMPARE(added.count(), 1);
        QCOMPARE(added.front().front().value<EndpointConfig>().address, std::string("b:2"));
    }
    void escapeCancels()
    {
        AddAgentForm form;
        QSignalSpy cancelled(&form, &AddAgentForm::cancelled);
        form.show();
        form.start();
        QTest::keyClick(form.findChild<QLineEdit *>(), Qt::Key_Escape);
        QCOMPARE(cancelled.count(), 1);
    }
};

QTEST_MAIN(TestAddAgentForm)
#include "tst_add_agent_form.moc"
