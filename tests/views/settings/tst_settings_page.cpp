// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/settings/settings_page.h"

#include "../stage.h"
#include "views/page.h"
#include "widgets/theme/palette.h"

#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

using namespace plimsoll;
using test::Stage;

class TestSettingsPage : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        applyTheme(*qApp, Theme::Light);
        m_stage = std::make_unique<Stage>();
        m_page = std::make_unique<SettingsPage>(context(),
                                                std::vector<std::pair<QString, QString>>{{QStringLiteral("fleet"), QStringLiteral("Fleet")}});
        m_page->resize(1200, 900);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    }
    void cleanup()
    {
        m_page.reset();
        m_stage.reset();
    }

    void retentionIsTypedAndKept_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<int>("hours");
        QTest::addColumn<int>("gibibytes");
        QTest::newRow("hours") << QStringLiteral("Keep every sample for") << QStringLiteral("72") << 72 << 10;
        QTest::newRow("limit") << QStringLiteral("Size limit") << QStringLiteral("200") << 48 << 200;
        QTest::newRow("no hours at all") << QStringLiteral("Keep every sample for") << QStringLiteral("0") << 48 << 10;
        QTest::newRow("letters") << QStringLiteral("Size limit") << QStringLiteral("x") << 48 << 10;
    }
    void retentionIsTypedAndKept()
    {
        QFETCH(QString, name);
        QFETCH(QString, typed);
        QSpinBox *box = number(name);
        QVERIFY(box);
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, typed);
        QTest::keyClick(box, Qt::Key_Return);
        QTEST(m_stage->settings.get(setting::kKeepRawHours), "hours");
        QTEST(m_stage->settings.get(setting::kSizeLimitGiB), "gibibytes");
        m_stage->settings.set(setting::kTimesInUtc, false); // whatever else changes does not touch it
        QTEST(m_stage->settings.get(setting::kKeepRawHours), "hours");
    }

    /// Deleting is told where people look for it, in all words that matter.
    void saysWhatIsDeleted()
    {
        QString all;
        for (const QLabel *label : m_page->findChildren<QLabel *>())
            all += label->text() + u'\n';
        QVERIFY2(all.contains(QStringLiteral("are deleted")), qPrintable(all));
        QVERIFY2(!all.contains(QStringLiteral("nothing is deleted")), qPrintable(all));
    }

    void isFoundByAnyWord()
    {
        m_page->search(QStringLiteral("deleted oldest"));
        QVERIFY(number(QStringLiteral("Size limit"))->isVisible());
        QVERIFY(!number(QStringLiteral("Keep every sample for"))->isVisible());
        m_page->search(QStringLiteral("no such words at all"));
        QVERIFY(!number(QStringLiteral("Size limit"))->isVisible());
    }

private:
    [[nodiscard]] PageContext context() const
    {
        PageContext context;
        context.session = &m_stage->session;
        context.settings = &m_stage->settings;
        context.historyFile = m_stage->path("history.sqlite");
        return context;
    }
    [[nodiscard]] QSpinBox *number(const QString &name) const
    {
        for (auto *box : m_page->findChildren<QSpinBox *>())
            if (box->accessibleName() == name)
                return box;
        return nullptr;
    }

    std::unique_ptr<Stage> m_stage;
    std::unique_ptr<SettingsPage> m_page;
};

QTEST_MAIN(TestSettingsPage)
#include "tst_settings_page.moc"
