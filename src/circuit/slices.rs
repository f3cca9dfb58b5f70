//! Circuits that are built in slices and are never in memory as a whole.

use std::io::{self, BufWriter, Write};
use std::sync::mpsc::sync_channel;
use std::thread;

use super::bristol::{Operation, Step, write_header, write_step};
use super::builder::slices::Slice;
use super::structure::Tally;
use super::{Bit, Builder, Gate, Output, Party, Structure, Wire};

/// The number of finished slices that may wait until they are taken.
const WAITING: usize = 1;

/// A circuit that is rebuilt, slice by slice, for each operation on it.
pub(crate) struct Sliced<'a> {
    /// The number of bits of each input value.
    pub(crate) inputs: Vec<usize>,
    /// A slice ends at the first call of [`Builder::forget_others`] after this many gates.
    pub(crate) least: usize,
    /// Records the circuit and returns its output values.
    pub(crate) record: &'a (dyn Fn(&mut Builder) -> Vec<Vec<Bit>> + Sync),
}

impl Sliced<'_> {
    /// Counts the gates. `owners` gives the owner of each input value. After each slice, calls
    /// `progress` with the number of ANDs so far.
    pub(crate) fn structure(&self, owners: &[Party], mut progress: impl FnMut(usize)) -> Structure {
        let inputs: usize = self.inputs.iter().sum();
        let mut tally = Tally::new(&self.inputs, owners);
        let counted = self.each(|slice| {
            for &gate in &slice.gates {
                tally.add(gate);
            }
            tally.carry(&slice, inputs);
            progress(tally.ands());
            Ok(())
        });
        counted.expect("counting does not fail");
        tally.structure()
    }

    /// Writes the circuit as a Bristol Fashion netlist, given its `structure` and the `widths` of
    /// its output values. After each slice, calls `progress` with the number of ANDs written.
    ///
    /// The gates are written in the order in which they are recorded. Each output bit is set by an
    /// `EQ` or `EQW` at the end.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write(
        &self,
        structure: &Structure,
        widths: &[usize],
        writer: impl Write,
        mut progress: impl FnMut(usize),
    ) -> io::Result<()> {
        let mut out = BufWriter::new(writer);
        let inputs = self.inputs.iter().sum();
        let outputs: usize = widths.iter().sum();
        let gates = structure.gates() + outputs;
        write_header(&mut out, [gates, inputs + gates], &self.inputs, widths)?;
        // For each wire of the current slice, its number in the file.
        let mut numbers: Vec<Wire> = (0..inputs).map(Wire::new).collect();
        let mut wires = (inputs..).map(Wire::new);
        let mut write = |operation: Operation, numbers: &[Wire]| {
            let sets = wires.next().expect("the range is unbounded");
            let operation = operation.renumbered(numbers);
            write_step(&mut out, Step { operation, sets })?;
            io::Result::Ok(sets)
        };
        let mut ands = 0;
        let words = self.each(|slice| {
            for gate in &slice.gates {
                let sets = write(Operation::from(*gate), &numbers)?;
                numbers.push(sets);
                ands += usize::from(matches!(gate, Gate::And(..)));
            }
            slice.carry(&mut numbers, inputs);
            progress(ands);
            Ok(())
        })?;
        for output in words.iter().flatten() {
            write(Operation::from(*output), &numbers)?;
        }
        out.flush()
    }

    /// Builds the circuit in a separate thread and passes each slice to `take`. Returns the output
    /// values. Their wires are numbered as if one more slice followed.
    fn each(&self, mut take: impl FnMut(Slice) -> io::Result<()>) -> io::Result<Vec<Vec<Output>>> {
        let (sender, slices) = sync_channel(WAITING);
        thread::scope(|scope| {
            let builder = scope.spawn(move || {
                let mut builder = Builder::in_slices(&self.inputs, self.least, sender);
                let outputs = (self.record)(&mut builder);
                builder.finish(outputs)
            });
            // If `take` fails, the receiver is dropped and no more slices are built.
            let taken = slices.into_iter().try_for_each(&mut take);
            let outputs = builder.join();
            taken.map(|()| outputs.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }
}
