//! The numbers of a picture, for those who draw their own.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use dealerless_program::output::{csv_cell, json_line};
use dealerless_program::whole_file;
use serde::Serialize;

use super::curve::Y;
use super::plan::Plan;
use super::scene::PlottedCurve;

/// A file for the points, in the format that its name ends with.
#[derive(Clone)]
pub(super) struct PointsFile {
    path: PathBuf,
    json: bool,
}

impl FromStr for PointsFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let json = match whole_file::ending(&path).as_deref() {
            Some("json") => true,
            Some("csv") => false,
            _ => return Err("the name of the file ends with .csv or .json".into()),
        };
        Ok(PointsFile { path, json })
    }
}

/// The object of a file that ends with `.json`.
#[derive(Serialize)]
struct Report<'a> {
    y: Y,
    points: &'a [Point<'a>],
}

/// A circuit in the picture.
#[derive(Serialize)]
struct Point<'a> {
    curve: &'a str,
    /// `shuffle`, `comparison` or `netlist`.
    kind: &'static str,
    /// Null if a netlist stands for no deck.
    cards: Option<usize>,
    draw: Option<usize>,
    checked: bool,
    value: usize,
}

impl PointsFile {
    /// The endings of its name.
    pub(super) const ENDINGS: [&str; 2] = ["csv", "json"];

    /// The path, as it was given.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the points of these lines.
    ///
    /// # Errors
    /// Those of [`whole_file::write`].
    pub(super) fn write(&self, plan: &Plan, lines: &[PlottedCurve]) -> anyhow::Result<()> {
        let points: Vec<Point<'_>> = lines.iter().flat_map(|line| of_line(plan, line)).collect();
        let text = if self.json {
            json_line(
                "circuit plot",
                &Report {
                    y: plan.y,
                    points: &points,
                },
            )? + "\n"
        } else {
            csv(plan.y, &points)
        };
        whole_file::write(&self.path, |file| file.write_all(text.as_bytes()))
    }
}

fn of_line<'a>(plan: &'a Plan, line: &'a PlottedCurve) -> impl Iterator<Item = Point<'a>> {
    // A netlist without a place is one point, though it is drawn as a line.
    let count = if line.level { 1 } else { line.points.len() };
    line.points.iter().take(count).map(move |&(number, value)| {
        let deal = (!line.level).then(|| plan.along.deal(number));
        Point {
            curve: &line.name,
            kind: line.kind,
            cards: deal.map(|(cards, _)| cards),
            draw: deal.map(|(_, draw)| draw),
            checked: plan.checked && line.kind == "shuffle",
            value,
        }
    })
}

fn csv(y: Y, points: &[Point<'_>]) -> String {
    let number = |number: Option<usize>| number.map_or(String::new(), |number| number.to_string());
    let head = format!("curve,kind,cards,draw,checked,{}\n", y.words().column);
    let rows = points.iter().map(|point| {
        let Point {
            curve,
            kind,
            checked,
            value,
            ..
        } = point;
        let (cards, draw) = (number(point.cards), number(point.draw));
        // The name of a file may hold a comma.
        let curve = csv_cell(curve);
        format!("{curve},{kind},{cards},{draw},{checked},{value}\n")
    });
    std::iter::once(head).chain(rows).collect()
}
