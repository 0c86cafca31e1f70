import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Threads with a connection each move money between the accounts of a database in memory; no money may get lost. */
class Sql {
    private static final int THREADS = 3;
    private static final int ACCOUNTS = 20;

    public static void main(String[] args) throws Exception {
        String url = args[0];
        int transfers = args.length > 1 ? Integer.parseInt(args[1]) * 100 : 100;
        try (Connection connection = DriverManager.getConnection(url)) {
            fill(connection);
            Thread[] threads = new Thread[THREADS];
            int[] done = new int[THREADS];
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                threads[i] = new Thread(() -> done[number] = work(url.replace(";create=true", ""), number, transfers), "client " + i);
            }
            for (Thread thread : threads) thread.start();
            for (Thread thread : threads) thread.join();
            System.out.println("transfers: " + (done[0] + done[1] + done[2]) + ", sum: " + sum(connection, "balance") + ", moves: " + sum(connection, "moves"));
        }
    }

    private static void fill(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT, moves INT, name VARCHAR(40))");
            statement.execute("CREATE INDEX by_name ON account (name)");
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO account VALUES (?, 100, 0, ?)")) {
            for (int i = 0; i < ACCOUNTS; i++) {
                insert.setInt(1, i);
                insert.setString(2, "customer " + i);
                insert.executeUpdate();
            }
        }
    }

    private static int work(String url, int number, int transfers) {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            for (int i = 0; i < transfers; ) {
                if (moved(connection, (i * 7 + number) % ACCOUNTS, (i * 3 + number + 1) % ACCOUNTS)) i++;
            }
            return transfers;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether it worked: the database may choose a transaction to give up where two wait for each other. */
    private static boolean moved(Connection connection, int from, int to) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE account SET balance = balance + ?, moves = moves + 1 WHERE name = ?")) {
            int first = Math.min(from, to);
            change(update, first == from ? -1 : 1, first);
            change(update, first == from ? 1 : -1, Math.max(from, to));
            connection.commit();
            return true;
        } catch (SQLException e) {
            connection.rollback();
            return false;
        }
    }

    private static void change(PreparedStatement update, int amount, int account) throws SQLException {
        update.setInt(1, amount);
        update.setString(2, "customer " + account);
        if (update.executeUpdate() != 1) throw new IllegalStateException("no account " + account);
    }

    private static int sum(Connection connection, String column) throws SQLException {
        try (Statement statement = connection.createStatement();
             ResultSet result = statement.executeQuery("SELECT SUM(" + column + ") FROM account")) {
            result.next();
            return result.getInt(1);
        }
    }
}
