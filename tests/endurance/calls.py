"""Calls that are made from the published schemas and examples: mostly of the right form, with wrong, large and odd values."""

ODD = ["", " ", ".", "..", "../..", "/", "/etc/passwd", "a" * 10_000, "(" * 5_000, "[" * 5_000, "(a+)+$", "(?:a|a)*b", "\u0000", "\ud7ff\U0010ffff",
       "第001話", "%00", "file:///etc/passwd", "${steps[0].result}", "${" * 1_000, "**/*", "{a,b}" * 200, "-1", "null", "e1", "\r\n" * 100]
NUMBERS = [-1, 0, 1, 2, 7, 100, 65_536, 2**31, 2**53, 2**63, -(2**63), 0.5, 1e308]


def value(rng, schema, depth=0):
    """Returns a value that the schema allows, or one time in ten something else."""
    if rng.random() < 0.1 or depth > 6:
        return rng.choice([None, True, [], {}, rng.choice(ODD), rng.choice(NUMBERS), [rng.choice(ODD)] * rng.randint(1, 50)])
    for union in ("anyOf", "oneOf", "allOf"):
        if union in schema:
            return value(rng, rng.choice(schema[union]), depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kind = schema.get("type", "string")
    kind = rng.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        properties, required = schema.get("properties", {}), schema.get("required", [])
        return {name: value(rng, of, depth + 1) for name, of in properties.items() if name in required or rng.random() < 0.3}
    if kind == "array":
        return [value(rng, schema.get("items", {}), depth + 1) for _ in range(rng.randint(schema.get("minItems", 0), 4))]
    if kind in ("integer", "number"):
        return rng.choice([*NUMBERS, schema.get("minimum", 0), schema.get("maximum", 10), rng.randint(0, 50)])
    if kind == "boolean":
        return rng.random() < 0.5
    return None if kind == "null" else rng.choice([*ODD, *schema.get("examples", []), "shop.py", "src/shop.py", ".", "def ", "class"])


def attacks(rng, tools):
    """Endless: a tool and arguments, of the example with some values exchanged or of the schema alone."""
    while True:
        tool = rng.choice(tools)
        schema, arguments = tool["inputSchema"], dict(tool["example"])
        if rng.random() < 0.3:
            arguments = value(rng, {**schema, "type": "object"})
        elif properties := list(schema.get("properties", {}).items()):
            for name, of in rng.sample(properties, min(len(properties), rng.randint(0, 4))):
                arguments[name] = value(rng, of)
        if isinstance(arguments, dict):
            yield tool["name"], arguments
