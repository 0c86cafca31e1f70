import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;

/** Threads transform documents with a stylesheet that they share. */
class Transform {
    private static final int THREADS = 3;
    private static final String STYLE = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
        + "<xsl:output omit-xml-declaration='yes'/><xsl:key name='kind' match='item' use='@kind'/>"
        + "<xsl:template match='/list'><sum><xsl:apply-templates select='item'><xsl:sort select='@price' data-type='number'/></xsl:apply-templates>"
        + "<odd><xsl:value-of select=\"count(key('kind', 'odd'))\"/></odd></sum></xsl:template>"
        + "<xsl:template match='item'><xsl:if test='@price mod 7 = 0'><i><xsl:value-of select='concat(name, @price)'/></i></xsl:if></xsl:template></xsl:stylesheet>";

    public static void main(String[] args) throws Exception {
        int times = args.length > 0 ? Integer.parseInt(args[0]) * 10 : 10;
        TransformerFactory factory = TransformerFactory.newInstance("org.apache.xalan.processor.TransformerFactoryImpl", null);
        Templates templates = factory.newTemplates(new StreamSource(new StringReader(STYLE)));
        long[] sums = new long[THREADS];
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                for (int time = 0; time < times; time++) sums[number] += transformed(templates, 100 + time % 10).hashCode();
            }, "transformer " + i);
        }
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.out.println("same: " + (sums[0] == sums[1] && sums[1] == sums[2]) + ", sum: " + sums[0]);
    }

    private static String transformed(Templates templates, int items) {
        StringBuilder document = new StringBuilder("<list>");
        for (int i = 0; i < items; i++) {
            document.append("<item kind='").append(i % 2 == 0 ? "even" : "odd").append("' price='").append(i * 31 % 97).append("'><name>n").append(i).append("</name></item>");
        }
        StringWriter result = new StringWriter();
        try {
            templates.newTransformer().transform(new StreamSource(new StringReader(document.append("</list>").toString())), new StreamResult(result));
        } catch (TransformerException e) {
            throw new IllegalStateException(e);
        }
        return result.toString();
    }
}
