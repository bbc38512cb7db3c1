#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every kind of bad input ends with exit 1 and a message that names the file,
# the line and the fault; quickly, with little memory, and without reading
# another file or the network.
# usage: WEFT=PATH tests/check-bad-input.sh
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
passed=0
failed=0

# limit SECONDS COMMAND...: runs the command with a limit of processor time, and
# of memory where there is no sanitizer (sanitizers reserve terabytes).
limit() {
	local seconds=$1
	shift
	(
		[ "${WEFT_SANITIZED:-0}" = 1 ] || ulimit -v 4000000
		ulimit -t "$seconds"
		exec timeout 3600 "$@"
	)
}

# refuse NAME LINE PATTERN: `weft check NAME` refuses the file, and a message
# for that line matches the pattern; "" means any line.
refuse() {
	local code=0 seconds=100

	[ "${WEFT_SANITIZED:-0}" = 0 ] || seconds=600
	limit $seconds "$weft" check "$1" >out 2>err || code=$?
	if [ $code -eq 1 ] && [ ! -s out ] &&
		grep -v 'warning: ' err | grep -q -e "^weft: $1:${2:-[0-9]*}:\? .*$3"; then
		passed=$((passed + 1))
	else
		echo "weft check $1: exit $code, expected 1 with $1:$2: $3; said:"
		head -c 500 err
		failed=$((failed + 1))
	fi
}

# repeat N TEXT
repeat() {
	yes "$2" | head -n "$1" | tr -d '\n'
}

no_types='<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>'
schema=$no_types

# specification VARIABLES TASK: writes a whole file; the variables are in line
# 4, the content of its one task in line 7.
specification() {
	cat <<EOF
<specificationSet version="4.0" xmlns="http://www.yawlfoundation.org/yawlschema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="bad"><metaData/>$schema
<decomposition id="Net" isRootNet="true" xsi:type="NetFactsType">
$1
<processControlElements>
<inputCondition id="i"><flowsInto><nextElementRef id="A"/></flowsInto></inputCondition>
<task id="A"><flowsInto><nextElementRef id="o"/></flowsInto><join code="xor"/><split code="and"/>$2<decomposesTo id="Work"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="Work" xsi:type="WebServiceGatewayFactsType"><inputParam><index>0</index><name>p</name><type>string</type></inputParam></decomposition>
</specification></specificationSet>
EOF
}

mapping() {
	echo "<startingMappings><mapping><expression query=\"$1\"/><mapsTo>p</mapsTo></mapping></startingMappings>"
}

variable() {
	echo "<localVariable><index>0</index><name>x</name><type>$1</type><initialValue>$2</initialValue></localVariable>"
}

good=$(mapping '&lt;p>{/Net/x/text()}&lt;/p>')
text=$(variable string a)

# The specification that the following ones are derived from, each with a fault.
specification "$text" "$good" >good
code=0
"$weft" check good >out 2>err || code=$?
if [ $code -eq 0 ]; then
	passed=$((passed + 1))
else
	echo "weft check good: exit $code"
	head -c 500 err
	failed=$((failed + 1))
fi

# --- input that is not a specification

refuse missing "" "cannot be read"
mkdir folder
refuse folder "" "cannot be read"
: >empty
refuse empty "" "not"
echo 'This is no markup.' >words
refuse words 1 "not well-formed XML"
printf 'PK\003\004\024\000\000\000' >zip
refuse zip "" "not well-formed XML"
head -c 100000 /dev/urandom >noise
refuse noise "" "not well-formed XML"
printf '\000\000\000\000' >zeros
refuse zeros "" "not"
printf '<a>\xff\xfe</a>' >encoding
refuse encoding 1 "not well-formed XML"
printf '<?xml version="1.0" encoding="none-such"?><a/>' >unknown-encoding
refuse unknown-encoding "" ""
echo '<html><body/></html>' >html
refuse html 1 "the root element is <html>: expected <specificationSet>"

# --- a file that is cut at many places

size=$(wc -c <good)
for ((at = 1; at < size - 1; at += 97)); do
	head -c "$at" good >cut
	refuse cut "" "not"
done

# --- names

long=$(head -c 5000 /dev/zero | tr '\0' n)
sed "s/uri=\"bad\"/uri=\"$long\"/" good >long-uri
refuse long-uri 2 "uri: has 5000 bytes: expected at most 4096"
sed "s,<metaData/>,<metaData><title>$long</title></metaData>," good >long-title
refuse long-title 2 "title: has 5000 bytes: expected at most 4096"
sed "s,<task id=\"A\">,<task id=\"A\"><name>$long</name>," good >long-name
refuse long-name 7 "name: has 5000 bytes: expected at most 4096"
{
	sed '/uri="bad"/,$d' good
	printf '<specification uri="'
	head -c 5000000 /dev/zero | tr '\0' n
	sed -n '/uri="bad"/,$p' good | sed 's/<specification uri="bad/'/
} >huge-uri
refuse huge-uri 2 "uri: has 5000000 bytes"

