// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random queries over documents of one shape, mostly of the right types, so
 * that most of them have a result.  What the standard leaves open is not asked
 * for, nor are things that Saxon is known to get wrong: counting a path that
 * meets a node twice, comparing a count with less than nothing or an attribute
 * that is not there, zero divided, the rest of a text from a place with a
 * fraction.
 */
final class Queries {
	private static final String[] WORDS = { "abc", "Hello World", "", "a,b,c",
		"  x  y ", "\u00e4\u00f6\u00fc", "2024-02-29", "12", "-3.5", "aXbXc",
		"The quick brown fox", "1 2 3" };
	private static final String[] PATTERNS = { "[a-z]+", "X", ",", "\\s+",
		"^.", "(b|X)", "\\d", "o", "[^a-m]", "\\p{L}", "b?c" };
	private static final String[] DATES = { "2024-02-29", "1999-12-31",
		"2000-01-01Z", "2023-07-15+02:00", "1970-01-01" };
	private static final String[] DURATIONS = { "P1D", "PT36H", "-PT1H30M",
		"P10DT2H3M4.5S", "PT0S" };
	private static final String[] MONTHS = { "P1M", "P1Y2M", "-P3M", "P0M" };

	private final Random random;
	private final List<String> numbers = new ArrayList<>();
	private final List<String> items = new ArrayList<>();
	private int variables;

	Queries(Random random) {
		this.random = random;
	}

	/** What the queries are about; the first document is the plainest. */
	static String document(Random random, int number) {
		StringBuilder xml = new StringBuilder("<net>");
		int orders = number == 0 ? 2 : random.nextInt(5);

		for (int i = 0; i < orders; i++) {
			xml.append("<order id=\"o").append(i).append("\"");
			if (random.nextInt(2) == 0)
				xml.append(" kind=\"express\"");
			xml.append("><price>")
			    .append(random.nextInt(1000) / 10.0)
			    .append("</price><qty>")
			    .append(random.nextInt(9))
			    .append("</qty><name>")
			    .append(WORDS[random.nextInt(4)])
			    .append("</name>");
			for (int k = random.nextInt(3); k > 0; k--)
				xml.append("<tag>t").append(k).append("</tag>");
			xml.append("</order>");
		}
		xml.append("<count>").append(random.nextInt(20) - 5)
		    .append("</count><flag>").append(random.nextBoolean())
		    .append("</flag><date>2024-0").append(random.nextInt(9) + 1)
		    .append("-15</date><empty/><mixed>a<b>c</b>d</mixed>");
		return xml.append("</net>").toString();
	}

	String make() {
		int depth = 2 + random.nextInt(3);

		switch (random.nextInt(8)) {
		case 0:
			return element(depth);
		case 1:
			return "(" + item(depth) + ", " + item(depth) + ")";
		case 2:
			return flwor(depth);
		case 3:
			return truth(depth);
		case 4:
			return text(depth);
		case 5:
			return number(depth);
		case 6:
			return date(depth);
		default:
			return nodes(depth);
		}
	}

	private String pick(String... choices) {
		return choices[random.nextInt(choices.length)];
	}

	private static String quote(String text) {
		return "'" + text + "'";
	}

	private String newVariable() {
		return "$v" + variables++;
	}

	/* ---- values of one type each ---- */

	private String number(int depth) {
		if (depth <= 0) {
			if (!numbers.isEmpty() && random.nextBoolean())
				return numbers.get(
				    random.nextInt(numbers.size()));
			return pick("0", "1", "2", "7", "-3", "10", "2.5", "1e2",
			    "100", "0.1");
		}
		String a = number(depth - 1);
		switch (random.nextInt(16)) {
		case 0:
			return "(" + a + " + " + number(depth - 1) + ")";
		case 1:
			return "(" + a + " - " + number(depth - 1) + ")";
		case 2:
			return "(" + a + " * " + number(depth - 1) + ")";
		case 3:
			return "(" + a + " mod 7)";
		case 4:
			return "(" + a + " idiv 3)";
		case 5:
			return "round-half-to-even((" + a
			    + " + 0.25) div 3, 6)"; // no double is a tie
		case 6:
			return pick("round", "floor", "ceiling", "abs") + "(" + a
			    + ")";
		case 7:
			return "abs(count(" + nodes(0) + "))";
		case 8:
			return "string-length(" + text(depth - 1) + ")";
		case 9:
			return "sum(" + nodes(depth - 1) + "/(price, qty))";
		case 10:
			return "sum((" + nodes(depth - 1) + ")[1]/qty)";
		case 11:
			return "(if (" + truth(depth - 1) + ") then " + a
			    + " else " + number(depth - 1) + ")";
		case 12:
			return pick("max", "min") + "((" + a + ", "
			    + number(depth - 1) + "))";
		case 13:
			return "xs:integer(floor(" + a + "))";
		case 14:
			return pick("month", "day", "year") + "-from-date("
			    + date(depth - 1) + ")";
		default:
			return "-(" + a + ")";
		}
	}

