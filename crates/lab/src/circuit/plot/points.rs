//! The points of a plot as a CSV or JSON file.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use dealerless_command_line::output::{csv_cell, json_line};
use dealerless_command_line::whole_file;
use serde::Serialize;

use super::curve::Y;
use super::plan::Plan;
use super::scene::PlottedCurve;

/// A file for the points; its extension determines the format.
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
            _ => return Err("the file name must end in .csv or .json".into()),
        };
        Ok(PointsFile { path, json })
    }
}

/// The object of a `.json` file.
#[derive(Serialize)]
struct Report<'a> {
    y: Y,
    points: &'a [Point<'a>],
}

/// A circuit in the plot.
#[derive(Serialize)]
struct Point<'a> {
    curve: &'a str,
    /// `shuffle`, `comparison` or `netlist`.
    kind: &'static str,
    /// Null for a netlist without a position.
    cards: Option<usize>,
    draw: Option<usize>,
    checked: bool,
    value: usize,
}

impl PointsFile {
    /// The allowed file name extensions.
    pub(super) const ENDINGS: [&str; 2] = ["csv", "json"];

    /// The path as given.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the points of the curves.
    ///
    /// # Errors
    /// Same as [`whole_file::write`].
    pub(super) fn write(&self, plan: &Plan, curves: &[PlottedCurve]) -> anyhow::Result<()> {
        let points: Vec<Point<'_>> = curves
            .iter()
            .flat_map(|curve| points_of(plan, curve))
            .collect();
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

fn points_of<'a>(plan: &'a Plan, curve: &'a PlottedCurve) -> impl Iterator<Item = Point<'a>> {
    // A netlist without a position is one point, although it is drawn as a line.
    let count = if curve.level { 1 } else { curve.points.len() };
    curve
        .points
        .iter()
        .take(count)
        .map(move |&(number, value)| {
            let deal = (!curve.level).then(|| plan.along.deal(number));
            Point {
                curve: &curve.name,
                kind: curve.kind,
                cards: deal.map(|(cards, _)| cards),
                draw: deal.map(|(_, draw)| draw),
                checked: plan.checked && curve.kind == "shuffle",
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
        // The name of a file may contain a comma.
        let curve = csv_cell(curve);
        format!("{curve},{kind},{cards},{draw},{checked},{value}\n")
    });
    std::iter::once(head).chain(rows).collect()
}
