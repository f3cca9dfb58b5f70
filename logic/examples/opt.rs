//! Scratch.
use dealerless::circuit::bristol::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n = Netlist::parse(&std::fs::read(&a[1]).unwrap(), None).unwrap();
    let t = std::time::Instant::now();
    let s = n.structure(None);
    println!("{} in: {} {}", a[1], s.and, s.gates());
    let o = dealerless_logic::optimise(&n, &W(std::time::Instant::now()));
    let s = o.structure(None);
    println!("{} out: {} {}  {:?}", a[1], s.and, s.gates(), t.elapsed());
    let mut x = 1u64;
    let mut word = || { x ^= x << 13; x ^= x >> 7; x ^= x << 17; x };
    let d = first_difference(&n, &o, Inputs::Some { random: 4096, word: &mut word }, |_| ()).unwrap();
    assert!(d.is_none(), "DIFFERENT");
    if let Some(p) = a.get(2) { o.write(std::fs::File::create(p).unwrap()).unwrap(); }
}

struct W(std::time::Instant);
impl dealerless_logic::Watch for W {
    fn begin(&self, _: dealerless_logic::Pass, _: usize) {}
    fn end(&self, p: dealerless_logic::Pass, s: dealerless_logic::Size) { eprintln!("{:?} {:?} {:?}", self.0.elapsed(), p, s); }
}
