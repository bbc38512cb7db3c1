/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions: patterns are checked against the grammar of XML Schema
 * (with the additions of XPath) while they are translated to PCRE2, so no
 * syntax of PCRE2 itself is accepted.
 *
 * PCRE2 calls back before each element of a pattern. The callback counts the
 * cost of the match, including the distance moved, so that a pattern that
 * backtracks without end, or scans a long text repeatedly, ends in an error.
 * The cost is taken from the steps of the evaluation.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "xquery/pattern/regex.h"

#include <pcre2.h>
#include <string.h>

#include "base/panic.h"
#include "xquery/atomic/atomic_priv.h"
#include "xquery/pattern/regex_priv.h"
#include "xquery/text/unicode.h"

#define DEPTH 100
#define PATTERN_MAXIMUM (1U << 20)
#define REPEAT_MAXIMUM 65535
/* The maximum cost of one match, in steps of the evaluation. */
#define COST_MAXIMUM 20000000U
/* Moving over a character costs less than trying an element. */
#define MOVES_PER_COST 16
#define HEAP_KIBIBYTES 65536
#define STEPS_TO_COMPILE 100

struct wf_regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	char *key; /* the flags and the pattern */
	size_t key_length;
	uint64_t cost;
	uint64_t limit; /* of the cost: the rest that the evaluation has */
	size_t last;	/* position at the last call back */
	unsigned groups;
	uint16_t parents[WF_REGEX_GROUPS + 1];
};

static bool scan_alternatives(struct wf_regex_scan *scan);

static char peek(const struct wf_regex_scan *scan, size_t ahead)
{
	return (size_t)(scan->end - scan->next) > ahead ? scan->next[ahead]
							: '\0';
}

