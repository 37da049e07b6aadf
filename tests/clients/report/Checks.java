import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Prints a line of JSON for each check of a Java tool. */
public final class Checks {
  public static final String HOST = System.getenv("PGHOST");
  public static final String PORT = System.getenv("PGPORT");
  public static final String URL = "jdbc:postgresql://" + HOST + ":" + PORT + "/demo?user=analyst&password=any";

  private Checks() {}

  static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char each : text.toCharArray())
      if (each == '"' || each == '\\') out.append('\\').append(each);
      else if (each < ' ') out.append(String.format("\\u%04x", (int) each));
      else out.append(each);
    return out.append('"').toString();
  }

  static String json(Object value) {
    if (value == null) return "null";
    if (!(value instanceof List)) return quoted(value.toString());
    List<String> parts = new ArrayList<>();
    for (Object each : (List<?>) value) parts.add(json(each));
    return "[" + String.join(",", parts) + "]";
  }

  /** Runs the work; what it gives must be the same everywhere. */
  public static void check(String name, Callable<?> work) {
    String outcome;
    try {
      outcome = "\"value\":" + json(work.call());
    } catch (Exception error) {
      outcome = "\"error\":" + quoted(error.getClass().getSimpleName() + ": " + error.getMessage());
    }
    System.out.println("{\"check\":" + quoted(name) + "," + outcome + "}");
  }

  /** The named columns of all rows, or all columns. */
  public static List<List<Object>> rows(ResultSet result, String... names) throws SQLException {
    List<List<Object>> found = new ArrayList<>();
    int width = names.length > 0 ? names.length : result.getMetaData().getColumnCount();
    while (result.next()) {
      List<Object> row = new ArrayList<>();
      for (int i = 0; i < width; i++)
        row.add(names.length > 0 ? result.getString(names[i]) : result.getString(i + 1));
      found.add(row);
    }
    return found;
  }
}
