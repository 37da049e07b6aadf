// covers: pgjdbc
// needs: maven org.postgresql:postgresql:42.7.4
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.postgresql.PGConnection;

public final class PgJdbc {
  interface Work<T> {
    T on(Connection connection) throws Exception;
  }

  static final String PEOPLE = "SELECT city, born, mood, is_member, height, tags FROM people ORDER BY seen";

  static <T> T with(String options, Work<T> work) throws Exception {
    try (Connection connection = DriverManager.getConnection(Checks.URL + options)) {
      return work.on(connection);
    }
  }

  static List<List<Object>> query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
      return Checks.rows(result);
    }
  }

  public static void main(String[] arguments) {
    for (String options : List.of("", "&prepareThreshold=-1", "&preferQueryMode=simple",
        "&preferQueryMode=extendedCacheEverything", "&binaryTransfer=false", "&defaultRowFetchSize=50",
        "&assumeMinServerVersion=9.0", "&stringtype=unspecified", "&readOnly=true",
        "&readOnly=true&readOnlyMode=always", "&targetServerType=primary", "&targetServerType=any",
        "&ApplicationName=report", "&currentSchema=public", "&options=-c%20statement_timeout=60000",
        "&reWriteBatchedInserts=true", "&tcpKeepAlive=true", "&loginTimeout=10", "&autosave=always"))
      Checks.check("rows with the options " + options, () -> with(options, c -> query(c, PEOPLE)));

    Checks.check("prepared statements, used often", () -> with("", connection -> {
      List<Object> found = new ArrayList<>();
      try (PreparedStatement statement = connection.prepareStatement(
          "SELECT count(*) FROM people WHERE city = ? AND height > ?")) {
        for (int i = 0; i < 8; i++) {
          statement.setString(1, i % 2 == 0 ? "Aber" : "Bree");
          statement.setInt(2, 150 + i);
          found.add(Checks.rows(statement.executeQuery()));
        }
      }
      return found;
    }));
    Checks.check("setReadOnly, back and forth", () -> with("&readOnlyMode=always", connection -> {
      List<Object> found = new ArrayList<>();
      for (boolean isReadOnly : new boolean[] {true, false, true}) {
        connection.setReadOnly(isReadOnly);
        found.add(query(connection, "SELECT count(*) FROM people"));
      }
      return found;
    }));
    Checks.check("isolation levels and a savepoint", () -> with("", connection -> {
      List<Object> found = new ArrayList<>();
      for (int level : new int[] {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ,
          Connection.TRANSACTION_SERIALIZABLE}) {
        connection.setTransactionIsolation(level);
        connection.setAutoCommit(false);
        Savepoint savepoint = connection.setSavepoint();
        try {
          query(connection, "SELECT 1 / (size - 4) FROM towns");
        } catch (SQLException expected) {
          found.add(expected.getSQLState());
          connection.rollback(savepoint);
        }
        found.add(query(connection, "SHOW transaction_isolation"));
        connection.commit();
        connection.setAutoCommit(true);
      }
      return found;
    }));
    Checks.check("a cursor in portions", () -> with("", connection -> {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.setFetchSize(30);
        return Checks.rows(statement.executeQuery("SELECT id, town FROM visits ORDER BY id"));
      }
    }));
    Checks.check("COPY", () -> with("", connection -> {
      StringWriter out = new StringWriter();
      connection.unwrap(PGConnection.class).getCopyAPI().copyOut("COPY people TO STDOUT (FORMAT csv)", out);
      return out.toString();
    }));
    Checks.check("arrays and times", () -> with("", connection -> {
      ResultSet result = connection.createStatement().executeQuery("SELECT tags, seen, born FROM people ORDER BY seen");
      List<Object> found = new ArrayList<>();
      while (result.next())
        found.add(Arrays.asList(Arrays.toString((Object[]) result.getArray(1).getArray()), result.getTimestamp(2),
            result.getDate(3)));
      return found;
    }));
    Checks.check("the metadata of open tables", () -> with("", connection -> {
      DatabaseMetaData data = connection.getMetaData();
      List<Object> found = new ArrayList<>();
      found.add(Checks.rows(data.getSchemas(), "TABLE_SCHEM"));
      found.add(Checks.rows(data.getTables(null, "public", "%o%", new String[] {"TABLE", "VIEW"}), "TABLE_NAME", "TABLE_TYPE"));
      found.add(Checks.rows(data.getColumns(null, "public", "visits", "%"), "COLUMN_NAME", "TYPE_NAME", "IS_NULLABLE", "IS_AUTOINCREMENT"));
      found.add(Checks.rows(data.getPrimaryKeys(null, "public", "towns"), "COLUMN_NAME", "KEY_SEQ"));
      found.add(Checks.rows(data.getImportedKeys(null, "public", "visits"), "FKCOLUMN_NAME", "PKTABLE_NAME"));
      found.add(Checks.rows(data.getIndexInfo(null, "public", "towns", false, false), "INDEX_NAME", "COLUMN_NAME", "ASC_OR_DESC"));
      found.add(Checks.rows(data.getTablePrivileges(null, "public", "towns"), "TABLE_NAME").isEmpty());
      return found;
    }));
    Checks.check("columns that masks may hide are nullable", () -> with("", connection ->
        Checks.rows(connection.getMetaData().getColumns(null, "public", "people", "%"), "COLUMN_NAME", "TYPE_NAME", "IS_NULLABLE")));
    Checks.check("the metadata of a result", () -> with("", connection -> {
      ResultSetMetaData data = connection.createStatement()
          .executeQuery("SELECT t.town, t.size, v.cost FROM towns t JOIN visits v ON v.town = t.town").getMetaData();
      List<Object> found = new ArrayList<>();
      for (int i = 1; i <= data.getColumnCount(); i++)
        found.add(List.of(data.getColumnName(i), data.getTableName(i), data.getColumnTypeName(i), data.isNullable(i)));
      return found;
    }));
    Checks.check("a limit of time and a cancel", () -> with("", connection -> {
      try (Statement statement = connection.createStatement()) {
        statement.setQueryTimeout(1);
        statement.executeQuery("SELECT count(*) FROM visits a, visits b, visits c, visits d");
        return "ended";
      } catch (SQLException late) {
        return late.getSQLState() + query(connection, "SELECT count(*) FROM people");
      }
    }));
  }
}