	/* In a text: Saxon places 2.4 of two characters after them. */
	private String place(int depth) {
		return random.nextBoolean()
		    ? pick("2.5", "0.1", "-0.5", "1.5")
		    : "floor(" + number(depth) + ")";
	}

	private String text(int depth) {
		if (depth <= 0)
			return random.nextBoolean()
			    ? quote(pick(WORDS))
			    : "string(/net/" + pick("flag", "date", "mixed",
				"empty", "none") + ")";
		String a = text(depth - 1);
		switch (random.nextInt(17)) {
		case 0:
			return "concat(" + a + ", " + item(depth - 1) + ")";
		case 1:
			return "(" + a + " || " + text(depth - 1) + ")";
		case 2:
			return "substring(" + a + ", " + place(depth - 2) + ")";
		case 3:
			return "substring(" + a + ", " + place(0) + ", "
			    + number(0) + ")";
		case 4:
			return pick("upper-case", "lower-case",
			    "normalize-space", "string") + "(" + a + ")";
		case 5:
			return "replace(" + a + ", '" + pick(PATTERNS)
			    + "(q)?', '" + pick("-", "", "[$0]", "\\$") + "')";
		case 6:
			return "string-join(tokenize(" + a + ", '"
			    + pick(",", "\\s+", "X", "o") + "'), '/')";
		case 7:
			return "translate(" + a + ", 'abcXo', 'AB')";
		case 8:
			return pick("substring-before", "substring-after") + "("
			    + a + ", " + quote(pick("b", " ", "X", ",")) + ")";
		case 9:
			return "string(" + number(depth - 1) + ")";
		case 10:
			return "string-join(" + nodes(depth - 1)
			    + "/name/string(), ';')";
		case 11:
			return "string(" + date(depth - 1) + ")";
		case 12:
			return "codepoints-to-string(reverse("
			    + "string-to-codepoints(" + a + ")))";
		case 13:
			return "(if (" + truth(depth - 1) + ") then " + a
			    + " else " + text(depth - 1) + ")";
		case 14:
			return "encode-for-uri(" + a + ")";
		case 15:
			return "format-number(" + number(depth - 1) + ", '"
			    + pick("0.00", "#,##0.##", "000", "0%") + "')";
		default:
			return "string(" + truth(depth - 1) + ")";
		}
	}

