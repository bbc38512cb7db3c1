// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.xml.transform.ErrorListener;
import javax.xml.transform.TransformerException;
import javax.xml.transform.stream.StreamSource;
import net.sf.saxon.s9api.Processor;
import net.sf.saxon.s9api.SaxonApiException;
import net.sf.saxon.s9api.Serializer;
import net.sf.saxon.s9api.XQueryCompiler;
import net.sf.saxon.s9api.XQueryEvaluator;
import net.sf.saxon.s9api.XQueryExecutable;
import net.sf.saxon.s9api.XdmNode;
import net.sf.saxon.value.DateTimeValue;

/**
 * Evaluates queries with Saxon, for compare.c to compare with Weft: all in one
 * virtual machine, as starting one takes longer than a thousand queries.
 *
 * usage: Differential SEED DOCUMENTS RANDOM FOLDER [SPECIFICATION]...
 *
 * Evaluates every query of the specifications over DOCUMENTS generated documents
 * each, and RANDOM random queries.  Writes the documents to FOLDER and the
 * cases to FOLDER/cases, each as
 *
 *	case KIND DOCUMENT LENGTH LENGTH STATUS
 *
 * followed by the query and the result (or the code of the error) in that many
 * bytes of UTF-8, each with a line break behind it.  KIND is how the query is
 * used: mapping, predicate, splitter, or plain.  STATUS: Saxon gives a result,
 * has refused to compile the query, fails at it, or has a bug (skip).
 */
public final class Differential {
	private static final String NOW = "2026-06-02T10:00:00Z";

	private final Processor processor = new Processor(false);
	private final XQueryCompiler compiler = processor.newXQueryCompiler();
	private final Map<String, XdmNode> documents = new HashMap<>();
	private final Path folder;
	private final OutputStream cases;
	private int stored;

	private Differential(Path folder) throws IOException {
		this.folder = folder;
		cases = new BufferedOutputStream(
		    Files.newOutputStream(folder.resolve("cases")));
		compiler.setErrorListener(new Silent());
	}

	/* Errors are results here and are not printed. */
	private static final class Silent implements ErrorListener {
		@Override
		public void warning(TransformerException exception) {
		}

		@Override
		public void error(TransformerException exception) {
		}

		@Override
		public void fatalError(TransformerException exception) {
		}
	}

	private String store(String xml) throws Exception {
		String name = "d" + stored++ + ".xml";

		Files.write(
		    folder.resolve(name), xml.getBytes(StandardCharsets.UTF_8));
		documents.put(name,
		    processor.newDocumentBuilder().build(
			new StreamSource(new StringReader(xml))));
		return name;
	}

	private String evaluate(XQueryExecutable query, XdmNode document)
	    throws Exception {
		XQueryEvaluator evaluator = query.load();
		StringWriter text = new StringWriter();
		Serializer serializer = processor.newSerializer(text);

		serializer.setOutputProperty(
		    Serializer.Property.OMIT_XML_DECLARATION, "yes");
		serializer.setOutputProperty(Serializer.Property.INDENT, "no");
		evaluator.getUnderlyingQueryContext().setCurrentDateTime(
		    (DateTimeValue)DateTimeValue
			.makeDateTimeValue(
			    NOW, processor.getUnderlyingConfiguration()
				     .getConversionRules())
			.asAtomic());
		evaluator.setErrorListener(new Silent());
		evaluator.setContextItem(document);
		evaluator.run(serializer);
		return text.toString();
	}

	private static String codeOf(SaxonApiException exception) {
		return exception.getErrorCode() == null
		    ? "-"
		    : exception.getErrorCode().getLocalName();
	}

	private void write(String kind, String document, String query,
	    String status, String result) throws IOException {
		byte[] text = query.getBytes(StandardCharsets.UTF_8);
		byte[] end = result.getBytes(StandardCharsets.UTF_8);

		cases.write(("case " + kind + " " + document + " "
		    + text.length + " " + end.length + " " + status + "\n")
				.getBytes(StandardCharsets.UTF_8));
		cases.write(text);
		cases.write('\n');
		cases.write(end);
		cases.write('\n');
	}

	/** One query over several documents. */
	private void check(String kind, String query, List<String> names)
	    throws Exception {
		XQueryExecutable executable;

		try {
			executable = compiler.compile(kind.equals("predicate")
				? "boolean(" + query + ")"
				: query);
		} catch (SaxonApiException exception) {
			write(kind, names.get(0), query, "refused",
			    codeOf(exception));
			return;
		} catch (RuntimeException | StackOverflowError bug) {
			write(kind, names.get(0), query, "skip", "-");
			return;
		}
		for (String name : names) {
			try {
				write(kind, name, query, "gives",
				    evaluate(executable, documents.get(name)));
			} catch (SaxonApiException exception) {
				write(kind, name, query, "fails",
				    codeOf(exception));
			} catch (RuntimeException | StackOverflowError bug) {
				write(kind, name, query, "skip", "-");
			}
		}
	}

	private void checkSpecification(String file, int count, Random random,
	    Map<String, Boolean> known) throws Exception {
		for (Corpus.Query query : Corpus.read(file)) {
			List<String> names = new ArrayList<>();

			if (known.put(query.kind + " " + query.text, true) != null)
				continue;
			for (int i = 0; i < count; i++)
				names.add(store(
				    new Documents(query.text, random).make(i)));
			check(query.kind, query.text, names);
			documents.clear();
		}
	}

	private void checkRandom(int count, Random random) throws Exception {
		List<String> names = new ArrayList<>();

		for (int i = 0; i < 8; i++)
			names.add(store(Queries.document(random, i)));
		for (int i = 0; i < count; i++) {
			String query = new Queries(random).make();

			check("plain", query,
			    List.of(names.get(random.nextInt(names.size()))));
		}
	}

	public static void main(String[] arguments) throws Exception {
		Random random = new Random(Long.parseLong(arguments[0]));
		int count = Integer.parseInt(arguments[1]);
		Differential differential =
		    new Differential(Path.of(arguments[3]));
		Map<String, Boolean> known = new HashMap<>();

		differential.checkRandom(Integer.parseInt(arguments[2]), random);
		for (int i = 4; i < arguments.length; i++)
			differential.checkSpecification(
			    arguments[i], count, random, known);
		differential.cases.close();
	}
}
