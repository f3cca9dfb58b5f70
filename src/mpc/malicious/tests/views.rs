//! Tests that a party cannot compute, from its view of a session, a bit that it must not know. Such
//! bits are: a bit of the other party's inputs, of an output that is not opened to this party, or
//! of a wire between the gates; a sum of such bits; or a bit of the other party's Delta. The tests
//! check that no such bit is an affine combination over F2, the same in many runs, of all bits that
//! the party sent, received, entered and learned, and of its shares of masks and triples.
//!
//! The *ledger* lists, for each wire, whether a party knows the masked value and each of the two
//! shares of the mask; the XOR of all three is the value. The test computes the ledger: a party
//! knows a bit if it is a combination of the bits that the party has. Each wire here has two masks,
//! each with its own masked value: the mask in the run, and the fresh mask of the output.
//!
//! Each test also gives the parties further bits, and must then find a leak. The tests are in this
//! folder and not in the integration tests because they need a party's shares.

use std::slice;

use rand::rngs::ChaCha20Rng;
use rand::{RngExt, SeedableRng};

use crate::circuit::{Builder, ByParty, Circuit, Output, Ownership, Party};
use crate::crypto::{Block, SecretVec, linear};
use crate::mpc::layout::{Entered, Wires};
use crate::mpc::malicious::leaky_and::Triple;
use crate::mpc::malicious::pool::PROOF_BITS;
use crate::mpc::malicious::share::Share;
use crate::mpc::malicious::{AuthenticatedBit, Malicious, outputs};
use crate::mpc::walk::Part;
use crate::mpc::{Audience, Demand, Input, Opening, Run as CircuitRun, TwoParty};
use crate::testing::affine::{Samples, Span};
use crate::testing::circuits::bits;
use crate::testing::session::system_rng;
use crate::testing::view::{bits_of_block, sessions_with_taps};

type Session = Malicious;

/// The wires of the circuit: the inputs `A0`, `A1` of the garbler and `B0`, `B1` of the evaluator;
/// `S = A0 A1` and `T = B0 B1`, which the parties own; `P = A0 B0`, `Q = A1 B1`, `Left = A0 ^ B1`,
/// `Right = P ^ B0 ^ S ^ T`, `R = Left Right`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    A0,
    A1,
    B0,
    B1,
    S,
    T,
    P,
    Q,
    Left,
    Right,
    R,
}
use Wire::{A0, A1, B0, B1, Left, P, Q, R, Right, S, T};

const WIRES: [Wire; 11] = [A0, A1, B0, B1, S, T, P, Q, Left, Right, R];

/// The wires whose labels are not sums of other labels.
const LABELLED: [Wire; 9] = [A0, A1, B0, B1, S, T, P, Q, R];

/// The inputs of the joint AND gates.
const OPERANDS: [Wire; 6] = [A0, B0, A1, B1, Left, Right];

/// The wires that honest parties open, with the party that learns them.
const DUE: [(Wire, Party); 2] = [(P, Party::Garbler), (Q, Party::Evaluator)];

/// The circuit of the tests. Each wire is an output, so that the test can read its share. For a
/// party, an output that is not opened is like any wire between the gates.
fn circuit() -> Circuit {
    let mut builder = Builder::new(&[2, 2]);
    let (a, b) = (builder.input(0), builder.input(1));
    let p = builder.and(a[0], b[0]);
    let q = builder.and(a[1], b[1]);
    let [s, t] = [&a, &b].map(|x| builder.and(x[0], x[1]));
    let (left, right) = (builder.xor(a[0], b[1]), builder.xor(p, b[0]));
    let own = builder.xor(s, t);
    let right = builder.xor(right, own);
    let r = builder.and(left, right);
    let wires = [a[0], a[1], b[0], b[1], s, t, p, q, left, right, r];
    let circuit = builder.build(wires.map(|wire| vec![wire]).to_vec());
    assert_eq!(2 * Demand::of(&circuit).ands, OPERANDS.len());
    circuit
}

/// The party that enters a wire.
fn owner(wire: Wire) -> Option<Party> {
    match wire {
        A0 | A1 | S => Some(Party::Garbler),
        B0 | B1 | T => Some(Party::Evaluator),
        _ => None,
    }
}

