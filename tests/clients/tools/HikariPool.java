// covers: HikariCP
// needs: maven com.zaxxer:HikariCP:5.1.0
// needs: maven org.postgresql:postgresql:42.7.4
// needs: maven org.slf4j:slf4j-nop:2.0.16
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;

public final class HikariPool {
  static Object count(Connection connection) throws Exception {
    try (ResultSet result = connection.createStatement().executeQuery("SELECT count(*) FROM people")) {
      return Checks.rows(result);
    }
  }

  /** Takes a connection, changes it, gives it back, and takes it again: the pool resets what was changed. */
  static Object used(HikariConfig config) throws Exception {
    config.setJdbcUrl(Checks.URL);
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(10_000);
    List<Object> found = new ArrayList<>();
    try (HikariDataSource source = new HikariDataSource(config)) {
      for (int round = 0; round < 3; round++)
        try (Connection connection = source.getConnection()) {
          found.add(count(connection));
          connection.setReadOnly(round == 0);
          connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
          connection.setAutoCommit(false);
          found.add(count(connection));
          connection.rollback();
        }
    }
    return found;
  }

  public static void main(String[] arguments) {
    Checks.check("a pool with its defaults", () -> used(new HikariConfig()));
    Checks.check("a pool of read-only connections", () -> {
      HikariConfig config = new HikariConfig();
      config.setReadOnly(true);
      return used(config);
    });
    Checks.check("a pool whose driver sets each session read only or not", () -> {
      HikariConfig config = new HikariConfig();
      config.addDataSourceProperty("readOnlyMode", "always");
      return used(config);
    });
    Checks.check("a pool with a test query, a schema and a first statement", () -> {
      HikariConfig config = new HikariConfig();
      config.setConnectionTestQuery("SELECT 1");
      config.setSchema("public");
      config.setConnectionInitSql("SET TIME ZONE 'UTC'");
      return used(config);
    });
    Checks.check("a pool with an isolation level", () -> {
      HikariConfig config = new HikariConfig();
      config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
      return used(config);
    });
  }
}