	private String truth(int depth) {
		if (depth <= 0)
			return pick("true()", "false()", "(/net/flag = 'true')",
			    "exists(/net/order)", "boolean(/net/none)");
		switch (random.nextInt(16)) {
		case 0:
			return "(" + number(depth - 1)
			    + pick(" = ", " < ", " >= ", " != ", " eq ",
				" lt ")
			    + number(depth - 1) + ")";
		case 1:
			return "(" + text(depth - 1)
			    + pick(" = ", " < ", " >= ", " != ", " eq ",
				" gt ")
			    + text(depth - 1) + ")";
		case 2:
			return "(" + truth(depth - 1) + pick(" and ", " or ")
			    + truth(depth - 1) + ")";
		case 3:
			return "not(" + pick(truth(depth - 1), text(depth - 1),
			    number(depth - 1), nodes(depth - 1)) + ")";
		case 4:
			return pick("exists", "empty") + "(" + nodes(depth - 1)
			    + ")";
		case 5:
			return pick("contains", "starts-with", "ends-with") + "("
			    + text(depth - 1) + ", " + text(0) + ")";
		case 6:
			return "matches(" + text(depth - 1) + ", '"
			    + pick(PATTERNS) + "'" + pick("", ", 'i'", ", 's'")
			    + ")";
		case 7: {
			String v = newVariable();
			return "(" + pick("some ", "every ") + v + " in "
			    + nodes(depth - 1) + " satisfies " + v + "/"
			    + pick("price", "qty") + " > " + number(0) + ")";
		}
		case 8:
			return "(" + nodes(depth - 1)
			    + pick("/price", "/qty")
			    + pick(" = ", " < ", " > ", " != ") + number(0)
			    + ")";
		case 13:
			return "(" + nodes(depth - 1) + "/name"
			    + pick(" = ", " < ", " > ", " != ") + text(0)
			    + ")";
		case 9:
			return "deep-equal(" + nodes(depth - 1) + ", "
			    + nodes(depth - 1) + ")";
		case 10:
			return "(" + item(depth - 1) + " instance of "
			    + pick("xs:integer", "xs:string", "element()",
				"xs:decimal", "item()+", "node()*") + ")";
		case 11:
			return "(" + text(depth - 1) + " castable as "
			    + pick("xs:integer", "xs:date", "xs:double",
				"xs:boolean", "xs:NCName") + ")";
		case 12:
			return "(" + date(depth - 1)
			    + pick(" lt ", " eq ", " gt ") + date(depth - 1)
			    + ")";
		case 14:
			return "(count(" + nodes(0) + ")"
			    + pick(" = ", " < ", " >= ", " != ")
			    + pick("0", "1", "2") + ")";
		default:
			return "boolean(" + nodes(depth - 1) + ")";
		}
	}

	private String date(int depth) {
		if (depth <= 0)
			return pick("xs:date('" + pick(DATES) + "')",
			    "xs:date(/net/date)", "current-date()");
		switch (random.nextInt(5)) {
		case 0:
			return "(" + date(depth - 1) + pick(" + ", " - ")
			    + "xs:dayTimeDuration('" + pick(DURATIONS) + "'))";
		case 1:
			return "(" + date(depth - 1) + pick(" + ", " - ")
			    + "xs:yearMonthDuration('" + pick(MONTHS) + "'))";
		case 2:
			return "adjust-date-to-timezone(" + date(depth - 1)
			    + ", " + pick("()", "xs:dayTimeDuration('PT5H')",
				"xs:dayTimeDuration('-PT3H30M')") + ")";
		case 3:
			return "(if (" + truth(depth - 1) + ") then "
			    + date(depth - 1) + " else " + date(depth - 1)
			    + ")";
		default:
			return "xs:date(xs:dateTime(" + date(depth - 1) + "))";
		}
	}

	/* ---- nodes and sequences ---- */

	private String nodes(int depth) {
		if (depth <= 0)
			return pick("/net/order", "//order", "/net/*",
			    "/net/none", "//order[tag]", "/net/order[1]",
			    "/net/order[last()]", "//*[price]");
		String a = nodes(depth - 1);
		switch (random.nextInt(14)) {
		case 0:
			return "(" + a + "[" + truthOfOrder(depth - 1) + "])";
		case 1:
			return "(" + a + pick(" | ", " intersect ", " except ")
			    + nodes(depth - 1) + ")";
		case 2:
			return "reverse(" + a + ")";
		case 3:
			return "subsequence(" + a + ", " + number(0) + ")";
		case 4:
			return "(" + a + "/.." + pick("", "/*", "/order") + ")";
		case 5:
			return "(" + a + pick("/tag", "/name", "/price",
			    "/node()", "//text()") + ")";
		case 6:
			return "(" + a + "/"
			    + pick("following-sibling", "preceding-sibling",
				"ancestor-or-self", "descendant-or-self",
				"following", "preceding")
			    + "::" + pick("order", "*", "node()[1]") + ")";
		case 7: {
			String v = newVariable();
			return "(for " + v + " in " + a + " order by "
			    + v + "/" + pick("price", "qty", "name")
			    + "[1]" + pick("", " descending",
				" empty greatest")
			    + " return " + v + ")";
		}
		case 8:
			return "(if (" + truth(depth - 1) + ") then " + a
			    + " else ())";
		case 9:
			return "insert-before(" + a + ", "
			    + pick("0", "1", "2", "10") + ", "
			    + "/net/flag)"; // of the same document
		case 10:
			return "remove(" + a + ", 1)";
		case 11:
			return pick("head", "tail") + "(" + a + ")";
		case 12:
			return "(" + a + " ! (., " + pick("tag", "@id/..",
			    "name") + "))";
		default:
			return "(" + a + ", " + nodes(depth - 1) + ")";
		}
	}

