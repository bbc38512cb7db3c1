/* SPDX-License-Identifier: Apache-2.0 */
/* weft new: writes a small specification with comments to start from. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/commands.h"

#define NAME_MAXIMUM 100U
#define FILE_MAXIMUM 16384U

/* Lines of the file; each "$" stands for the name. */
static const char TEMPLATE[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!--\n"
    "  The process \"$\".\n"
    "  weft check $.yawl          says what is wrong with it\n"
    "  weft run $.yawl            runs one case, all work done by itself\n"
    "  weft draw -o $.svg $.yawl  draws it\n"
    "-->\n"
    "<specificationSet version=\"4.0\"\n"
    "    xmlns=\"http://www.yawlfoundation.org/yawlschema\"\n"
    "    xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n"
    "  <specification uri=\"$\">\n"
    "    <metaData>\n"
    "      <title>$</title>\n"
    "      <creator>unknown</creator>\n"
    "      <description>What this process is for</description>\n"
    "      <version>0.1</version>\n"
    "      <identifier>UID_$</identifier>\n"
    "    </metaData>\n"
    "\n"
    "    <!-- Types of your own go in here. -->\n"
    "    <xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"/>\n"
    "\n"
    "    <!-- The net: what a case knows, and in which order work is done. "
    "-->\n"
    "    <decomposition id=\"Process\" isRootNet=\"true\" "
    "xsi:type=\"NetFactsType\">\n"
    "      <localVariable>\n"
    "        <index>0</index>\n"
    "        <name>note</name>\n"
    "        <type>string</type>\n"
    "        <namespace>http://www.w3.org/2001/XMLSchema</namespace>\n"
    "        <initialValue/>\n"
    "      </localVariable>\n"
    "      <processControlElements>\n"
    "        <inputCondition id=\"Start\">\n"
    "          <flowsInto><nextElementRef id=\"Write\"/></flowsInto>\n"
    "        </inputCondition>\n"
    "        <task id=\"Write\">\n"
    "          <name>Write a note</name>\n"
    "          <flowsInto><nextElementRef id=\"End\"/></flowsInto>\n"
    "          <join code=\"xor\"/>\n"
    "          <split code=\"and\"/>\n"
    "          <!-- What the work gives back goes into the variable \"note\". "
    "-->\n"
    "          <completedMappings>\n"
    "            <mapping>\n"
    "              <expression "
    "query=\"&lt;note>{/WriteNote/note/text()}&lt;/note>\"/>\n"
    "              <mapsTo>note</mapsTo>\n"
    "            </mapping>\n"
    "          </completedMappings>\n"
    "          <decomposesTo id=\"WriteNote\"/>\n"
    "        </task>\n"
    "        <outputCondition id=\"End\"/>\n"
    "      </processControlElements>\n"
    "    </decomposition>\n"
    "\n"
    "    <!-- The work behind the task: what it is given (inputParam) and "
    "gives back. -->\n"
    "    <decomposition id=\"WriteNote\" "
    "xsi:type=\"WebServiceGatewayFactsType\">\n"
    "      <outputParam>\n"
    "        <index>0</index>\n"
    "        <name>note</name>\n"
    "        <type>string</type>\n"
    "        <namespace>http://www.w3.org/2001/XMLSchema</namespace>\n"
    "        <defaultValue>Hello</defaultValue>\n"
    "      </outputParam>\n"
    "    </decomposition>\n"
    "  </specification>\n"
    "</specificationSet>\n";

static bool is_name(const char *name)
{
	if (!isalpha((unsigned char)name[0]) && name[0] != '_')
		return false;
	for (const char *at = name; *at != '\0'; at++) {
		if (!isalnum((unsigned char)*at) && strchr("_-.", *at) == NULL)
			return false;
	}
	return strlen(name) <= NAME_MAXIMUM;
}

static void fill_in(struct wf_buffer *text, const char *name)
{
	for (const char *at = TEMPLATE; *at != '\0'; at++) {
		if (*at == '$')
			wf_buffer_puts(text, name);
		else
			wf_buffer_putc(text, *at);
	}
}

static int fail(const char *path, const char *what)
{
	fprintf(stderr, "weft: %s: %s\n", path, what);
	return WF_EXIT_REFUSED;
}

static int write_file(const char *path, const char *name)
{
	struct wf_buffer text;
	FILE *file = fopen(path, "wx");
	bool failed;

	if (file == NULL)
		return fail(path, errno == EEXIST
				      ? "there is such a file already; it is "
					"left as it is"
				      : strerror(errno));
	wf_buffer_init(&text, FILE_MAXIMUM);
	fill_in(&text, name);
	failed = fwrite(text.data, 1, text.length, file) != text.length;
	failed |= fclose(file) != 0;
	wf_buffer_free(&text);
	if (failed) {
		int code = fail(path, strerror(errno));

		remove(path);
		return code;
	}
	printf("Wrote %s; \"weft run %s\" runs it.\n", path, path);
	return WF_EXIT_DONE;
}

int wf_cli_new(int argc, char **argv)
{
	char path[NAME_MAXIMUM + sizeof(".yawl")];
	const char *name;

	if (argc == 3 && strcmp(argv[1], "--") == 0)
		name = argv[2];
	else if (argc == 2 && argv[1][0] != '-')
		name = argv[1];
	else
		return wf_cli_usage(
		    "new", "expected the name of a specification");
	if (!is_name(name)) {
		fprintf(stderr,
		    "weft: \"%s\" cannot name a process: expected a letter or "
		    "_, then letters, digits, _ - or ., at most %u in all\n",
		    name, NAME_MAXIMUM);
		return WF_EXIT_REFUSED;
	}
	if (strlen(name) > 5 && strcmp(name + strlen(name) - 5, ".yawl") == 0)
		return fail(name, "give the name without \".yawl\"");
	snprintf(path, sizeof(path), "%s.yawl", name);
	return write_file(path, name);
}