/// The wires that a party must not know. No wire in the list is a sum of other wires in the list
/// and of wires that the party may know.
fn secrets_from(party: Party) -> [Wire; 5] {
    match party {
        Party::Garbler => [B0, B1, T, Q, R],
        Party::Evaluator => [A0, A1, S, P, R],
    }
}

pub(in crate::mpc::malicious) fn bits_of_share(share: Share) -> impl Iterator<Item = bool> {
    [share.mac.0, share.key.0]
        .into_iter()
        .flat_map(bits_of_block)
        .chain([share.bit.reveal()])
}

/// The data that a party has for its next run before it sends anything.
struct Ahead {
    triples: Vec<Triple>,
    /// The shares of the inputs and of the products of each party.
    entered: [Vec<Share>; 2],
    /// The bits, MACs and keys that mask the proof of each party, each mapped to one block. They
    /// are used for nothing else.
    voles: [[Block; 3]; 2],
    /// The masks of the joint AND gates.
    and_masks: Vec<Share>,
    /// Both parties' pads for outputs.
    pads: Vec<bool>,
}

impl Ahead {
    fn of(session: &Session, circuit: &Circuit) -> Self {
        let secrets = session.live.secrets().unwrap();
        let (pool, context) = (&secrets.pool, &secrets.context);
        let demand = Demand::of(circuit);
        // The bits taken first are last in the list.
        let of_owner = Party::BOTH.map(|owner| {
            let next = pool.next_inputs(owner, demand.inputs[owner] + PROOF_BITS);
            let (vole, entered) = next.split_at(PROOF_BITS);
            (vole.to_vec(), entered.to_vec())
        });
        let pads = Party::BOTH
            .map(|sender| outputs::pads(context, secrets.runs, sender, circuit.output_wires()));
        Ahead {
            triples: pool.next_triples(demand.ands),
            entered: of_owner.each_ref().map(|(_, entered)| entered.clone()),
            voles: of_owner.map(|(vole, _)| {
                let map = |of: fn(&Share) -> Block| linear(vole.iter().map(of));
                [
                    map(|share| Block::ONE.select(share.bit)),
                    map(|share| share.mac.0),
                    map(|share| share.key.0),
                ]
            }),
            and_masks: pool.next_bits(demand.ands),
            pads: (pads.iter().flat_map(|pads| pads.iter()))
                .map(|pad| pad.reveal())
                .collect(),
        }
    }

    fn shares(&self) -> impl Iterator<Item = Share> {
        let triples = (self.triples.iter()).flat_map(|triple| [triple.x, triple.y, triple.z]);
        triples
            .chain(self.entered.iter().flatten().copied())
            .chain(self.and_masks.iter().copied())
    }

    /// The bits that are not shares: the pads, and the blocks that mask the proofs. `of_block`
    /// selects the bits of each block.
    fn known(&self, of_block: fn(Block) -> Vec<bool>) -> impl Iterator<Item = bool> {
        let blocks = self.voles.as_flattened().iter();
        blocks
            .flat_map(move |block| of_block(*block))
            .chain(self.pads.iter().copied())
    }

    /// This party's shares of the masks of the outputs in the run.
    fn masks(&self, circuit: &Circuit) -> Vec<bool> {
        let owners = Ownership::of(circuit, Party::BOTH.map(Some));
        let slots = owners.slots(circuit);
        let [garblers, evaluators] = Party::BOTH.map(|owner| {
            let inputs = circuit.inputs()[owner as usize];
            self.entered[owner as usize].split_at(inputs)
        });
        let entered = Entered {
            inputs: SecretVec::concat(&[garblers.0, evaluators.0]),
            products: ByParty {
                garbler: SecretVec::concat(&[garblers.1]),
                evaluator: SecretVec::concat(&[evaluators.1]),
            },
        };
        let mut masks = Wires::new(entered, slots);
        masks.fill_masks(&Part::whole(circuit, &owners, slots), &self.and_masks);
        circuit
            .outputs()
            .iter()
            .flatten()
            .map(|output| match output {
                Output::Wire(wire) => masks.held[slots.of(wire.index())].bit.reveal(),
                Output::Const(_) => panic!("every output is a wire"),
            })
            .collect()
    }
}

