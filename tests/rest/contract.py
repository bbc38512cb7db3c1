# SPDX-License-Identifier: Apache-2.0
"""schemas/openapi.yaml as a contract: the description of each operation, and
whether an answer agrees with it."""
import json
import os
import re
import urllib.parse

import yaml_subset

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
METHODS = ("get", "put", "post", "patch", "delete")
DATE_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool,
         "integer": int, "number": (int, float)}
KEYWORDS = {"type", "properties", "required", "items", "enum", "pattern",
            "format", "minimum", "maximum", "minLength", "maxLength",
            "additionalProperties", "allOf", "anyOf", "description", "example",
            "default", "title"}


def codes():
    """The codes of the table in docs/REST.md, each with its status."""
    with open(os.path.join(ROOT, "docs", "REST.md")) as file:
        return {code: int(status) for code, status in re.findall(
            r"^\| `(\w+)` \| (\d+) \|", file.read(), re.M)}


class Operation:
    def __init__(self, contract, method, path, shared, content):
        self.method = method.upper()
        self.path = path
        self.content = content
        self.id = content["operationId"]
        self.open = content.get("security") == []
        self.right = content.get("x-right")
        self.parameters = [contract.follow(p)
                           for p in shared + content.get("parameters", [])]
        self.body = contract.follow(content.get("requestBody"))
        self.responses = {status: contract.follow(response) for
                          status, response in content["responses"].items()}
        self.pattern = re.compile("^" + re.sub(
            r"\\{\w+\\}", "[^/]+", re.escape(path)) + "$")

    def names(self, where):
        return [p["name"] for p in self.parameters if p["in"] == where]


class Contract:
    def __init__(self):
        with open(os.path.join(ROOT, "schemas", "openapi.yaml")) as file:
            self.document = yaml_subset.read(file.read())
        self.codes = codes()
        self.operations = [
            Operation(self, method, path, item.get("parameters", []),
                      item[method])
            for path, item in self.document["paths"].items()
            for method in METHODS if method in item]

    def follow(self, node):
        while node and "$ref" in node:
            place = self.document
            for part in node["$ref"].split("/")[1:]:
                place = place[part]
            node = place
        return node

    def find(self, method, path):
        """The operation; of two that match, the one with fewer variables."""
        path = path.split("?")[0]
        method = "GET" if method == "HEAD" else method
        found = [o for o in self.operations
                 if o.method == method and o.pattern.match(path)]
        return min(found, key=lambda o: o.path.count("{")) if found else None

    # --- schemas

    def members(self, schema):
        """Properties and required properties of an object, those of allOf
        included; the properties are None when any are allowed."""
        schema = self.follow(schema)
        properties = dict(schema.get("properties", {}))
        required = list(schema.get("required", []))
        free = bool(schema.get("additionalProperties"))
        for part in schema.get("allOf", []):
            more, needed, is_free = self.members(part)
            properties.update(more)
            required += needed
            free = free or is_free
        return properties, required, free

    def wrong(self, schema, value, where="it"):
        """Sentences that say how the value violates the schema."""
        schema = self.follow(schema)
        unknown = set(schema) - KEYWORDS
        if unknown:
            return ["%s: the schema has %s, which is not read here" % (
                where, unknown)]
        if "anyOf" in schema:
            found = [self.wrong(one, value, where) for one in schema["anyOf"]]
            return [] if [] in found else sum(found, [])
        type = "object" if "allOf" in schema else schema.get("type")
        if type and (not isinstance(value, TYPES[type]) or (
                isinstance(value, bool) and type != "boolean")):
            return ["%s is no %s: %r" % (where, type, value)]
        if type == "object":
            return self.wrong_object(schema, value, where)
        if type == "array":
            return [text for i, element in enumerate(value) for text in
                    self.wrong(schema["items"], element,
                               "%s[%d]" % (where, i))]
        return ["%s: %r is not %s" % (where, value, rule) for rule, holds in (
            ("one of its words", value in schema.get("enum", [value])),
            ("like its pattern", "pattern" not in schema
             or re.search(schema["pattern"], value)),
            ("a time", schema.get("format") != "date-time"
             or DATE_TIME.match(value)),
            ("so large", "minimum" not in schema
             or value >= schema["minimum"]),
            ("so small", "maximum" not in schema
             or value <= schema["maximum"]),
            ("so long", "minLength" not in schema
             or len(value) >= schema["minLength"]),
            ("so short", "maxLength" not in schema
             or len(value) <= schema["maxLength"])) if not holds]

    def wrong_object(self, schema, value, where):
        properties, required, free = self.members(schema)
        rest = schema.get("additionalProperties")
        out = ["%s lacks %s" % (where, name)
               for name in required if name not in value]
        for name, member in value.items():
            inside = "%s.%s" % (where, name)
            if name in properties:
                out += self.wrong(properties[name], member, inside)
            elif isinstance(rest, dict):
                out += self.wrong(rest, member, inside)
            elif not free:
                out.append("%s is not described" % inside)
        return out

    # --- answers

    def wrong_answer(self, method, path, answer):
        operation = self.find(method, path)
        if operation is None or answer.status == 405:
            if answer.status not in (404, 405, 400, 501, 503, 413, 415):
                return ["nothing is described there"]
            return self.wrong_problem(answer)
        described = operation.responses.get(str(answer.status))
        if described is None and answer.status in (400, 403, 413, 415, 503):
            described = operation.responses["default"]
        if described is None:
            return ["%s does not describe %d" % (
                operation.id, answer.status)] + self.wrong_problem(answer)
        out = []
        if "content" not in described:
            return ["%s has a body" % operation.id] if answer.body else []
        for name, header in described.get("headers", {}).items():
            value = answer.headers.get(name.lower())
            if value is None:
                out.append("%s is not there" % name)
            elif header["schema"]["type"] == "integer" and \
                    not value.isdigit():
                out.append("%s: %r" % (name, value))
        if answer.type not in described["content"]:
            return out + ["%s is not a type of it" % answer.type]
        if answer.type.endswith("json") and method != "HEAD":
            out += self.wrong(described["content"][answer.type]["schema"],
                              json.loads(answer.body))
        if answer.type == "application/problem+json":
            out += self.wrong_problem(answer)
        return out

    def wrong_problem(self, answer):
        if answer.type != "application/problem+json":
            return ["%d is no problem: %r" % (answer.status, answer.type)]
        problem = json.loads(answer.body) if answer.body else None
        if problem is None:
            return []  # of HEAD
        out = self.wrong(self.document["components"]["schemas"]["Problem"],
                         problem)
        if problem.get("status") != answer.status:
            out.append("the status is another one")
        if self.codes.get(problem.get("code")) != answer.status:
            out.append("docs/REST.md has another status for this code")
        return out

    def wrong_request(self, method, path, body, type):
        """Whether a successful answer of the operation is described."""
        operation = self.find(method, path)
        if operation is None:
            return ["nothing is described there"]
        names = [urllib.parse.unquote(a.split("=")[0])
                 for a in path.partition("?")[2].split("&") if a]
        out = ["the argument %s is not described" % name for name in names
               if name not in operation.names("query")]
        if not body:
            if operation.body and operation.body.get("required"):
                out.append("a body is needed, it is said")
            return out
        if not operation.body:
            return out + ([] if body in ("{}", b"{}")
                          else ["a body is not described"])
        content = operation.body["content"]
        type = (type or "application/json").split(";")[0]
        if type not in content and "*/*" not in content:
            out.append("%s is not described" % type)
        elif type == "application/json" and type in content:
            out += self.wrong(content[type]["schema"], json.loads(body))
        return out
