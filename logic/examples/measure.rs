use dealerless::circuit::bristol::Netlist;
use dealerless::circuit::{Gate, Output, Party, Wire};
use dealerless_logic::draws::*;
use rand::{RngExt, SeedableRng};
use std::time::Instant;

fn main() {
    let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(1);
    let args: Vec<String> = std::env::args().collect();
    let vary: usize = args[1].parse().unwrap();
    let (netlist, garbler) = if args[2].ends_with(".txt") {
        let text = std::fs::read(&args[2]).unwrap();
        let n = Netlist::parse(&text, None).unwrap();
        let g = n.inputs()[0];
        (n, g)
    } else {
        let gates: usize = args[2].parse().unwrap();
        let out: usize = args[3].parse().unwrap();
        let bits = vary + 10;
        let mut list = vec![];
        for place in bits..bits + gates {
            let w = |rng: &mut rand::rngs::ChaCha8Rng| {
                let r = rng.random_range(place.saturating_sub(40)..place);
                Wire::new(if rng.random() {
                    r
                } else {
                    rng.random_range(0..place)
                })
            };
            let (a, b) = (w(&mut rng), w(&mut rng));
            list.push(match rng.random_range(0..3) {
                0 => Gate::And(a, b),
                _ => Gate::Xor(a, b),
            });
        }
        let all = bits + gates;
        let outs: Vec<Output> = (0..out)
            .map(|i| Output::Wire(Wire::new(all - 1 - i)))
            .collect();
        (Netlist::new(vec![vary, 10], &list, &[outs]), vary)
    };
    let total: usize = netlist.inputs().iter().sum();
    let entries = (0..total)
        .map(|w| {
            Entry::Of(if w < garbler {
                Party::Garbler
            } else {
                Party::Evaluator
            })
        })
        .collect();
    let shuffle = Shuffle::new(&netlist, entries, vec![]);
    let layout = if args[2].ends_with(".txt") {
        Layout::infer(&shuffle, &Samples::new(&shuffle, &mut rng).unwrap()).unwrap()
    } else {
        Layout {
            cards: vec![netlist.outputs()[0]..0; 0]
                .into_iter()
                .chain([0..netlist.outputs()[0]])
                .collect(),
            valid: vec![],
        }
    };
    println!(
        "{} gates, cards {:?} valid {:?}",
        netlist.gates(),
        layout.cards.len(),
        layout.valid
    );
    let space = shuffle.any_bits(&[Party::Evaluator]);
    let fixed = Fixed::Random {
        seed: 1,
        count: args.last().unwrap().parse().unwrap(),
    };
    let t = Instant::now();
    let f = shuffle.examine(
        &layout,
        &[Party::Garbler],
        (&space, &fixed),
        Deck::AtLeast(&[]),
        &|_| (),
    );
    println!("{:?}", t.elapsed());
    match f {
        Ok(f) => println!(
            "{} evals rejected {} valid {:?} each {:?} cx {}",
            f.evaluations,
            f.rejected,
            f.valid,
            f.each,
            f.counterexample.is_some()
        ),
        Err(e) => println!("{e}"),
    }
}
