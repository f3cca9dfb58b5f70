//! The promise to users of `circuit plot`: plots are labelled, and their numbers are available.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use serde_json::Value;

use crate::common::processes::run;

/// The texts between the tags of an SVG.
fn text(svg: &str) -> Vec<&str> {
    let parts = svg.split(['<', '>']).skip(2).step_by(2);
    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

/// Plots the draws of 9 cards. Returns the picture and the points.
fn plot(folder: &Path, arguments: &str) -> (String, Value) {
    let (svg, points) = (folder.join("plot.svg"), folder.join("points.json"));
    let (svg_name, points_name) = (svg.display(), points.display());
    run(&format!(
        "circuit plot --cards 9 {arguments} -o {svg_name} --points {points_name}"
    ))
    .exits(0);
    let points = fs::read_to_string(points).unwrap();
    (
        fs::read_to_string(svg).unwrap(),
        serde_json::from_str(&points).unwrap(),
    )
}

#[test]
fn vertical_axes_have_the_labelled_counts() {
    let folder = tempfile::tempdir().unwrap();
    for (y, axis, of) in [
        ("ands", "AND gates of the circuit", "and"),
        (
            "joint-ands",
            "AND gates that depend on inputs of both",
            "joint_and",
        ),
        ("depth", "AND gates on the longest path", "and_depth"),
        (
            "garbled-bytes",
            "bytes of garbled tables (half gates)",
            "half_gate_bytes",
        ),
        (
            "malicious-bytes",
            "bytes both ways, from an empty pool",
            "malicious_bytes",
        ),
        ("xor", "XOR gates of the circuit", "xor"),
    ] {
        // A malicious session refuses circuits without the check.
        for (option, checked) in [("", y == "malicious-bytes"), ("--checked", true)] {
            let (svg, report) = plot(folder.path(), &format!("--y {y} {option}"));
            assert!(text(&svg).contains(&axis), "{y}");
            let label = if checked {
                "with the check"
            } else {
                "without the check"
            };
            assert!(svg.contains(label), "{y}");
            assert_eq!(report["y"], y);
            let stats = run("circuit stats --cards 9 --draw 4 --json")
                .exits(0)
                .json();
            for row in stats["rows"].as_array().unwrap() {
                if row["checked"] != checked {
                    continue;
                }
                let point = report["points"].as_array().unwrap().iter().find(|point| {
                    (&point["curve"], &point["draw"]) == (&row["algorithm"], &4.into())
                });
                let point = point.expect("a point");
                assert_eq!(point["value"], row[of], "{y}: {point}");
                assert_eq!(
                    (&point["cards"], &point["checked"]),
                    (&9.into(), &row["checked"])
                );
            }
        }
    }
}

#[test]
fn comparison_circuits_are_optional_and_labelled() {
    let folder = tempfile::tempdir().unwrap();
    let name = "bubble-fair-bits";
    let (svg, _) = plot(folder.path(), "");
    assert!(!svg.contains(name) && !svg.contains("never played with"));
    let (svg, report) = plot(folder.path(), "--comparison");
    assert!(text(&svg).contains(&name) && svg.contains("never played with"));
    let kinds: BTreeMap<&str, &Value> = (report["points"].as_array().unwrap().iter())
        .map(|point| (point["curve"].as_str().unwrap(), &point["kind"]))
        .collect();
    assert_eq!(kinds[name], "comparison");
    assert_eq!(kinds["bubble"], "shuffle");
}

#[test]
fn given_netlist_is_a_labelled_point_or_line() {
    let folder = tempfile::tempdir().unwrap();
    let adder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/adder.txt");
    let ands = run(&format!("circuit stats {adder} --json"))
        .exits(0)
        .json();
    let ands = &ands["rows"][0]["and"];
    for (at, draw) in [("", Value::Null), ("@5", 5.into())] {
        let (svg, report) = plot(folder.path(), &format!("--with {adder}{at}"));
        assert!(text(&svg).contains(&"adder.txt"));
        let points = report["points"].as_array().unwrap().iter();
        let ours: Vec<&Value> = points.filter(|point| point["kind"] == "netlist").collect();
        assert_eq!(ours.len(), 1);
        assert_eq!((&ours[0]["value"], &ours[0]["draw"]), (ands, &draw));
    }
    run(&format!("circuit plot --cards 9 --with {adder}@10"))
        .exits(1)
        .says("shows 1 to 9");
    run("circuit plot --cards 9 --with no-such-file")
        .exits(1)
        .says("no-such-file");
}

#[test]
fn points_are_written_as_csv_by_file_extension() {
    let folder = tempfile::tempdir().unwrap();
    let [svg, csv] = ["plot.svg", "points.csv"].map(|name| folder.path().join(name));
    let line = "circuit plot --cards 9 --draw 2,5 --algorithm cut,waksman";
    run(&format!(
        "{line} -o {} --points {}",
        svg.display(),
        csv.display()
    ))
    .exits(0);
    let text = fs::read_to_string(csv).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("curve,kind,cards,draw,checked,and"));
    let spec = Spec::new(9, 2, Algorithm::Cut).unwrap();
    let ands = ShuffleCircuit::build(spec).circuit().ands();
    let row = format!("cut,shuffle,9,2,false,{ands}");
    assert!(lines.any(|line| line == row), "{text}");
    // If there are few points, each point has a marker.
    let few = fs::read_to_string(&svg).unwrap().matches("<circle").count();
    assert!(few >= 4, "{few}");
    run(&format!("{line} -o - --points x.txt"))
        .exits(1)
        .says("must end in .csv or .json");
}

