import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** A server on loopback, with a port that the system chooses, and clients that ask it at the same time. */
class Serve {
    private static final int CLIENTS = 3;
    private static int answered;

    public static void main(String[] args) throws Exception {
        int requests = args.length > 0 ? Integer.parseInt(args[0]) * 30 : 30;
        java.util.logging.LogManager.getLogManager().reset();
        File folder = Files.createTempDirectory("serve").toFile();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.getPath());
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        Context context = tomcat.addContext("", folder.getPath());
        Tomcat.addServlet(context, "counter", new Counter());
        context.addServletMappingDecoded("/count", "counter");
        tomcat.getConnector();
        tomcat.start();
        URI uri = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/count?by=2");
        Thread[] clients = new Thread[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            clients[i] = new Thread(() -> ask(uri, requests), "client " + i);
            clients[i].start();
        }
        for (Thread client : clients) client.join();
        System.out.println("answered: " + answered + ", counted: " + Counter.count());
        tomcat.stop();
        tomcat.destroy();
        System.exit(0);
    }

    private static void ask(URI uri, int requests) {
        HttpClient client = HttpClient.newHttpClient();
        for (int i = 0; i < requests; i++) {
            try {
                HttpResponse<String> answer = client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() == 200 && answer.body().startsWith("counted ")) count();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static synchronized void count() {
        answered++;
    }

    static class Counter extends HttpServlet {
        private static final long serialVersionUID = 1;
        private static int count;

        static synchronized int count() {
            return count;
        }

        private static synchronized int add(int by) {
            return count += by;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("counted " + add(Integer.parseInt(request.getParameter("by"))));
        }
    }
}
