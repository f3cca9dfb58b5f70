//! The games that two honest parties play through a man in the middle: circuits that read their
//! inputs in various ways, and small decks.

use dealerless::circuit::{Bit, Builder, Circuit, Party};
use dealerless::deck::Result;
use dealerless::mpc::{Audience, Input, Words};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};

use super::session::{Engine, Player, Setup};

/// A game, and how thoroughly it is tested.
pub(crate) struct Game<E> {
    pub(crate) name: &'static str,
    pub(crate) setup: Setup,
    /// Whether all bits of messages of a few blocks are flipped, not only a sample of the bits. One
    /// thorough game is enough, since these messages hardly depend on the game.
    pub(crate) thorough: bool,
    pub(crate) play: fn(&mut Player<E>) -> Result<()>,
}

const GARBLER: Audience = Audience::Only(Party::Garbler);
const EVALUATOR: Audience = Audience::Only(Party::Evaluator);

fn game<E>(name: &'static str, play: fn(&mut Player<E>) -> Result<()>) -> Game<E> {
    Game {
        name,
        setup: Setup::Dealt,
        thorough: false,
        play,
    }
}

/// Returns the games. All but one use correlated OTs of a trusted dealer. The last one makes real
/// OTs and tests the setup.
pub(crate) fn games<E: Engine>() -> Vec<Game<E>> {
    vec![
        Game {
            thorough: true,
            ..game("XOR and AND", |player| once(player, mixed()).map(drop))
        },
        game("XOR only", |player| once(player, linear()).map(drop)),
        game("AND only", |player| once(player, products()).map(drop)),
        game("not read", |player| once(player, unread()).map(drop)),
        game("owned", |player| once(player, owned()).map(drop)),
        game("two circuits", chained),
        game("4 of 4, waksman", |player| {
            deal(player, Algorithm::Waksman, 4)
        }),
        game("4 of 4, cut", |player| deal(player, Algorithm::Cut, 4)),
        game("2 of 2, cut", |player| deal(player, Algorithm::Cut, 2)),
        Game {
            setup: Setup::Made,
            ..game("setup", |player| once(player, products()).map(drop))
        },
    ]
}

/// Returns two games that differ in a NOT before an output.
pub(crate) fn twins<E: Engine>() -> [Game<E>; 2] {
    fn sum(negated: bool) -> Circuit {
        circuit(|b, [a0, ..], [b0, ..]| {
            let (p, x) = (b.and(a0, b0), b.xor(a0, b0));
            let x = if negated { b.not(x) } else { x };
            [vec![p], vec![p], vec![x]]
        })
    }
    [
        game("a sum", |player| once(player, sum(false)).map(drop)),
        game("its negation", |player| once(player, sum(true)).map(drop)),
    ]
}

/// A circuit with three input bits of each party, and three output words.
fn circuit(outputs: impl FnOnce(&mut Builder, [Bit; 3], [Bit; 3]) -> [Vec<Bit>; 3]) -> Circuit {
    let mut builder = Builder::new(&[3, 3]);
    let [a, b] = [0, 1].map(|party| <[Bit; 3]>::try_from(&builder.input(party)[..]).unwrap());
    let words = outputs(&mut builder, a, b);
    builder.build(words.to_vec())
}

/// Inputs that only XORs read. Outputs that are inputs, negated inputs, constants, and duplicates.
fn linear() -> Circuit {
    let circuit = circuit(|b, [a0, a1, a2], [b0, b1, b2]| {
        let [x, y, z] = [b.xor(a0, b0), b.xor(a1, b0), b.xor(a1, b1)];
        let [not_y, not_b2] = [b.not(y), b.not(b2)];
        [
            vec![x, a2, not_b2],
            vec![not_y, b2, z],
            vec![x, z, z, Bit::ONE, a2, b2],
        ]
    });
    assert_eq!(circuit.ands(), 0);
    circuit
}

/// Inputs that only ANDs read. One AND reads each input.
fn products() -> Circuit {
    circuit(|b, a, c| {
        let words = [0, 1, 2].map(|i| vec![b.and(a[i], c[i])]);
        [words[0].clone(), words[1].clone(), words[2].clone()]
    })
}

