//! A checker for the subset of JSON Schema 2020-12 that `docs/json.schema.json` uses. It panics on
//! any other keyword.

use serde_json::Value;

/// Checks `value` against `schema`. The error names the rule violated, and its place.
pub(crate) fn check(
    root: &Value,
    schema: &Value,
    value: &Value,
    place: &str,
) -> Result<(), String> {
    for (keyword, rule) in schema.as_object().expect("a schema") {
        keyword_holds(root, schema, (keyword, rule), value, place)?;
    }
    Ok(())
}

fn keyword_holds(
    root: &Value,
    schema: &Value,
    (keyword, rule): (&str, &Value),
    value: &Value,
    place: &str,
) -> Result<(), String> {
    let require = |holds: bool| {
        if holds {
            Ok(())
        } else {
            Err(format!("{place}: {value} violates {keyword} {rule}"))
        }
    };
    match keyword {
        "$schema" | "$defs" | "title" | "description" => Ok(()),
        "$ref" => check(root, resolve(root, rule), value, place),
        "const" => require(value == rule),
        "enum" => require(list(rule).contains(value)),
        "type" => require(match rule {
            Value::String(name) => has_type(value, name),
            names => list(names).iter().any(|name| has_type(value, text(name))),
        }),
        "minimum" => require(
            value
                .as_f64()
                .is_none_or(|number| Some(number) >= rule.as_f64()),
        ),
        "anyOf" => {
            let any = |inner| check(root, inner, value, place).is_ok();
            require(list(rule).iter().any(any))
        }
        "items" => {
            let items = value.as_array().into_iter().flatten().enumerate();
            for (number, item) in items {
                check(root, rule, item, &format!("{place}[{number}]"))?;
            }
            Ok(())
        }
        "required" => {
            let missing = |name: &&Value| value.get(text(name)).is_none();
            match list(rule)
                .iter()
                .find(missing)
                .filter(|_| value.is_object())
            {
                Some(name) => Err(format!("{place}: {name} is missing in {value}")),
                None => Ok(()),
            }
        }
        "properties" => {
            for (name, inner) in rule.as_object().expect("properties") {
                if let Some(field) = value.get(name) {
                    check(root, inner, field, &format!("{place}.{name}"))?;
                }
            }
            Ok(())
        }
        _ => panic!("unsupported keyword {keyword} in {schema}"),
    }
}

/// The definition that a reference within this schema names.
fn resolve<'a>(root: &'a Value, reference: &Value) -> &'a Value {
    let name = text(reference)
        .strip_prefix("#/$defs/")
        .expect("a definition");
    let name = name.replace("%20", " ");
    root["$defs"]
        .get(&name)
        .unwrap_or_else(|| panic!("unknown definition {name}"))
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        _ => panic!("unknown type {name}"),
    }
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}
