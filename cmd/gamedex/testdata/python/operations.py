"""Calls every operation of an OpenAPI document with the client: once with the examples of the document,
and once with a value for every parameter, which may be refused."""

import json, re, sys

import gamedex

with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)
client = gamedex.Client()


def resolved(node):
    return document["components"][node["$ref"].split("/")[2]][node["$ref"].split("/")[3]] if "$ref" in node else node


def snake(name):
    return re.sub("([A-Z]+)", lambda match: "_" + match[1].lower(), name)


def value(schema):
    return schema.get("enum", [{"integer": 1, "boolean": True}.get(schema["type"], "x")])[0]


for path, operations in document["paths"].items():
    for operation in operations.values():
        method = getattr(client, snake(operation["operationId"]))
        examples, every = {}, {}
        for parameter in map(resolved, operation.get("parameters", [])):
            name = snake(parameter["name"])
            if parameter["in"] != "header":
                every[name] = value(parameter["schema"])
                if "example" in parameter:
                    examples[name] = every[name] = parameter["example"]
        if "requestBody" in operation:
            body = operation["requestBody"]["content"]["application/json"]
            examples.update((snake(name), given) for name, given in body["example"].items())
            properties = resolved(body["schema"])["properties"]
            every.update({snake(name): value(schema) for name, schema in properties.items()}, **examples)
        for given in (examples, every):
            made = None
            if "{webhookId}" in path:
                made = client.create_webhook("https://receiver.example", ["elden-ring"])["data"]["id"]
                given["webhook_id"] = made
            try:
                answer = method(**given)
                assert answer["ok"], answer
            except gamedex.GamedexError as error:
                if given is examples or error.status != 400:
                    raise
            finally:
                if made and operation["operationId"] != "deleteWebhook":
                    client.delete_webhook(made)
