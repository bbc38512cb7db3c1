/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fn:matches, fn:replace, fn:tokenize, fn:analyze-string.
 */
#include <string.h>

#include "xquery/eval/eval.h"
#include "xquery/functions/functions_priv.h"
#include "xquery/pattern/regex.h"
#include "xquery/tree/node.h"

/* The regular expression of the arguments pattern and flags. */
static enum wf_rc regex_argument(struct wf_dynamic *dynamic,
    const struct wf_sequence *arguments, size_t count, size_t flags,
    struct wf_regex **regex_out)
{
	struct wf_string none = { "", 0 };

	return wf_regex_find(dynamic, wf_argument_string(dynamic, arguments, 1),
	    count > flags ? wf_argument_string(dynamic, arguments, flags)
			  : none,
	    regex_out);
}

WF_BUILT_IN(matches)
{
	struct wf_regex *regex;
	bool found = false;
	enum wf_rc rc = regex_argument(dynamic, arguments, count, 2, &regex);

	if (rc == WF_OK)
		rc = wf_regex_match(dynamic, regex,
		    wf_argument_string(dynamic, arguments, 0), 0, &found);
	return rc == WF_OK ? wf_return_boolean(dynamic, result, found) : rc;
}

/* A pattern that matches the empty string would split a text without end. */
static enum wf_rc refuse_empty_match(
    struct wf_dynamic *dynamic, struct wf_regex *regex)
{
	bool found = false;
	enum wf_rc rc = wf_regex_match(
	    dynamic, regex, (struct wf_string){ "", 0 }, 0, &found);

	if (rc == WF_OK && found)
		rc = wf_atomic_fail(dynamic, "FORX0003",
		    "the regular expression matches an empty string");
	return rc;
}

/*
 * Called for each part of a text: between matches (regex NULL), and for a
 * match.
 */
typedef enum wf_rc (*part_f)(void *context, const char *text, size_t length,
    const struct wf_regex *regex);

/* Divides text into matches and the parts between them. */
static enum wf_rc divide(struct wf_dynamic *dynamic, struct wf_regex *regex,
    struct wf_string text, part_f part, void *context)
{
	size_t behind = 0; /* end of the last match */
	size_t start = 0;
	size_t end = 0;
	bool found = true;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK) {
		rc = wf_regex_match(dynamic, regex, text, end, &found);
		if (rc != WF_OK || !found ||
		    !wf_regex_group(regex, 0, &start, &end))
			break;
		/* An anchor may match an empty string within a text. */
		if (end == start) {
			if (end == text.length)
				break;
			do
				end++;
			while (end < text.length &&
			       ((unsigned char)text.text[end] & 0xC0) == 0x80);
			continue;
		}
		rc = part(context, text.text + behind, start - behind, NULL);
		if (rc == WF_OK)
			rc = part(context, text.text, text.length, regex);
		behind = end;
	}
	if (rc == WF_OK)
		rc = part(
		    context, text.text + behind, text.length - behind, NULL);
	return rc;
}

struct replacing {
	struct wf_buffer *out;
	struct wf_string replacement;
	bool quoted;
};

/* $N in a replacement; N has as many digits as the number of groups allows. */
static const char *put_group(struct wf_buffer *out, const char *next,
    const char *end, const char *text, const struct wf_regex *regex)
{
	unsigned group = (unsigned)(*next++ - '0');
	size_t from;
	size_t to;

	while (next < end && *next >= '0' && *next <= '9' &&
	       group * 10 + (unsigned)(*next - '0') <= wf_regex_groups(regex))
		group = group * 10 + (unsigned)(*next++ - '0');
	if (wf_regex_group(regex, group, &from, &to))
		wf_buffer_append(out, text + from, to - from);
	return next;
}

static enum wf_rc replace_part(void *context, const char *text, size_t length,
    const struct wf_regex *regex)
{
	struct replacing *replacing = context;
	const char *next = replacing->replacement.text;
	const char *end = next + replacing->replacement.length;

	if (!regex) {
		wf_buffer_append(replacing->out, text, length);
		return WF_OK;
	}
	while (next < end) {
		if (*next == '$' && !replacing->quoted) {
			next = put_group(
			    replacing->out, next + 1, end, text, regex);
			continue;
		}
		if (*next == '\\' && !replacing->quoted)
			next++;
		wf_buffer_putc(replacing->out, *next++);
	}
	return WF_OK;
}

static enum wf_rc check_replacement(
    struct wf_dynamic *dynamic, struct wf_string text)
{
	for (size_t i = 0; i < text.length; i++) {
		char next = i + 1 < text.length ? text.text[i + 1] : '\0';

		if ((text.text[i] == '$' && (next < '0' || next > '9')) ||
		    (text.text[i] == '\\' && next != '$' && next != '\\'))
			return wf_atomic_fail(dynamic, "FORX0004",
			    "\"%.*s\" is not a replacement: $ needs a number, "
			    "\\ a $ or another \\",
			    WF_SHOWN(text.text, text.length));
		if (text.text[i] == '\\')
			i++;
	}
	return WF_OK;
}

WF_BUILT_IN(replace)
{
	struct replacing replacing = { .replacement = wf_argument_string(
					   dynamic, arguments, 2) };
	struct wf_string flags = { "", 0 };
	struct wf_regex *regex;
	enum wf_rc rc = regex_argument(dynamic, arguments, count, 3, &regex);

	if (count > 3)
		flags = wf_argument_string(dynamic, arguments, 3);
	replacing.quoted =
	    flags.length > 0 && memchr(flags.text, 'q', flags.length) != NULL;
	replacing.out = wf_text_begin(dynamic);
	if (rc == WF_OK)
		rc = refuse_empty_match(dynamic, regex);
	if (rc == WF_OK && !replacing.quoted)
		rc = check_replacement(dynamic, replacing.replacement);
	if (rc == WF_OK)
		rc = divide(dynamic, regex,
		    wf_argument_string(dynamic, arguments, 0), replace_part,
		    &replacing);
	return rc == WF_OK ? wf_return_text(dynamic, result) : rc;
}