	private String truthOfOrder(int depth) {
		return pick("price > 50", "qty", "@kind = 'express'",
		    "position() mod 2 = 1", "last()", "1", "name = 'abc'",
		    "count(tag) > 1", "not(tag)",
		    "number(qty) lt " + number(depth - 1),
		    "contains(name, 'o')");
	}

	private String item(int depth) {
		if (!items.isEmpty() && random.nextInt(3) == 0)
			return items.get(random.nextInt(items.size()));
		switch (random.nextInt(6)) {
		case 0:
			return number(depth);
		case 1:
			return text(depth);
		case 2:
			return "(" + nodes(depth) + ")[1]";
		case 3:
			return truth(depth);
		case 4:
			return element(depth - 1);
		default:
			return date(depth);
		}
	}

	private String sequence(int depth) {
		switch (random.nextInt(6)) {
		case 0:
			return "(1 to " + (1 + random.nextInt(5)) + ")";
		case 1:
			return "(" + number(depth - 1) + ", " + number(depth - 1)
			    + ", " + number(0) + ")";
		case 2:
			return "distinct-values(" + nodes(depth - 1)
			    + "/(qty, tag))";
		case 3:
			return "tokenize(" + text(depth - 1) + ", '"
			    + pick(",", " ") + "')";
		case 4:
			return "(" + item(depth - 1) + ", " + item(depth - 1)
			    + ")";
		default:
			return nodes(depth - 1);
		}
	}

	private String element(int depth) {
		if (depth <= 0)
			return pick("<x/>", "<x>1</x>", "<x a='1'>t</x>",
			    "<p:x xmlns:p='u'>1</p:x>", "element y { 2 }", "<x>{1, 'a', 2.50}</x>");
		switch (random.nextInt(7)) {
		case 0:
			return "<r>{" + item(depth - 1) + "}</r>";
		case 1:
			return "<r>a{" + sequence(depth - 1) + "}b{"
			    + item(depth - 1) + "}</r>";
		case 2:
			return "<r a=\"{" + text(depth - 1) + "}-{"
			    + number(depth - 1) + "}\">{" + nodes(depth - 1)
			    + "}</r>";
		case 3:
			return "element {concat('e', " + (random.nextInt(3))
			    + ")} {attribute q {" + number(depth - 1) + "}, "
			    + item(depth - 1) + "}";
		case 4:
			return "<r> <s>{" + text(depth - 1) + "}</s> {"
			    + element(depth - 1) + "} </r>";
		case 5:
			return "<r>{" + flwor(depth - 1) + "}</r>";
		default:
			return "<r>{(" + nodes(depth - 1) + ")[1]/@id, text {"
			    + text(depth - 1) + "}}</r>";
		}
	}

	private String flwor(int depth) {
		String v = newVariable();
		String w = newVariable();
		String at = newVariable();
		boolean counted = random.nextBoolean();
		boolean ordered = random.nextInt(3) == 0;
		boolean grouped = random.nextInt(5) == 0;
		StringBuilder query = new StringBuilder();
		int known = items.size();

		query.append("(for ").append(v);
		if (counted && !grouped)
			query.append(" at ").append(at);
		query.append(" in ").append(sequence(depth - 1));
		if (random.nextBoolean())
			query.append(" where ").append(truth(depth - 1));
		if (grouped) {
			query.append(" group by ").append(w).append(" := ")
			    .append("string-length(string(").append(v)
			    .append("[1])) order by ").append(w);
		} else {
			items.add(v);
			query.append(" let ").append(w).append(" := ")
			    .append(number(depth - 1));
		}
		numbers.add(w);
		if (ordered && !grouped)
			query.append(" order by ").append(w).append(
			    pick("", " descending"));
		query.append(" return ");
		if (counted && !grouped)
			numbers.add(at);
		query.append(random.nextBoolean() ? element(depth - 1)
						  : item(depth - 1));
		query.append(")");
		while (items.size() > known)
			items.remove(items.size() - 1);
		numbers.remove(w);
		numbers.remove(at);
		return query.toString();
	}
}
