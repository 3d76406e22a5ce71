package org.apache.spark.sql.tidegate;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.spark.ui.SparkUI;

/**
 * Files of a page in Spark's UI. In Java, because Spark's classes name a server here that is under
 * another name in its jars, which only Scala's compiler minds.
 */
final class UiFiles {
  private UiFiles() {}

  /** Answers with a text at a path. */
  static void attach(SparkUI ui, String path, String contentType, String text) {
    ui.attachHandler(
        path,
        new HttpServlet() {
          @Override
          protected void doGet(HttpServletRequest request, HttpServletResponse response)
              throws IOException {
            response.setContentType(contentType + ";charset=utf-8");
            response.getWriter().print(text);
          }

          @Override
          protected void doTrace(HttpServletRequest request, HttpServletResponse response)
              throws IOException {
            response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
          }
        },
        "/");
  }
}
