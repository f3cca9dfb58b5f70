//! A checker for the part of JSON Schema 2020-12 that `docs/json.schema.json` uses. It refuses a schema
//! with anything else.

use serde_json::Value;

/// What `value` does not keep of `schema`, with the place.
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
    let fails = |holds: bool| match holds {
        true => Ok(()),
        false => Err(format!("{place}: {value} is not {keyword} {rule}")),
    };
    match keyword {
        "$schema" | "$defs" | "title" | "description" => Ok(()),
        "$ref" => check(root, resolve(root, rule), value, place),
        "const" => fails(value == rule),
        "enum" => fails(list(rule).contains(value)),
        "type" => fails(match rule {
            Value::String(name) => is_of(value, name),
            names => list(names).iter().any(|name| is_of(value, text(name))),
        }),
        "minimum" => fails(
            value
                .as_f64()
                .is_none_or(|number| Some(number) >= rule.as_f64()),
        ),
        "anyOf" => {
            let any = |inner| check(root, inner, value, place).is_ok();
            fails(list(rule).iter().any(any))
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
        _ => panic!("the checker does not know {keyword} of {schema}"),
    }
}

/// The definition that a reference into this schema means.
fn resolve<'a>(root: &'a Value, reference: &Value) -> &'a Value {
    let name = text(reference)
        .strip_prefix("#/$defs/")
        .expect("a definition");
    let name = name.replace("%20", " ");
    root["$defs"]
        .get(&name)
        .unwrap_or_else(|| panic!("no {name}"))
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        _ => panic!("no type is called {name}"),
    }
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}
