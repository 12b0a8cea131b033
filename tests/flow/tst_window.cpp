// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/x_display.h"

#include <QGuiApplication>
#include <QImage>
#include <QPixmap>
#include <QRegularExpression>
#include <QScreen>
#include <QTemporaryDir>
#include <QTest>

using plimsoll::test::XDisplay;

namespace {

std::unique_ptr<XDisplay> display; // before the application, which connects to it

int differing(const QImage &a, const QImage &b, const QRect &where)
{
    int count = 0;
    for (int y = where.top(); y <= where.bottom(); ++y)
        for (int x = where.left(); x <= where.right(); ++x)
            count += a.pixel(x, y) != b.pixel(x, y) ? 1 : 0;
    return count;
}

} // namespace

/// The real window on a real X server, as a stranger meets it: started without any
/// configuration, driven by keyboard and mouse, judged by what is on the screen.
class TestWindow : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanupTestCase();
    void showsALiveValue();
    void keysChangeThePage();
    void railIsClickable();
    void paletteSwitchesTheTheme();
    void freezingShowsAnotherMode();
    void closesCleanly();

private:
    static QImage screen()
    {
        return QGuiApplication::primaryScreen()->grabWindow(0).toImage().convertToFormat(QImage::Format_RGB32);
    }
    QString title() const { return QString::fromUtf8(display->xdotool({QStringLiteral("getwindowname"), m_window})); }
    static void press(const QString &keys)
    {
        display->xdotool({QStringLiteral("key"), QStringLiteral("--clearmodifiers"), keys});
    }
    static void command(const QString &text)
    {
        press(QStringLiteral("ctrl+k"));
        display->xdotool({QStringLiteral("type"), QStringLiteral("--delay"), QStringLiteral("20"), text});
        press(QStringLiteral("Return"));
    }
    static void click(int x, int y)
    {
        display->xdotool({QStringLiteral("mousemove"), QString::number(x), QString::number(y), QStringLiteral("click"),
                          QStringLiteral("1")});
    }

    QTemporaryDir m_home;
    QProcess m_program;
    QByteArray m_log;
    QString m_window;
};

void TestWindow::initTestCase()
{
    QVERIFY(m_home.isValid());
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DISPLAY"), QString::fromLatin1(display->name()));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
    environment.insert(QStringLiteral("QT_LOGGING_RULES"), QStringLiteral("plimsoll.startup=true"));
    for (const auto *name :
         {"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"})
        environment.insert(QString::fromLatin1(name), m_home.path());
    m_program.setProcessEnvironment(environment);
    connect(&m_program, &QProcess::readyReadStandardError, this,
            [this] { m_log += m_program.readAllStandardError(); });
    m_program.start(QStringLiteral(PLIMSOLL_BINARY_DIR "/plimsoll"), {QStringLiteral("--theme"), QStringLiteral("light")});
    QVERIFY(m_program.waitForStarted());
    const auto found = [this] {
        m_window = QString::fromLatin1(display->xdotool({QStringLiteral("search"), QStringLiteral("--onlyvisible"),
                                                         QStringLiteral("--name"), QStringLiteral("Plimsoll")}))
                       .section(QLatin1Char('\n'), 0, 0);
        return !m_window.isEmpty();
    };
    QTRY_VERIFY2_WITH_TIMEOUT(found(), m_log.constData(), 15000);
    display->xdotool({QStringLiteral("windowmove"), m_window, QStringLiteral("0"), QStringLiteral("0"),
                      QStringLiteral("windowsize"), m_window, QStringLiteral("1600"), QStringLiteral("1000"),
                      QStringLiteral("windowfocus"), m_window});
}

void TestWindow::cleanupTestCase()
{
    if (m_program.state() == QProcess::NotRunning)
        return;
    m_program.terminate();
    if (!m_program.waitForFinished(5000))
        m_program.kill();
}

void TestWindow::showsALiveValue()
{
    QTRY_VERIFY2_WITH_TIMEOUT(m_log.contains("first value painted"), m_log.constData(), 20000);
    QVERIFY(m_log.contains("window shown"));
    QVERIFY2(title().contains(QLatin1String("Plimsoll")), qPrintable(title()));
}

void TestWindow::keysChangeThePage()
{
    press(QStringLiteral("ctrl+2"));
    QTRY_VERIFY2(title().contains(QLatin1String("Jobs")), qPrintable(title()));
    press(QStringLiteral("ctrl+1"));
    QTRY_VERIFY2(title().contains(QLatin1String("Fleet")), qPrintable(title()));
    press(QStringLiteral("alt+Left"));
    QTRY_VERIFY2(title().contains(QLatin1String("Jobs")), qPrintable(title()));
    press(QStringLiteral("alt+Right"));
    QTRY_VERIFY2(title().contains(QLatin1String("Fleet")), qPrintable(title()));
}

void TestWindow::railIsClickable()
{
    click(60, 141); // the second entry of the rail
    QTRY_VERIFY2(title().contains(QLatin1String("Jobs")), qPrintable(title()));
    click(60, 110);
    QTRY_VERIFY2(title().contains(QLatin1String("Fleet")), qPrintable(title()));
}

void TestWindow::paletteSwitchesTheTheme()
{
    const QPoint ground(4, 600); // of the rail
    QTRY_VERIFY(qGray(screen().pixel(ground)) > 200);
    command(QStringLiteral(">dark"));
    QTRY_VERIFY(qGray(screen().pixel(ground)) < 60);
    command(QStringLiteral(">light"));
    QTRY_VERIFY(qGray(screen().pixel(ground)) > 200);
}

void TestWindow::freezingShowsAnotherMode()
{
    const QRect strip(230, 36, 1200, 52); // the span's text and the overview
    const QRect mode(1450, 40, 145, 40);
    const QImage live = screen();
    QTRY_VERIFY_WITH_TIMEOUT(differing(live, screen(), strip) > 0, 15000); // it moves by itself
    command(QStringLiteral(">freeze or"));
    QTRY_VERIFY(differing(live, screen(), mode) > 50); // another shape and another word
    const QImage frozen = screen();
    command(QStringLiteral(">go to now"));
    QTRY_VERIFY(differing(frozen, screen(), mode) > 50);
}

void TestWindow::closesCleanly()
{
    press(QStringLiteral("ctrl+q"));
    QTRY_COMPARE_WITH_TIMEOUT(m_program.state(), QProcess::NotRunning, 10000);
    QCOMPARE(m_program.exitStatus(), QProcess::NormalExit);
    QCOMPARE(m_program.exitCode(), 0);
}

int main(int argc, char **argv)
{
    {
        const QCoreApplication starter(argc, argv); // QProcess wants one
        display = XDisplay::start();
        if (display && display->xdotool({QStringLiteral("version")}).isEmpty())
            display.reset();
    }
    if (!display) {
        std::puts("SKIP: Xvfb or xdotool is not installed here");
        return 77; // ctest counts it as skipped
    }
    qputenv("DISPLAY", display->name());
    qputenv("QT_QPA_PLATFORM", "xcb");
    int result = 0;
    {
        const QGuiApplication application(argc, argv);
        TestWindow test;
        result = QTest::qExec(&test, argc, argv);
    }
    {
        int none = 0;
        const QCoreApplication ender(none, nullptr);
        display.reset();
    }
    return result;
}

#include "tst_window.moc"