# --- versions and namespaces

sed 's/yawlschema/otherschema/' good >namespace
refuse namespace 1 "is in the namespace"
sed 's/version="4.0"/version="7"/' good >version
refuse version 1 'version "7" is not known'
sed 's/ version="4.0"//' good >old
refuse old 1 "is in the namespace"

# --- entities and other files

printf 'SECRET' >secret
cat >bomb <<'EOF'
<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;">
<!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;">
<!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;"><!ENTITY h "&g;&g;&g;&g;&g;&g;&g;&g;">]>
<specificationSet>&h;&h;&h;</specificationSet>
EOF
refuse bomb 1 "document type declaration"
echo "<!DOCTYPE a [<!ENTITY e SYSTEM \"file://$PWD/secret\">]><a>&e;</a>" >external
refuse external 1 "document type declaration"
echo "<!DOCTYPE a SYSTEM \"file://$PWD/secret\"><a/>" >dtd
refuse dtd 1 "document type declaration"
echo '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a/>' >remote
refuse remote 1 "document type declaration"
for directive in include import redefine; do
	schema="<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"><xs:$directive schemaLocation=\"$PWD/secret\"/></xs:schema>"
	specification "$text" "$good" >"$directive"
	refuse "$directive" 2 "xs:schema: "
done
schema='<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:complexType name="T"><xs:sequence>'
schema+='<xs:element name="a" type="xs:string" minOccurs="4000000" maxOccurs="4000000"/>'
schema+='</xs:sequence></xs:complexType></xs:schema>'
specification "$(variable T '&lt;a/>')" "$good" >occurs
refuse occurs "" ""
schema='<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:complexType name="T"><xs:oops/></xs:complexType></xs:schema>'
specification "$(variable T '')" "$good" >schema
refuse schema 2 "xs:schema: "
schema=$no_types
if [ -n "$(command -v strace)" ] && [ "${WEFT_SANITIZED:-0}" = 0 ]; then
	for file in external dtd remote include import redefine; do
		strace -f -e trace=openat,open,socket,connect -o trace \
			"$weft" check $file >/dev/null 2>&1
		if ! grep -q -e "\"$file\"" trace; then
			echo "weft check $file cannot be traced:"
			tail -n 3 trace
			failed=$((failed + 1))
		elif grep -q -e secret -e socket trace; then
			echo "weft check $file reads what it must not:"
			grep -e secret -e socket trace
			failed=$((failed + 1))
		else
			passed=$((passed + 1))
		fi
	done
fi

# --- input that is too large

head='<specificationSet version="4.0" xmlns="http://www.yawlfoundation.org/yawlschema">'
{ echo "$head"; repeat 20000000 '<name>'; } >nesting # 120 MB
refuse nesting "" "larger than"
{ echo "$head"; repeat 2000000 '<name>'; } >nesting-below
refuse nesting-below "" "nested too deeply"
{ echo "$head"; head -c 104857600 /dev/zero | tr '\0' x; } >text
refuse text "" "larger than"
{ echo "$head"; head -c 20000000 /dev/zero | tr '\0' x; } >text-below
refuse text-below "" "not"
{ printf '<specificationSet version="'; head -c 20000000 /dev/zero | tr '\0' x; } >attribute
refuse attribute "" "not"
{ echo "$head"; repeat 1000000 '<a/>'; echo '</specificationSet>'; } >siblings
refuse siblings 2 "<a> is not allowed here"
{ printf '<specificationSet'; seq -f ' a%.0f="1"' 100000 | tr -d '\n'; echo '/>'; } >attributes
refuse attributes "" ""
refuse /dev/zero "" "larger than"

# Many elements, all of them correct; the only fault is in the last one.
{
	sed -n 1,6p good
	echo '<task id="A"><flowsInto><nextElementRef id="t1"/></flowsInto><join code="xor"/><split code="and"/></task>'
	seq 1 30000 | sed 's|.*|<task id="t&"><flowsInto><nextElementRef id="o"/></flowsInto><flowsInto><nextElementRef id="t&0"/></flowsInto><join code="xor"/><split code="and"/></task>|'
	sed -n 8,10p good
} >many
refuse many "" "leads nowhere"
specification "$(seq 1 30000 | sed 's|.*|<localVariable><index>&</index><name>v&</name><type>string</type></localVariable>|')" \
	"$(mapping '&lt;p>{/Net/none}&lt;/p>')" >variables
