// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The queries of a specification file. */
final class Corpus {
	/** A query, and how it is used. */
	static final class Query {
		final String kind;
		final String text;

		Query(String kind, String text) {
			this.kind = kind;
			this.text = text;
		}
	}

	private static final Set<String> BOUNDS =
	    Set.of("minimum", "maximum", "threshold");

	private Corpus() {
	}

	static List<Query> read(String file) {
		List<Query> queries = new ArrayList<>();
		Document document;

		try {
			DocumentBuilderFactory factory =
			    DocumentBuilderFactory.newInstance();

			factory.setNamespaceAware(true);
			factory.setFeature(
			    "http://apache.org/xml/features/disallow-doctype-decl",
			    true);
			document =
			    factory.newDocumentBuilder().parse(new File(file));
		} catch (Exception exception) {
			return queries; /* not a specification */
		}
		NodeList elements = document.getElementsByTagNameNS("*", "*");
		for (int i = 0; i < elements.getLength(); i++)
			add((Element)elements.item(i), queries);
		return queries;
	}

	private static void add(Element element, List<Query> queries) {
		String name = element.getLocalName();
		String text = element.getTextContent().trim();
		String kind = name.equals("splittingExpression") ? "splitter"
								 : "mapping";

		if (element.hasAttribute("query"))
			queries.add(new Query(
			    kind, element.getAttribute("query")));
		else if (name.equals("predicate")
		    && !text.matches("(?s)timer\\s*\\(.*"))
			queries.add(new Query("predicate", text));
		else if (BOUNDS.contains(name) && !text.isEmpty())
			queries.add(new Query("plain", text));
	}
}
