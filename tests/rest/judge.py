"""Loaded by Schemathesis: rules of fumi that it cannot derive, and checks that it does not make itself.

All its checks are on. A failure is dropped only by a rule below, which states why fumi is right and recognises the case
by the request and the answer: a rule never excuses a whole status or operation. The file $FUMI_TOLD gets the counts of
each rule and of each status.

Two checks are added: a refusal has a code of /v1/errors, and a stream ends with exactly one event with the result of
the call. Without a token ($FUMI_STRANGER) there is a third: only the probes answer.
"""

import atexit
import json
import os
from collections import Counter
from functools import cache

import jsonschema_rs
import requests
import schemathesis
from schemathesis.core.failures import AcceptedNegativeData, ServerError
from schemathesis.openapi.checks import RejectedPositiveData

PROBES = ("/livez", "/readyz")
# What `allowed` says of a relation between arguments, and of a length. Schemas that clients accept say neither (src/tool).
BEYOND_THE_SCHEMA = {"exactly_one_of", "any_of", "without", "needs", "max"}

excused = Counter()
statuses = Counter()


def error_of(response):
    """The error that a response carries, as it is in JSON; one in words is asked for again."""
    kind = response.headers.get("content-type", [""])[0]
    if kind.startswith("text/plain") and response.status_code >= 400:
        again = response.request.copy()
        again.headers["Accept"] = "application/json"
        with requests.Session() as session:
            response = session.send(again, timeout=30)
    try:
        return response.json()["error"]
    except (ValueError, KeyError, TypeError):
        return {}


def refused_beyond_the_schema(failure, case, response):
    """Arguments can fit their schema and still be wrong: two that exclude each other, an invalid regular expression, a
    binary file. The tool refuses them itself; violations of the schema must not be among its reasons."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code not in (400, 413, 422):
        return False
    if case.path == "/v1/tools/{name}":
        # Its schema requires only that the arguments are an object.
        return "tool" in error_of(response)
    problems = error_of(response).get("details", {}).get("problems", [])
    return "tool" in error_of(response) and all(is_beyond(problem) for problem in problems)


def is_beyond(problem):
    """`expectation` is published as any object with every tool, and in full with batch_execute; steps name tools; `encoding` is any
    label of the WHATWG Encoding Standard, which a schema need not list."""
    path = str(problem.get("parameter") or problem.get("path") or problem.get("argument") or "")
    return path.startswith(("expectation", "steps", "globalExpectation", "encoding")) or bool(
        BEYOND_THE_SCHEMA & set(problem["allowed"] or {})
    )


def there_is_no_browser(failure, case, response):
    """The run of the browser tools has no Chromium, and so no session, which is reported with a 5xx status."""
    return isinstance(failure, ServerError) and error_of(response).get("code") in ("B001", "B007")


def the_time_that_was_asked_for(failure, case, response):
    """A caller who grants a call a few milliseconds may get 504, which is a 5xx status."""
    body = case.body if isinstance(case.body, dict) else {}
    patience = body.get("timeout_ms")
    is_short = isinstance(patience, (int, float)) and patience < 1_000
    return isinstance(failure, ServerError) and response.status_code == 504 and is_short


def validator(document, schema):
    """Returns the validator of a schema of the document, whose references point to the components."""
    return jsonschema_rs.validator_for({"components": document["components"], "allOf": [schema]})


def null_is_absent(failure, case, response):
    """A null argument and a missing body mean nothing (docs/decisions/edge.md): the rest must match the schema."""
    is_call = case.method == "POST" and case.path.startswith("/v1/tools/") and "{" not in case.path
    if not isinstance(failure, AcceptedNegativeData) or not is_call:
        return False
    body = case.body if isinstance(case.body, dict) else {}
    left = {name: value for name, value in body.items() if value is not None}
    says_nothing = len(left) < len(body) or not response.request.body
    document = case.operation.schema.raw_schema
    published = document["paths"][case.path]["post"]["requestBody"]
    return says_nothing and validator(document, published["content"]["application/json"]["schema"]).is_valid(left)


RULES = (refused_beyond_the_schema, there_is_no_browser, the_time_that_was_asked_for, null_is_absent)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    for rule in RULES:
        if rule(failure, case, response):
            excused[rule.__name__] += 1
            return False
    return True


@schemathesis.hook
def before_call(context, case, kwargs):
    """Replaces the project of the document's example by the existing one."""
    if case.path != "/v1/tools/set_project_path" or case.method != "POST" or not isinstance(case.body, dict):
        return
    body = case.operation.schema.raw_schema["paths"][case.path]["post"]["requestBody"]
    if case.body.get("project_path") == body["content"]["application/json"]["example"]["project_path"]:
        case.body["project_path"] = os.environ["FUMI_SAMPLE"]


@schemathesis.hook
def after_call(context, case, response):
    statuses[response.status_code] += 1


@cache
def codes(base, authorization):
    """Returns every code that the server publishes."""
    headers = {"Authorization": authorization} if authorization else {}
    answer = requests.get(f"{base}/v1/errors", headers=headers, timeout=30)
    answer.raise_for_status()
    return {entry["code"] for entry in answer.json().values()}


def origin(response):
    return response.request.url.split("/", 3)[0:3]


@schemathesis.check
def refusals_have_a_known_code(ctx, response, case):
    code = error_of(response).get("code")
    if code is None or "FUMI_STRANGER" in os.environ:
        return
    known = codes("/".join(origin(response)), os.environ.get("FUMI_AUTHORIZATION"))
    assert code in known, f"/v1/errors does not have the code {code}"


@schemathesis.check
def a_stream_ends_with_what_came_of_the_call(ctx, response, case):
    kind = response.headers.get("content-type", [""])[0]
    if not kind.startswith("text/event-stream"):
        return
    # Not splitlines(): only a line feed ends a line of a stream.
    pieces = (piece.split("\n") for piece in response.text.split("\n\n"))
    events = [dict(line.split(": ", 1) for line in piece if line and not line.startswith(":")) for piece in pieces]
    events = [event for event in events if event]
    names = [event["event"] for event in events]
    assert names and names[-1] in ("result", "error"), f"the last event is not a result: {names}"
    assert set(names[:-1]) <= {"progress"}, f"the result is not the only one: {names}"
    document = case.operation.schema.raw_schema
    if names[-1] == "error":
        schema = {"$ref": "#/components/schemas/Error"}
    else:
        answer = document["paths"][case.operation.path]["post"]["responses"]["200"]
        schema = answer["content"]["application/json"]["schema"]
    result = json.loads(events[-1]["data"])
    wrong = [error.message for error in validator(document, schema).iter_errors(result)]
    assert not wrong, f"the event {names[-1]} does not match its schema: {wrong[:3]}"


if "FUMI_STRANGER" in os.environ:

    @schemathesis.check
    def a_stranger_learns_nothing(ctx, response, case):
        if case.path in PROBES:
            assert response.status_code != 401, "a probe asks for a token"
            return
        assert response.status_code == 401, f"without a token {response.status_code}"
        assert error_of(response)["code"] == "UNAUTHENTICATED", response.text


@atexit.register
def tell():
    if "FUMI_TOLD" in os.environ:
        with open(os.environ["FUMI_TOLD"], "w", encoding="utf-8") as file:
            json.dump({"excused": excused, "statuses": statuses}, file)