static void skip_space(struct wf_regex_scan *scan)
{
	while (scan->flags.extended && scan->next < scan->end &&
	       wf_is_xml_space(*scan->next))
		scan->next++;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * \N: as many digits as the number of groups allows; the group must be
 * complete.
 */
static bool scan_reference(struct wf_regex_scan *scan)
{
	unsigned group = (unsigned)(*scan->next++ - '0');

	while (is_digit(peek(scan, 0))) {
		unsigned longer = group * 10 + (unsigned)(*scan->next - '0');

		if (longer > scan->opened)
			break;
		group = longer;
		scan->next++;
	}
	if (group == 0 || group > scan->opened || !scan->closed[group])
		return wf_regex_problem(
		    scan, "a back-reference to a group that is not complete");
	wf_buffer_printf(scan->out, "\\g{%u}", group);
	return true;
}

static bool scan_escape(struct wf_regex_scan *scan)
{
	struct wf_buffer *out = scan->out;
	size_t before = out->length;
	bool known;
	char c = peek(scan, 0);

	if (is_digit(c))
		return scan_reference(scan);
	wf_buffer_putc(out, '[');
	if (!wf_regex_class_escape(scan, &known))
		return false;
	if (known) {
		wf_buffer_putc(out, ']');
		return true;
	}
	out->length = before;
	c = wf_regex_single_escape(c);
	if (c == '\0')
		return wf_regex_problem(scan, "there is no such escape");
	scan->next++;
	wf_regex_put(scan, (unsigned char)c);
	return true;
}

static bool scan_group(struct wf_regex_scan *scan)
{
	bool captures = peek(scan, 0) != '?' || peek(scan, 1) != ':';
	unsigned outer = scan->group;
	unsigned group = 0;
	bool good;

	if (captures) {
		if (scan->opened == WF_REGEX_GROUPS)
			return wf_regex_problem(scan, "too many groups");
		group = ++scan->opened;
		scan->parents[group] = (uint16_t)outer;
		scan->group = group;
		wf_buffer_putc(scan->out, '(');
	} else {
		scan->next += 2;
		wf_buffer_puts(scan->out, "(?:");
	}
	if (++scan->depth > DEPTH)
		return wf_regex_problem(scan, "it is nested too deeply");
	good = scan_alternatives(scan);
	scan->depth--;
	if (!good)
		return false;
	if (peek(scan, 0) != ')')
		return wf_regex_problem(scan, "a group is not closed");
	scan->next++;
	wf_buffer_putc(scan->out, ')');
	scan->closed[group] = captures;
	scan->group = outer;
	return true;
}

/* An element that a quantifier can follow; next is at its start. */
static bool scan_atom(struct wf_regex_scan *scan)
{
	char c = *scan->next;

	if (strchr("?*+{}])|", c) != NULL && c != '\0')
		return wf_regex_problem(
		    scan, "a special character where none may stand");
	if ((unsigned char)c >= 0x80 || c == '\0' ||
	    strchr(".\\([^$", c) == NULL) {
		wf_regex_put(scan, wf_utf8_next(&scan->next, scan->end));
		return true;
	}
	scan->next++;
	switch (c) {
	case '.':
		wf_buffer_puts(
		    scan->out, scan->flags.dot_all ? "(?s:.)" : "[^\\n\\r]");
		return true;
	case '\\':
		skip_space(scan);
		return scan_escape(scan);
	case '(':
		return scan_group(scan);
	case '[':
		return wf_regex_class(scan);
	default:
		wf_buffer_printf(scan->out, "(?:%c)", c);
		return true;
	}
}

static bool scan_number(struct wf_regex_scan *scan, unsigned *number_out)
{
	*number_out = 0;
	skip_space(scan);
	if (!is_digit(peek(scan, 0)))
		return wf_regex_problem(scan, "a quantity is not a number");
	while (is_digit(peek(scan, 0))) {
		*number_out =
		    *number_out * 10 + (unsigned)(*scan->next++ - '0');
		if (*number_out > REPEAT_MAXIMUM)
			return wf_regex_problem(
			    scan, "a quantity is too large");
		skip_space(scan);
	}
	return true;
}

/* {n}, {n,} or {n,m}; next is behind the brace. */
static bool scan_quantity(struct wf_regex_scan *scan)
{
	unsigned least;
	unsigned most;

	if (!scan_number(scan, &least))
		return false;
	wf_buffer_printf(scan->out, "{%u", least);
	if (peek(scan, 0) == ',') {
		scan->next++;
		wf_buffer_putc(scan->out, ',');
		skip_space(scan);
		if (peek(scan, 0) != '}') {
			if (!scan_number(scan, &most))
				return false;
			if (most < least)
				return wf_regex_problem(
				    scan, "a quantity is the wrong way round");
			wf_buffer_printf(scan->out, "%u", most);
		}
	}
	if (peek(scan, 0) != '}')
		return wf_regex_problem(scan, "a quantity is not closed");
	scan->next++;
	wf_buffer_putc(scan->out, '}');
	return true;
}

static bool scan_quantifier(struct wf_regex_scan *scan)
{
	char c;

	skip_space(scan);
	c = peek(scan, 0);
	if (c == '\0' || strchr("?*+{", c) == NULL)
		return true;
	scan->next++;
	if (c != '{')
		wf_buffer_putc(scan->out, c);
	else if (!scan_quantity(scan))
		return false;
	skip_space(scan);
	if (peek(scan, 0) == '?') {
		scan->next++;
		wf_buffer_putc(scan->out, '?');
	}
	return true;
}

/*
 * Translates up to the end, or to the parenthesis that closes the outer group.
 */
static bool scan_alternatives(struct wf_regex_scan *scan)
{
	for (;;) {
		skip_space(scan);
		if (scan->next == scan->end)
			return true;
		if (*scan->next == ')')
			return scan->depth > 0 ||
			       wf_regex_problem(scan, "a parenthesis too many");
		if (*scan->next == '|') {
			scan->next++;
			wf_buffer_putc(scan->out, '|');
		} else if (!scan_atom(scan) || !scan_quantifier(scan)) {
			return false;
		}
	}
}

/* With flag q every character stands for itself. */
static bool scan_quoted(struct wf_regex_scan *scan)
{
	while (scan->next < scan->end)
		wf_regex_put(scan, wf_utf8_next(&scan->next, scan->end));
	return true;
}

static enum wf_rc read_flags(struct wf_dynamic *dynamic, struct wf_string text,
    struct wf_regex_flags *flags)
{
	*flags = (struct wf_regex_flags){ 0 };
	for (size_t i = 0; i < text.length; i++) {
		switch (text.text[i]) {
		case 's':
			flags->dot_all = true;
			break;
		case 'm':
			flags->multiline = true;
			break;
		case 'i':
			flags->caseless = true;
			break;
		case 'x':
			flags->extended = true;
			break;
		case 'q':
			flags->quoted = true;
			break;
		default:
			return wf_atomic_fail(dynamic, "FORX0001",
			    "\"%.*s\" has a flag that is none of smixq",
			    WF_SHOWN(text.text, text.length));
		}
	}
	return WF_OK;
}

/*
 * PCRE2 calls it before each element of the pattern: counts the cost of the
 * match.
 */
static int count_cost(pcre2_callout_block *block, void *argument)
{
	struct wf_regex *regex = argument;
	size_t at = block->current_position;
	size_t moved = at > regex->last ? at - regex->last : regex->last - at;

	regex->last = at;
	regex->cost += 1 + moved / MOVES_PER_COST;
	return regex->cost > regex->limit ? PCRE2_ERROR_MATCHLIMIT : 0;
}

static enum wf_rc bad_pattern(
    struct wf_dynamic *dynamic, struct wf_string pattern, const char *problem)
{
	return wf_atomic_fail(dynamic, "FORX0002",
	    "\"%.*s\" is not a regular expression: %s",
	    WF_SHOWN(pattern.text, pattern.length), problem);
}

static enum wf_rc compile(struct wf_dynamic *dynamic, struct wf_string pattern,
    const struct wf_buffer *translated, struct wf_regex_flags flags,
    struct wf_regex *regex)
{
	uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY |
			   PCRE2_MATCH_UNSET_BACKREF | PCRE2_AUTO_CALLOUT;
	int code;
	size_t offset;
	unsigned char message[128];

	if (flags.caseless)
		options |= PCRE2_CASELESS;
	if (flags.multiline)
		options |= PCRE2_MULTILINE;
	regex->code = pcre2_compile((PCRE2_SPTR)wf_buffer_text(translated),
	    translated->length, options, &code, &offset, NULL);
	if (!regex->code) {
		pcre2_get_error_message(code, message, sizeof(message));
		return bad_pattern(dynamic, pattern, (const char *)message);
	}
	regex->data = pcre2_match_data_create_from_pattern(regex->code, NULL);
	regex->context = pcre2_match_context_create(NULL);
	if (!regex->data || !regex->context)
		return wf_fail(dynamic->err, WF_LIMIT, "out of memory");
	pcre2_set_heap_limit(regex->context, HEAP_KIBIBYTES);
	pcre2_set_match_limit(regex->context, COST_MAXIMUM);
	pcre2_set_callout(regex->context, count_cost, regex);
	return WF_OK;
}

static enum wf_rc make(struct wf_dynamic *dynamic, struct wf_string pattern,
    struct wf_regex_flags flags, struct wf_buffer *translated)
{
	struct wf_regex_scan scan = {
		.next = pattern.text,
		.end = pattern.text + pattern.length,
		.flags = flags,
		.out = translated,
	};
	bool good =
	    flags.quoted ? scan_quoted(&scan) : scan_alternatives(&scan);

	if (!good || translated->full)
		return bad_pattern(dynamic, pattern,
		    scan.problem ? scan.problem : "it is too long");
	dynamic->regex->groups = scan.opened;
	memcpy(dynamic->regex->parents, scan.parents, sizeof(scan.parents));
	if (flags.quoted)
		scan.flags.multiline = false;
	return compile(
	    dynamic, pattern, translated, scan.flags, dynamic->regex);
}

static void set_key(
    struct wf_regex *regex, struct wf_string pattern, struct wf_string flags)
{
	regex->key_length = flags.length + 1 + pattern.length;
	regex->key = wf_malloc(regex->key_length);
	memcpy(regex->key, flags.text, flags.length);
	regex->key[flags.length] = '/';
	memcpy(regex->key + flags.length + 1, pattern.text, pattern.length);
}

static bool has_key(const struct wf_regex *regex, struct wf_string pattern,
    struct wf_string flags)
{
	return regex != NULL &&
	       regex->key_length == flags.length + 1 + pattern.length &&
	       memcmp(regex->key, flags.text, flags.length) == 0 &&
	       regex->key[flags.length] == '/' &&
	       memcmp(regex->key + flags.length + 1, pattern.text,
		   pattern.length) == 0;
}

enum wf_rc wf_regex_find(struct wf_dynamic *dynamic, struct wf_string pattern,
    struct wf_string flags, struct wf_regex **regex_out)
{
	struct wf_regex_flags read = { false, false, false, false, false };
	struct wf_buffer translated;
	struct wf_cleanup cleanup;
	enum wf_rc rc;

	*regex_out = dynamic->regex;
	if (has_key(dynamic->regex, pattern, flags))
		return WF_OK;
	wf_charge(dynamic, STEPS_TO_COMPILE + 5 * pattern.length);
	rc = read_flags(dynamic, flags, &read);
	if (rc != WF_OK)
		return rc;
	wf_regex_free(&dynamic->regex);
	wf_buffer_init(&translated, PATTERN_MAXIMUM);
	wf_cleanup_push(&cleanup, wf_buffer_cleanup, &translated);
	dynamic->regex = wf_calloc(1, sizeof(struct wf_regex));
	rc = make(dynamic, pattern, read, &translated);
	if (rc == WF_OK)
		set_key(dynamic->regex, pattern, flags);
	else
		wf_regex_free(&dynamic->regex);
	wf_cleanup_pop(&cleanup);
	wf_buffer_free(&translated);
	*regex_out = dynamic->regex;
	return rc;
}

void wf_regex_free(struct wf_regex **regex)
{
	if (!*regex)
		return;
	pcre2_match_context_free((*regex)->context);
	pcre2_match_data_free((*regex)->data);
	pcre2_code_free((*regex)->code);
	wf_free((*regex)->key);
	wf_free(*regex);
	*regex = NULL;
}

enum wf_rc wf_regex_match(struct wf_dynamic *dynamic, struct wf_regex *regex,
    struct wf_string text, size_t start, bool *found_out)
{
	/* A text is checked once, at its first match. */
	uint32_t options = start == 0 ? 0 : PCRE2_NO_UTF_CHECK;
	int matched;

	wf_assert(start <= text.length);
	regex->cost = 0;
	regex->limit = COST_MAXIMUM;
	if (dynamic->steps_left < COST_MAXIMUM)
		regex->limit = dynamic->steps_left;
	regex->last = start;
	matched = pcre2_match(regex->code, (PCRE2_SPTR)text.text, text.length,
	    start, options, regex->data, regex->context);
	/* PCRE2 can see by itself that there is no place to begin. */
	if (matched < 0)
		regex->cost += (text.length - regex->last) / MOVES_PER_COST;
	wf_charge(dynamic, 1 + regex->cost);
	*found_out = matched > 0;
	if (dynamic->steps_left > 0 &&
	    (matched > 0 || matched == PCRE2_ERROR_NOMATCH))
		return WF_OK;
	return wf_fail(dynamic->err, WF_LIMIT,
	    "a regular expression takes too long to match");
}

unsigned wf_regex_groups(const struct wf_regex *regex)
{
	return regex->groups;
}

unsigned wf_regex_parent(const struct wf_regex *regex, unsigned group)
{
	/* A group is inside a group that began earlier, so the chain ends. */
	wf_assert(group <= regex->groups && regex->parents[group] < group);
	return regex->parents[group];
}

bool wf_regex_group(const struct wf_regex *regex, unsigned group,
    size_t *start_out, size_t *end_out)
{
	const size_t *places = pcre2_get_ovector_pointer(regex->data);

	if (group > regex->groups || places[2 * group] == PCRE2_UNSET)
		return false;
	*start_out = places[2 * group];
	*end_out = places[2 * group + 1];
	return true;
}
