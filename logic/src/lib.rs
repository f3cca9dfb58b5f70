//! Makes Boolean circuits smaller, and proves that two circuits compute the same function.
//!
//! XOR and NOT are free in garbled circuits, so the cost of a circuit is its number of ANDs. The
//! smallest number of ANDs with which a function can be computed is its *multiplicative
//! complexity*.

pub mod classes;
mod cones;
mod forms;
pub mod function;
mod graph;
mod rewrite;

pub use graph::Size;

pub fn optimise(netlist: &dealerless::circuit::bristol::Netlist) -> dealerless::circuit::bristol::Netlist {
    let mut graph = graph::Recorder::record(netlist);
    eprintln!("start {:?}", graph.size());
    let mut pass = 0;
    loop {
        let t = std::time::Instant::now();
        let Some(next) = rewrite::rewrite(&graph) else { eprintln!("{:?}", t.elapsed()); break };
        pass += 1;
        eprintln!("pass {pass} {:?} {:?}", next.size(), t.elapsed());
        graph = next;
    }
    graph.netlist()
}