/// The data that the test records at one party for each run, for each of [`WIRES`] and
/// [`OPERANDS`].
struct Run {
    values: [bool; WIRES.len()],
    /// This party's shares of the masks in the run.
    masks: [bool; WIRES.len()],
    /// This party's shares of the fresh masks of outputs.
    fresh: [bool; WIRES.len()],
    /// The values XOR the fresh masks.
    masked: [bool; WIRES.len()],
    /// This party's shares of `x` and `y` of each triple, which mask the operands.
    blinds: [bool; OPERANDS.len()],
}

/// Selects a party's shares of one of the two masks of all wires.
type Masks = fn(&Run) -> [bool; WIRES.len()];

/// The masks in the run, and the fresh masks.
const BOTH_MASKS: [Masks; 2] = [|run| run.masks, |run| run.fresh];

/// The views of both parties in many runs of one session.
struct Views {
    /// The bits that each party can compute.
    spans: [Span; 2],
    /// The data that the test has recorded at each party.
    runs: [Vec<Run>; 2],
}

/// The views of the garbler and the evaluator in runs in which they open these wires.
fn views(opened: &[(Wire, Party)]) -> Views {
    const RUNS: usize = 10_900;
    let circuit = circuit();
    let seed: u64 = system_rng().random();
    let [garbler, evaluator] = sessions_with_taps(|session: &mut Session, tap| {
        let me = session.role();
        session.prepare(Demand::of(&circuit).times(RUNS)).unwrap();
        tap.payloads();
        let mut coins = ChaCha20Rng::seed_from_u64(seed);
        let (mut held, mut runs) = (Samples::default(), Vec::new());
        for _ in 0..RUNS {
            let entered = [bits(&mut coins, 2), bits(&mut coins, 2)];
            let ahead = Ahead::of(session, &circuit);
            let run = CircuitRun::new(&circuit, &Input::ONE_EACH, &entered[me as usize]);
            let shared: Vec<AuthenticatedBit> = session.run(run).unwrap().bits().to_vec();
            let openings: Vec<_> = (opened.iter())
                .map(|&(wire, learner)| Opening {
                    to: Audience::Only(learner),
                    bits: slice::from_ref(&shared[wire as usize]),
                })
                .collect();
            let learned = session.open(&openings).unwrap();

            let mut bits = entered[me as usize].clone();
            bits.extend(learned.iter().flatten().flatten());
            bits.extend(tap.bits());
            bits.extend(ahead.known(|block| bits_of_block(block).collect()));
            let labels = LABELLED.map(|wire| shared[wire as usize].held.label.block());
            bits.extend(labels.into_iter().flat_map(bits_of_block));
            let fresh = shared.iter().map(|bit| bit.held.mask);
            bits.extend(ahead.shares().chain(fresh).flat_map(bits_of_share));
            held.add_run(bits);
            let values = circuit.evaluate(&entered).unwrap().concat();
            let blinds = ahead.triples.iter().flat_map(|triple| [triple.x, triple.y]);
            let blinds: Vec<bool> = blinds.map(|share| share.bit.reveal()).collect();
            runs.push(Run {
                values: values.try_into().unwrap(),
                masks: ahead.masks(&circuit).try_into().unwrap(),
                fresh: WIRES.map(|wire| shared[wire as usize].held.mask.bit.reveal()),
                masked: WIRES.map(|wire| shared[wire as usize].held.masked),
                blinds: blinds.try_into().unwrap(),
            });
        }
        (Span::of(&held), runs)
    });
    let [(span_a, runs_a), (span_b, runs_b)] = [garbler, evaluator];
    for (a, b) in runs_a.iter().zip(&runs_b) {
        for wire in WIRES.map(|wire| wire as usize) {
            let value = a.masked[wire] ^ a.fresh[wire] ^ b.fresh[wire];
            assert_eq!((a.masked[wire], a.values[wire]), (b.masked[wire], value));
        }
    }
    Views {
        spans: [span_a, span_b],
        runs: [runs_a, runs_b],
    }
}

impl Views {
    fn table<const N: usize>(&self, party: Party, of: impl Fn(&Run) -> [bool; N]) -> Samples {
        let mut table = Samples::default();
        for run in &self.runs[party as usize] {
            table.add_run(of(run));
        }
        table
    }

