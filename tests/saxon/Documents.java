// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Documents with the elements that a query reads: every path that it names is
 * there, in the first documents with plain values, in later ones several times,
 * sometimes not at all, and with values of all kinds.
 */
final class Documents {
	private static final String NAME = "[A-Za-z_][A-Za-z0-9_.-]*";
	private static final String STEP = "(?:\\*|" + NAME + ")(?![(:])";
	private static final Pattern ABSOLUTE = Pattern.compile(
	    "(?<![<\\w*)\\]$./])/{1,2}(" + STEP + "(?:/{1,2}" + STEP + ")*)");
	private static final Pattern RELATIVE =
	    Pattern.compile("(?<![<\\w/.-])(?:\\$" + NAME + "/)?(" + STEP
		+ "(?:/" + STEP + ")*)(?=\\s*[/)\\]=<>!+*,-]|\\s+(?:eq|ne|lt|gt))");
	private static final String[] VALUES = { "0", "1", "42", "-7", "3.50",
		"1e3", "true", "false", "abc", "x y", "2024-02-29", "10:30:00",
		"P3D", "&lt;&amp;&gt;", "\u00e4\u20ac", " ", "" };

	private static final class Node {
		final String name;
		final List<Node> kids = new ArrayList<>();

		Node(String name) {
			this.name = name;
		}

		Node kid(String wanted) {
			for (Node kid : kids)
				if (kid.name.equals(wanted))
					return kid;
			Node kid = new Node(wanted);
			kids.add(kid);
			return kid;
		}
	}

	private final Set<String> paths = new LinkedHashSet<>();
	private final Set<String> chains = new LinkedHashSet<>();
	private final Random random;

	Documents(String query, Random random) {
		String text =
		    query.replaceAll("\"[^\"<]*\"|'[^'<]*'", "''")
			.replaceAll("</?" + NAME + "\\s*/?>", " ");
		Matcher matcher = ABSOLUTE.matcher(text);

		this.random = random;
		while (matcher.find())
			paths.add(matcher.group(1).replace("//", "/"));
		matcher = RELATIVE.matcher(matcher.replaceAll(" "));
		while (matcher.find())
			chains.add(matcher.group(1));
		if (paths.isEmpty())
			paths.add("data/x");
	}

	String make(int number) {
		Node root = new Node(paths.iterator().next().split("/")[0]);
		StringBuilder xml = new StringBuilder();

		for (String path : paths) {
			String[] steps = path.split("/");
			boolean below = steps[0].equals(root.name);

			add(root, steps, below ? 1 : 0, number);
		}
		write(root, xml, number, true);
		return xml.toString();
	}

	private void add(Node node, String[] steps, int from, int number) {
		for (int i = from; i < steps.length; i++)
			node = node.kid(
			    steps[i].equals("*") ? "item" : steps[i]);
		if (number > 2 && random.nextInt(4) > 0 && node.kids.isEmpty())
			return;
		for (String chain : chains) {
			Node at = node;

			for (String step : chain.split("/"))
				at = at.kid(step.equals("*") ? "item" : step);
		}
	}

	private String value(int number) {
		if (number == 0)
			return "7";
		if (number == 1)
			return "word";
		if (number == 2)
			return "true";
		return VALUES[random.nextInt(VALUES.length)];
	}

	/* Three documents have everything once, later ones are random. */
	private void write(
	    Node node, StringBuilder xml, int number, boolean top) {
		int times = 1;

		if (number > 2 && !top && random.nextInt(3) == 0)
			times = random.nextInt(4);
		for (int i = 0; i < times; i++) {
			String text = node.kids.isEmpty() ? value(number) : "";

			if (number > 9 && !top && random.nextInt(20) == 0)
				text = "mixed ";
			xml.append('<').append(node.name).append('>');
			xml.append(text);
			for (Node kid : node.kids)
				write(kid, xml, number, false);
			xml.append("</").append(node.name).append('>');
		}
	}
}