refuse variables "" "names a variable that is not there"
specification "$text" "$(mapping "$(repeat 200000 '(')1")" >brackets
refuse brackets "" "task A: starting mapping to p: "

# --- faults in an otherwise good specification

specification "$(variable odd '')" "$good" >type
refuse type 4 "net Net: the type odd of variable x is not known"
specification "$(variable integer 12a)" "$good" >value
refuse value 4 "net Net: the initial value of x does not fit its type"
specification "$text" "$(mapping '&lt;p>{/Net/x/text(}&lt;/p>')" >query
refuse query 7 "task A: starting mapping to p: err:XPST0003 at line 1, column "
specification "$text" "$(mapping 'unknown-function()')" >function
refuse function 7 "task A: starting mapping to p: err:XPST0017 at line 1, column "
specification "$text" "$(mapping '&lt;p>{/Net/y/text()}&lt;/p>')" >name
refuse name 7 "task A: starting mapping to p names a variable that is not there: /Net/y"
specification "$text" "" >unmapped
refuse unmapped 7 "task A: the input parameter p of Work has no mapping"
specification "$text" "$(mapping '#external:Gateway:p')" >gateway
refuse gateway 7 "task A: starting mapping to p: values from external data gateways"
specification "$text" "<removesTokens id=\"B\"/>$good" >cancel
refuse cancel 7 "task A: removes tokens from B"
sed 's/<nextElementRef id="o"/<nextElementRef id="B"/' good >flow
refuse flow 7 "flow A -> B: leads nowhere"
sed 's/<outputCondition id="o"\/>//' good >output
refuse output 5 "<processControlElements> is not complete: expected <task>, <condition> or <outputCondition>"
sed 's/<task id="A">/<task>/' good >no-id
refuse no-id 7 "<task> lacks its attribute id"
sed 's/<decomposesTo id="Work"\/>/<worklist\/>/' good >unknown-element
refuse unknown-element 7 "task A: <worklist> is not allowed here in <task>"

# --- all faults at once

sed -e 's/<decomposesTo id="Work"\/>/<worklist\/>/' -e 's/id="o"\/><\/flows/id="B"\/><\/flows/' \
	-e 's/<type>string</<type>odd</' good >several
"$weft" check several >out 2>err
if [ "$(grep -c -v 'warning: ' err)" -ge 4 ]; then
	passed=$((passed + 1))
else
	echo "weft check several: expected all faults, got"
	cat err
	failed=$((failed + 1))
fi
"$weft" check --json several >out 2>err
if [ ! -s err ] && [ "$(grep -c '"severity": "error"' out)" -ge 4 ] &&
	[ "$(head -c 1 out)" = '{' ] && [ "$(tail -n 1 out)" = '}' ]; then
	passed=$((passed + 1))
else
	echo "weft check --json several: expected an object, got"
	cat out
	failed=$((failed + 1))
fi

# --- data: line, element, type and value

cat >typed <<'EOF'
<specificationSet xmlns="http://www.yawlfoundation.org/yawlschema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="4.0">
<specification uri="u"><metaData><version>1.0</version><identifier>UID_u</identifier></metaData>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:complexType name="Trip"><xs:sequence><xs:element name="seats" type="xs:integer"/><xs:element name="on" type="xs:date"/></xs:sequence></xs:complexType></xs:schema>
<decomposition id="N" isRootNet="true" xsi:type="NetFactsType">
<inputParam><index>0</index><name>trip</name><type>Trip</type></inputParam>
<processControlElements><inputCondition id="i"><flowsInto><nextElementRef id="A"/></flowsInto></inputCondition>
<task id="A"><flowsInto><nextElementRef id="o"/></flowsInto><join code="xor"/><split code="and"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
</specification></specificationSet>
EOF

# refuse_data PATTERN: `weft run` refuses the data on standard input with a
# message that matches.
refuse_data() {
	local code=0
	cat >data
	"$weft" run --data data typed >out 2>err || code=$?
	if [ $code -eq 1 ] && grep -q "$1" err; then
		passed=$((passed + 1))
	else
		echo "weft run --data: exit $code, expected 1 with $1; said:"
		cat err
		failed=$((failed + 1))
	fi
}

refuse_data "line 4: trip: element <on>: 'tomorrow' is not a valid date" <<'EOF'
<N>
 <!-- <on/> --><trip>
  <seats>2</seats>
  <on>tomorrow</on>
 </trip>
</N>
EOF
refuse_data "line 3: trip: element <on>: This element is not expected. Expected is ( seats )" <<'EOF'
<N>
 <trip>
  <on>2026-01-01</on></trip>
</N>
EOF

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
