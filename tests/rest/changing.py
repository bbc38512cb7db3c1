# SPDX-License-Identifier: Apache-2.0
"""Processes for tests of what an operator changes."""

# A leads to p or q, whichever is true; B waits for both.
NET = """<?xml version="1.0" encoding="UTF-8"?>
<specificationSet xmlns="http://www.yawlfoundation.org/yawlschema"
 version="4.0"><specification uri="%(uri)s"><metaData><version>0.1</version>
<identifier>UID_%(uri)s</identifier></metaData>
<schema xmlns="http://www.w3.org/2001/XMLSchema"/>
<decomposition id="N" isRootNet="true" xsi:type="NetFactsType"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<processControlElements><inputCondition id="i"><flowsInto><nextElementRef
 id="A"/></flowsInto></inputCondition>
<task id="A"><flowsInto><nextElementRef id="p"/><predicate ordering="0">true()
</predicate></flowsInto><flowsInto><nextElementRef id="q"/><isDefaultFlow/>
</flowsInto><join code="xor"/><split code="xor"/><decomposesTo id="W"/></task>
<condition id="p"><flowsInto><nextElementRef id="B"/></flowsInto></condition>
<condition id="q"><flowsInto><nextElementRef id="B"/></flowsInto></condition>
<task id="B"><flowsInto><nextElementRef id="o"/></flowsInto>
<join code="and"/><split code="and"/><decomposesTo id="W"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="W" xsi:type="WebServiceGatewayFactsType"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/>
</specification></specificationSet>"""
# A (or A0 and A), then S with X in it, then B (or C), which has a timer.  From
# trap alone there is no way to the end: D waits for q.
PROCESS = """<specificationSet version="4.0"
 xmlns="http://www.yawlfoundation.org/yawlschema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="%(uri)s"><metaData><title>%(uri)s</title>
<version>%(version)s</version><identifier>UID_%(uri)s</identifier></metaData>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>
<decomposition id="N" isRootNet="true" xsi:type="NetFactsType">
<localVariable><index>0</index><name>n</name><type>integer</type>
<namespace>http://www.w3.org/2001/XMLSchema</namespace>
<initialValue>1</initialValue></localVariable>
<localVariable><index>1</index><name>%(text)s</name><type>string</type>
<namespace>http://www.w3.org/2001/XMLSchema</namespace>
<initialValue/></localVariable>
<processControlElements><inputCondition id="i"><flowsInto><nextElementRef
 id="%(first)s"/></flowsInto></inputCondition>%(more)s
<task id="A"><flowsInto><nextElementRef id="S"/><isDefaultFlow/></flowsInto>
<flowsInto><nextElementRef id="trap"/><predicate ordering="0">false()
</predicate></flowsInto><flowsInto><nextElementRef id="q"/><predicate
 ordering="1">false()</predicate></flowsInto><join code="xor"/>
<split code="xor"/><decomposesTo id="W"/></task>
<task id="S"><flowsInto><nextElementRef id="%(last)s"/></flowsInto>
<join code="xor"/><split code="and"/><decomposesTo id="Sub"/></task>
<task id="%(last)s"><flowsInto><nextElementRef id="o"/></flowsInto>
<join code="xor"/><split code="and"/><timer><trigger>OnEnabled</trigger>
<duration>PT1H</duration></timer><decomposesTo id="W"/></task>
<condition id="trap"><flowsInto><nextElementRef id="T"/></flowsInto></condition>
<task id="T"><flowsInto><nextElementRef id="p"/></flowsInto><join code="xor"/>
<split code="and"/><decomposesTo id="W"/></task>
<condition id="p"><flowsInto><nextElementRef id="D"/></flowsInto></condition>
<condition id="q"><flowsInto><nextElementRef id="D"/></flowsInto></condition>
<task id="D"><flowsInto><nextElementRef id="o"/></flowsInto><join code="and"/>
<split code="and"/><decomposesTo id="W"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="Sub" xsi:type="NetFactsType"><processControlElements>
<inputCondition id="i"><flowsInto><nextElementRef id="X"/></flowsInto>
</inputCondition><task id="X"><flowsInto><nextElementRef id="o"/></flowsInto>
<join code="xor"/><split code="and"/><startingMappings><mapping>
<expression query="&lt;p&gt;seven&lt;/p&gt;"/><mapsTo>p</mapsTo></mapping>
%(mapping)s</startingMappings><decomposesTo id="V"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="V" xsi:type="WebServiceGatewayFactsType">%(parameter)s
<inputParam><index>1</index><name>p</name><type>string</type>
<namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam>
<externalInteraction>manual</externalInteraction></decomposition>
<decomposition id="W" xsi:type="WebServiceGatewayFactsType">
<externalInteraction>manual</externalInteraction></decomposition>
</specification></specificationSet>"""

# Nets and tasks before those of the first version have other numbers.
MORE = """<task id="A0"><flowsInto><nextElementRef id="A"/></flowsInto>
<join code="xor"/><split code="and"/><decomposesTo id="W"/></task>"""

# So have the parameters of X.
PARAMETER = """<inputParam><index>0</index><name>a</name><type>string</type>
<namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam>"""
MAPPING = """<mapping><expression query="&lt;a&gt;six&lt;/a&gt;"/>
<mapsTo>a</mapsTo></mapping>"""


def first(uri="moved"):
    return PROCESS % {"uri": uri, "version": "1.0", "first": "A", "last": "B",
                      "more": "", "parameter": "", "mapping": "",
                      "text": "note"}


def second(uri="moved", version="2.0"):
    return PROCESS % {"uri": uri, "version": version, "first": "A0",
                      "last": "C", "more": MORE, "parameter": PARAMETER,
                      "mapping": MAPPING, "text": "remark"}
