import java.io.IOException;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Threads index documents together, then search together. */
class Search {
    private static final int THREADS = 3;

    public static void main(String[] args) throws Exception {
        int documents = args.length > 0 ? Integer.parseInt(args[0]) * 200 : 200;
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()))) {
            together(number -> index(writer, number, documents));
            writer.commit();
        }
        int[] hits = new int[THREADS];
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            together(number -> hits[number] = search(searcher));
        }
        System.out.println("documents: " + THREADS * documents + ", hits: " + hits[0] + " " + hits[1] + " " + hits[2]);
    }

    private static void index(IndexWriter writer, int number, int documents) throws IOException {
        for (int i = 0; i < documents; i++) {
            Document document = new Document();
            document.add(new TextField("text", "the quick fox number" + i % 10 + " jumps over thread" + number + " and word" + i * 31 % 100, Field.Store.YES));
            writer.addDocument(document);
        }
    }

    private static int search(IndexSearcher searcher) throws IOException {
        int hits = 0;
        for (int i = 0; i < 10; i++) hits += searcher.count(new TermQuery(new Term("text", "number" + i)));
        return hits;
    }

    private interface Work {
        void of(int number) throws IOException;
    }

    private static void together(Work work) throws InterruptedException {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                try {
                    work.of(number);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }, "searcher " + i);
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
    }
}