struct tokenizing {
	struct wf_dynamic *dynamic;
	struct wf_sequence *result;
};

static enum wf_rc token_part(void *context, const char *text, size_t length,
    const struct wf_regex *regex)
{
	struct tokenizing *tokenizing = context;

	if (regex)
		return WF_OK;
	wf_charge(tokenizing->dynamic, 4);
	return wf_return_string(
	    tokenizing->dynamic, tokenizing->result, text, length);
}

/* tokenize(text): the words between white space. */
static enum wf_rc words(struct wf_dynamic *dynamic, struct wf_string text,
    struct wf_sequence *result)
{
	struct wf_atomic token;
	enum wf_rc rc = wf_atomic_parse(
	    dynamic, WF_XS_TOKEN, text.text, text.length, &token);
	const char *next;
	const char *end;

	if (rc != WF_OK)
		return rc;
	next = token.as.string.text;
	end = next + token.as.string.length;
	while (rc == WF_OK && next < end) {
		const char *blank = memchr(next, ' ', (size_t)(end - next));
		const char *stop = blank ? blank : end;

		wf_charge(dynamic, 1);
		rc = wf_return_string(
		    dynamic, result, next, (size_t)(stop - next));
		next = stop + 1;
	}
	return rc;
}

WF_BUILT_IN(tokenize)
{
	struct tokenizing tokenizing = { dynamic, result };
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);
	struct wf_regex *regex;
	enum wf_rc rc;

	if (count == 1)
		return words(dynamic, text, result);
	rc = regex_argument(dynamic, arguments, count, 2, &regex);
	if (rc == WF_OK)
		rc = refuse_empty_match(dynamic, regex);
	if (rc == WF_OK && text.length > 0)
		rc = divide(dynamic, regex, text, token_part, &tokenizing);
	return rc;
}

/* ---- analyze-string() ---- */

struct analysis {
	struct wf_dynamic *dynamic;
	xmlNode *top;
};

static xmlNode *add_element(
    struct analysis *analysis, xmlNode *parent, const char *local)
{
	struct wf_qname name = { "", WF_NS_FN, local };
	xmlNode *element =
	    wf_node_new_named(analysis->dynamic, XML_ELEMENT_NODE, &name);

	wf_node_append(parent, element);
	return element;
}

static void add_text(
    struct analysis *analysis, xmlNode *parent, const char *text, size_t length)
{
	if (length > 0)
		wf_node_append(
		    parent, wf_node_new_text(analysis->dynamic, XML_TEXT_NODE,
				wf_arena_strndup(
				    analysis->dynamic->arena, text, length)));
}

/*
 * The text that a group (0: the whole match) matched, with its inner groups.  A
 * group that took part only in an earlier iteration of a repeated group is left
 * out.
 */
static enum wf_rc add_group(struct analysis *analysis, xmlNode *parent,
    const char *text, const struct wf_regex *regex, unsigned group)
{
	static const struct wf_qname number = { "", "", "nr" };
	struct wf_dynamic *dynamic = analysis->dynamic;
	size_t start;
	size_t end;
	size_t from;
	size_t to;
	enum wf_rc rc = wf_spend(dynamic, wf_regex_groups(regex) + 1);

	if (rc != WF_OK || !wf_regex_group(regex, group, &start, &end))
		return rc;
	for (unsigned i = group + 1; i <= wf_regex_groups(regex); i++) {
		xmlNode *element;

		if (wf_regex_parent(regex, i) != group ||
		    !wf_regex_group(regex, i, &from, &to) || from < start ||
		    to > end)
			continue;
		add_text(analysis, parent, text + start, from - start);
		element = add_element(analysis, parent, "group");
		wf_node_add_attribute(
		    element, wf_node_new_attribute(dynamic, &number,
				 wf_arena_printf(dynamic->arena, "%u", i)));
		rc = add_group(analysis, element, text, regex, i);
		if (rc != WF_OK)
			return rc;
		start = to;
	}
	add_text(analysis, parent, text + start, end - start);
	return WF_OK;
}

static enum wf_rc analyse_part(void *context, const char *text, size_t length,
    const struct wf_regex *regex)
{
	struct analysis *analysis = context;

	if (regex)
		return add_group(analysis,
		    add_element(analysis, analysis->top, "match"), text, regex,
		    0);
	if (length > 0)
		add_text(analysis,
		    add_element(analysis, analysis->top, "non-match"), text,
		    length);
	return wf_spend(analysis->dynamic, 10);
}

WF_BUILT_IN(analyze_string)
{
	static const struct wf_qname name = { "", WF_NS_FN,
		"analyze-string-result" };
	struct analysis analysis = { .dynamic = dynamic };
	struct wf_regex *regex;
	enum wf_rc rc = regex_argument(dynamic, arguments, count, 2, &regex);

	if (rc == WF_OK)
		rc = refuse_empty_match(dynamic, regex);
	if (rc != WF_OK)
		return rc;
	analysis.top = wf_node_new_named(dynamic, XML_ELEMENT_NODE, &name);
	(void)wf_node_declare(dynamic, analysis.top, "", WF_NS_FN);
	rc = divide(dynamic, regex, wf_argument_string(dynamic, arguments, 0),
	    analyse_part, &analysis);
	if (rc != WF_OK)
		return rc;
	return wf_sequence_add_node(dynamic, result, analysis.top);
}