/// Inputs that XORs read, inputs that ANDs read, and inputs that both read; and gates that read the
/// outputs of other gates.
fn mixed() -> Circuit {
    circuit(|b, [a0, a1, a2], [b0, b1, b2]| {
        let p = b.and(a0, b1);
        let [s, t] = [b.xor(p, a1), b.xor(b0, b1)];
        let q = b.and(s, t);
        let (u, not_q) = (b.xor(a0, b0), b.not(q));
        let [v, w] = [b.xor(q, b2), b.xor(a2, u)];
        [vec![v, u], vec![w, p, b0], vec![not_q, s, v, w]]
    })
}

/// Two inputs of each party that nothing reads.
fn unread() -> Circuit {
    circuit(|b, [a0, _, _], [_, b1, _]| {
        let (p, x) = (b.and(a0, b1), b.xor(a0, b1));
        [vec![p], vec![x], vec![Bit::ZERO, p]]
    })
}

/// ANDs that one party owns: two of the garbler and one of the evaluator. One of the garbler's ANDs
/// is also an output.
fn owned() -> Circuit {
    circuit(|b, [a0, a1, a2], [b0, b1, _]| {
        let first = b.and(a0, a1);
        let negated = b.not(first);
        let second = b.and(negated, a2);
        let other = b.and(b0, b1);
        let sum = b.xor(second, other);
        let joint = b.and(sum, b0);
        [vec![second, other], vec![joint], vec![first, sum, negated]]
    })
}

/// The expected output values of a game.
type Clear = Vec<Vec<bool>>;

/// Runs a circuit on inputs that both parties know, and opens its words to the garbler, the
/// evaluator and both. Returns the words and their expected values.
fn once<E: Engine>(player: &mut Player<E>, circuit: Circuit) -> Result<(Words<E::Shared>, Clear)> {
    let entered = [player.coins(3), player.coins(3)];
    let words = player.run(&circuit, &Input::ONE_EACH, &entered)?;
    let clear = circuit.evaluate(&entered).expect("inputs of the circuit");
    open_words(player, &words, &clear)?;
    Ok((words, clear))
}

fn open_words<E: Engine>(
    player: &mut Player<E>,
    words: &Words<E::Shared>,
    clear: &[Vec<bool>],
) -> Result<()> {
    let audiences = [GARBLER, EVALUATOR, Audience::Both];
    let openings: Vec<_> = (audiences.into_iter().zip(words.iter())).collect();
    Ok(player.open(&openings, clear)?)
}

/// Runs a circuit, and then a second circuit that reads outputs of the first and fresh inputs. Both
/// XORs and ANDs of the second circuit read these outputs.
fn chained<E: Engine>(player: &mut Player<E>) -> Result<()> {
    let (words, first) = once(player, linear())?;
    let mut builder = Builder::new(&[3, 3, 2, 2]);
    let [x, y, a, b] = [0, 1, 2, 3].map(|value| builder.input(value));
    let sums = [builder.xor(x[0], y[1]), builder.xor(x[1], a[0])];
    let products = [builder.and(x[2], y[0]), builder.and(y[2], b[0])];
    let rest = [builder.xor(a[1], b[1]), x[0]];
    let circuit = builder.build([sums, products, rest].map(Vec::from).to_vec());
    let fresh = [player.coins(2), player.coins(2)];
    let inputs = [
        Input::Shared(&words[0]),
        Input::Shared(&words[1]),
        Input::By(Party::Garbler),
        Input::By(Party::Evaluator),
    ];
    let second = player.run(&circuit, &inputs, &fresh)?;
    let [a, b] = fresh;
    let entered = [first[0].clone(), first[1].clone(), a, b];
    let clear = circuit.evaluate(&entered).expect("inputs of the circuit");
    open_words(player, &second, &clear)
}

/// Deals a whole deck, and opens some cards to one party and some to both parties.
fn deal<E: Engine>(player: &mut Player<E>, algorithm: Algorithm, cards: usize) -> Result<()> {
    let spec = Spec::new(cards, cards, algorithm).expect("a small deck");
    let mut deck = player.shuffle(&ShuffleCircuit::build_checked(spec))?;
    match cards {
        2 => player.open_cards(&mut deck, &[(0, GARBLER), (1, Audience::Both)]),
        _ => {
            player.open_cards(&mut deck, &[(0, GARBLER), (1, EVALUATOR)])?;
            player.open_cards(&mut deck, &[(2, Audience::Both), (3, GARBLER)])
        }
    }
}