    /// The masked values of the wires under the given masks.
    fn masked(&self, masks: Masks) -> Samples {
        let mut table = Samples::default();
        for (a, b) in self.runs[0].iter().zip(&self.runs[1]) {
            let shares = [masks(a), masks(b)];
            let masked = |i| a.values[i] ^ shares[0][i] ^ shares[1][i];
            table.add_run(WIRES.map(|wire| masked(wire as usize)));
        }
        table
    }

    /// The first wire that a party can compute and must not know.
    fn leak(&self, party: Party) -> Option<Wire> {
        self.leak_in(party, &self.spans[party as usize])
    }

    /// Like [`leak`](Self::leak), if the party also knows the bit `more` of the other party in each
    /// run.
    fn leak_with(&self, party: Party, more: impl Fn(&Run) -> bool) -> Option<Wire> {
        let more = self.table(party.other(), |run| [more(run)]);
        self.leak_in(party, &self.spans[party as usize].clone().with(&more))
    }

    fn leak_in(&self, party: Party, span: &Span) -> Option<Wire> {
        let secrets = secrets_from(party);
        span.leak(&self.table(party, |run| secrets.map(|wire| run.values[wire as usize])))
            .map(|i| secrets[i])
    }

    /// For each wire and each of its masks, whether a party knows the masked value, its own share
    /// of the mask, and the other party's share.
    fn ledger(&self, party: Party) -> Vec<(Wire, [[bool; 3]; 2])> {
        let span = &self.spans[party as usize];
        let known = BOTH_MASKS.map(|masks| {
            let tables = [
                self.masked(masks),
                self.table(party, masks),
                self.table(party.other(), masks),
            ];
            tables.map(|bits| span.knows(&bits))
        });
        let of = |i: usize| {
            known
                .each_ref()
                .map(|bits| bits.each_ref().map(|bits| bits[i]))
        };
        WIRES.map(|wire| (wire, of(wire as usize))).to_vec()
    }
}

/// The ledger of a party that knows the other party's shares of the masks of these wires only.
fn ledger_of(known: impl Fn(Wire) -> bool) -> Vec<(Wire, [[bool; 3]; 2])> {
    WIRES
        .map(|wire| (wire, [[true, true, known(wire)]; 2]))
        .to_vec()
}

/// Whether a party may know a wire: it is the party's input, or it is opened to the party.
fn is_due(wire: Wire, party: Party, opened: &[(Wire, Party)]) -> bool {
    owner(wire) == Some(party) || opened.contains(&(wire, party))
}

#[test]
fn no_party_can_compute_a_secret_wire() {
    let views = views(&DUE);
    for party in Party::BOTH {
        assert_eq!(views.leak(party), None);
        let due = |wire| is_due(wire, party, &DUE);
        assert_eq!(views.ledger(party), ledger_of(due));

        // A leak is found if the party also knows the other party's share of a wire's mask, or of
        // the mask of an AND gate's operand.
        for wire in WIRES {
            for masks in BOTH_MASKS {
                let leak = views.leak_with(party, |run| masks(run)[wire as usize]);
                assert_eq!(leak.is_none(), due(wire), "{party}: a mask of {wire:?}");
            }
        }
        for (i, wire) in OPERANDS.into_iter().enumerate() {
            let leak = views.leak_with(party, |run| run.blinds[i]);
            assert_eq!(leak.is_none(), due(wire), "{party}: the blind of {wire:?}");
        }
    }
}

#[test]
fn opening_an_output_that_is_not_due_is_detected_in_the_learners_view() {
    for learner in Party::BOTH {
        let opened = [DUE[0], DUE[1], (R, learner)];
        let views = views(&opened);
        for party in Party::BOTH {
            assert_eq!(views.leak(party), (party == learner).then_some(R));
            assert_eq!(
                views.ledger(party),
                ledger_of(|wire| is_due(wire, party, &opened))
            );
        }
    }
}

