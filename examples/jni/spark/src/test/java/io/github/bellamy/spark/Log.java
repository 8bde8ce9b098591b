package io.github.bellamy.spark;

import java.io.StringWriter;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.WriterAppender;

/** What a class logs. */
final class Log {
  private Log() {}

  static String of(Class<?> type, Runnable step) {
    StringWriter words = new StringWriter();
    WriterAppender appender = WriterAppender.newBuilder().setName("test").setTarget(words).build();
    appender.start();
    Logger logger = (Logger) LogManager.getLogger(type);
    logger.addAppender(appender);
    try {
      step.run();
    } finally {
      logger.removeAppender(appender);
    }
    return words.toString();
  }
}