#[test]
fn plot_is_written_as_png_by_file_extension() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plot.png");
    run(&format!("circuit plot --cards 9 -o {}", path.display())).exits(0);
    let png = fs::read(&path).unwrap();
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert!(
        (number(16), number(20)) > (1500, 1000),
        "{} {}",
        number(16),
        number(20)
    );
    // An all-white picture would have a hundredth of this size.
    assert!(png.len() > 50_000, "{}", png.len());
}

#[test]
fn plot_is_written_as_pdf_by_file_extension() {
    let folder = tempfile::tempdir().unwrap();
    let [one, same] = ["plot.pdf", "same.pdf"].map(|name| {
        let path = folder.path().join(name);
        run(&format!("circuit plot --cards 9 -o {}", path.display())).exits(0);
        fs::read(path).unwrap()
    });
    assert!(one.starts_with(b"%PDF-1.") && one.ends_with(b"%%EOF"));
    assert_eq!(one, same);
    // The size of the SVG in pixels, at 96 pixels per inch and 72 points per inch.
    let (svg, _) = plot(folder.path(), "");
    let length = |name: &str| -> f32 {
        let value = svg.split_once(&format!("{name}=\"")).unwrap().1;
        value.split_once('"').unwrap().0.parse().unwrap()
    };
    let (width, height) = (0.75 * length("width"), 0.75 * length("height"));
    let page = format!("/MediaBox [0 0 {width} {height}]");
    assert!(String::from_utf8_lossy(&one).contains(&page), "{page}");
    assert!(String::from_utf8_lossy(&one).contains("DejaVuSans-Bold"));
    // An empty page would have less than a kilobyte.
    assert!(one.len() > 20_000, "{}", one.len());
}

#[test]
fn empty_plot_is_an_error() {
    for line in [
        "circuit plot --cards 2 --draw 1..2 --algorithm fisher-yates --y depth",
        "circuit plot --cards 9 --draw 4",
    ] {
        let refused = run(line).exits(1);
        assert_eq!(refused.stdout, "", "{line}");
        assert!(
            refused.stderr.contains("the plot would be empty")
                || refused.stderr.contains("at least two points")
        );
    }
}

#[test]
fn plot_is_well_formed_and_labelled() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ands.svg");
    let file = path.to_str().unwrap();
    for (arguments, title, axis) in [
        (
            "--cards 20",
            "AND gates to draw m of 20 cards",
            "m, the number of cards drawn",
        ),
        (
            "--against cards --cards 4..9,12 --draw all",
            "AND gates to shuffle n cards and draw them all",
            "n, the number of cards in the deck",
        ),
        (
            "--against cards --cards 8,16,...,64 --draw 7",
            "AND gates to draw 7 of n cards",
            "n, the number of cards in the deck",
        ),
    ] {
        let report = run(&format!("circuit plot {arguments} --json -o {file}"));
        let report = report.exits(0).json();
        let svg = fs::read_to_string(&path).unwrap();
        assert_well_formed(&svg);
        let text = text(&svg);
        assert!(text.contains(&title), "{text:?}");
        assert!(text.contains(&axis), "{text:?}");
        assert!(text.contains(&"AND gates of the circuit"), "{text:?}");
        for algorithm in Algorithm::ALL {
            assert!(text.contains(&algorithm.name()), "{text:?}");
        }
        let crossings = report["crossings"].as_array().unwrap();
        assert!(!crossings.is_empty());
        for crossing in crossings {
            let from = format!("{} = {}: from here", &axis[..1], crossing["from"]);
            let names = ["cheaper", "dearer"].map(|name| crossing[name].as_str().unwrap());
            let describes = |text: &&str| {
                text.starts_with(&from) && names.iter().all(|name| text.contains(name))
            };
            assert!(
                text.iter().any(describes),
                "{crossing} is missing in {text:?}"
            );
        }
    }
}

/// Asserts that the tags are balanced, with one root.
fn assert_well_formed(svg: &str) {
    let mut open = Vec::new();
    let mut roots = 0;
    for part in svg.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("a tag ends");
        let name = |tag: &str| tag.split_whitespace().next().expect("a name").to_owned();
        if let Some(closing) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name(closing)));
        } else if !tag.starts_with(['?', '!']) {
            roots += usize::from(open.is_empty());
            if !tag.ends_with('/') {
                open.push(name(tag));
            }
        }
    }
    assert_eq!((open.len(), roots), (0, 1));
}

#[test]
fn crossings_are_where_the_counts_cross() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ands.svg");
    let line = format!("circuit plot --json -o {}", file.display());
    let report = run(&line).exits(0).json();
    let ands = |name: &Value, draw: usize| {
        let algorithm = name.as_str().unwrap().parse().unwrap();
        let shuffle = ShuffleCircuit::build(Spec::new(52, draw, algorithm).unwrap());
        shuffle.circuit().ands()
    };
    for crossing in report["crossings"].as_array().unwrap() {
        let (from, cheaper, dearer) = (
            crossing["from"].as_u64().unwrap() as usize,
            &crossing["cheaper"],
            &crossing["dearer"],
        );
        assert!(ands(cheaper, from) < ands(dearer, from), "{crossing}");
        assert!(
            ands(cheaper, from - 1) >= ands(dearer, from - 1),
            "{crossing}"
        );
    }
}