/// Here both shares of each input's mask are opened to both parties, and not only to the party that
/// enters the input.
#[test]
fn opening_the_masks_of_inputs_to_both_parties_is_detected_in_both_views() {
    let inputs = [A0, A1, B0, B1];
    let to_both = inputs.map(|wire| Party::BOTH.map(|party| (wire, party)));
    let views = views(&[&DUE, to_both.as_flattened()].concat());
    for (party, first, known) in [
        // The party also knows the wires opened to it, and sums of the wires that it knows.
        (Party::Garbler, B0, &[S, P, Left][..]),
        (Party::Evaluator, A0, &[T, Q, Left]),
    ] {
        assert_eq!(views.leak(party), Some(first));
        assert_eq!(
            views.ledger(party),
            ledger_of(|wire| inputs.contains(&wire) || known.contains(&wire))
        );
    }
}

/// The first 8 bits of a block. A test over many sessions would take too long with all bits, and
/// all operations treat the bits of a block alike.
fn few_bits_of_block(block: Block) -> impl Iterator<Item = bool> {
    bits_of_block(block).take(8)
}

/// Records of runs in many sessions: a party's view, with some bits of each block; its Delta; and
/// the two possible MACs of the other party's share of a mask.
#[derive(Default)]
struct Sessions {
    held: Samples,
    delta: Samples,
    macs: Samples,
}

fn many_sessions() -> [Sessions; 2] {
    const SESSIONS: usize = 120;
    const RUNS: usize = 5;
    let mut builder = Builder::new(&[2, 2]);
    let (a, b) = (builder.input(0), builder.input(1));
    let [s, t] = [&a, &b].map(|x| builder.and(x[0], x[1]));
    let p = builder.and(s, t);
    let circuit = builder.build(vec![vec![s], vec![t], vec![p]]);
    let mut both = [Sessions::default(), Sessions::default()];
    for _ in 0..SESSIONS {
        let sides = sessions_with_taps(|session: &mut Session, tap| {
            session.prepare(Demand::of(&circuit).times(RUNS)).unwrap();
            tap.payloads();
            let run = |_| {
                let entered = bits(&mut system_rng(), 2);
                let ahead = Ahead::of(session, &circuit);
                let delta = session.live.secrets().unwrap().pool.delta().block();
                let run = CircuitRun::new(&circuit, &Input::ONE_EACH, &entered);
                let shared = session.run(run).unwrap().bits().to_vec();
                let to = Audience::Only(Party::Garbler);
                let bits = &shared[2..];
                let learned = session.open(&[Opening { to, bits }]).unwrap();

                let mut held = entered;
                held.extend(learned.iter().flatten().flatten());
                // A message of fewer than 9 bits has all of them in the first byte.
                for payload in tap.payloads() {
                    held.extend(
                        payload
                            .chunks(16)
                            .flat_map(|chunk| few_bits_of_block(Block::from([chunk[0]; 16]))),
                    );
                }
                held.extend(few_bits_of_block(delta));
                held.extend(ahead.known(|block| few_bits_of_block(block).collect()));
                let masks = shared.iter().map(|bit| bit.held.mask);
                for share in masks.chain(ahead.shares()) {
                    held.push(share.bit.reveal());
                    held.extend(
                        [share.mac.0, share.key.0]
                            .into_iter()
                            .flat_map(few_bits_of_block),
                    );
                }
                held.extend(
                    shared
                        .iter()
                        .flat_map(|bit| few_bits_of_block(bit.held.label.block())),
                );
                let key = shared[0].held.mask.key.0;
                (held, delta, [key, key ^ delta])
            };
            (0..RUNS).map(run).collect::<Vec<_>>()
        });
        for (party, runs) in both.iter_mut().zip(sides) {
            for (held, delta, macs) in runs {
                party.held.add_run(held);
                // The lowest bits of the Deltas are fixed.
                party.delta.add_run(few_bits_of_block(delta).skip(1));
                party
                    .macs
                    .add_run(macs.into_iter().flat_map(few_bits_of_block));
            }
        }
    }
    both
}

#[test]
fn no_party_can_compute_a_bit_of_the_other_delta_without_both_macs_of_a_bit() {
    let [garbler, evaluator] = many_sessions();
    for (me, other) in [(&garbler, &evaluator), (&evaluator, &garbler)] {
        let span = Span::of(&me.held);
        assert_eq!(span.leak(&other.delta), None);
        assert_eq!(span.with(&other.macs).leak(&other.delta), Some(0));
    }
}
