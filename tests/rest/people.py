# SPDX-License-Identifier: Apache-2.0
"""An organisation, accounts of its people, and a process for them."""
from server import Client


def add_people(server, people):
    """people: user -> record.  Makes participants, and accounts that take part;
    answers a client of each."""
    client = server.client()
    clients = {}
    for user, record in people.items():
        answer = client.post("/v1/people", dict(
            {"user": user, "firstName": user.title()}, **record))
        assert answer.status == 201, answer
        clients[user] = Client(
            server.port, server.add_account(user, "participant", 1))
    return clients


def resourcing(roles=(), people=(), more=""):
    """A <resourcing> that offers to these, who accept and start."""
    initial = "".join("<role>%s</role>" % role for role in roles) + "".join(
        "<participant>%s</participant>" % person for person in people)
    return ("<resourcing><offer initiator=\"system\"><distributionSet>"
            "<initialSet>%s</initialSet></distributionSet></offer>"
            "<allocate initiator=\"user\"/><start initiator=\"user\"/>%s"
            "</resourcing>" % (initial, more))


def process(name, tasks):
    """A sequence of tasks: (id, resourcing), or with the attributes of the
    decomposition in the namespace "p", of people."""
    attributes = {task[0]: task[2] for task in tasks if len(task) > 2}
    tasks = [task[:2] for task in tasks]
    places = "".join(
        "<task id=\"%s\"><flowsInto><nextElementRef id=\"%s\"/></flowsInto>"
        "<join code=\"xor\"/><split code=\"and\"/>%s"
        "<decomposesTo id=\"Do%s\"/></task>" % (
            task, tasks[i + 1][0] if i + 1 < len(tasks) else "o", rules, task)
        for i, (task, rules) in enumerate(tasks))
    work = "".join(
        "<decomposition id=\"Do%s\" xsi:type=\"WebServiceGatewayFactsType\" %s>"
        "<externalInteraction>manual</externalInteraction>"
        "</decomposition>" % (task, attributes.get(task, ""))
        for task, _ in tasks)
    return """<specificationSet version="4.0"
  xmlns="http://www.yawlfoundation.org/yawlschema"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:p="urn:weft:people">
<specification uri="%s"><metaData><title>%s</title><version>0.1</version>
<identifier>UID_%s</identifier></metaData>
<decomposition id="Net" isRootNet="true" xsi:type="NetFactsType">
<processControlElements><inputCondition id="i"><flowsInto>
<nextElementRef id="%s"/></flowsInto></inputCondition>%s
<outputCondition id="o"/></processControlElements></decomposition>%s
</specification></specificationSet>""" % (
        name, name.title(), name, tasks[0][0], places, work)
