//! The known attacks on the verifiable deck. Each of them is refused by all checks together, and
//! succeeds without the one check that is named with it.
//!
//! Each field of a hash whose omission has an attack is in this list as well. The other fields are
//! defence in depth: something else that is checked already binds them, so their omission has no attack
//! of its own. The known answers notice it, but for `shuffle batch`, whose weights are never sent. These
//! fields are:
//!
//! | hash | fields | also bound by |
//! |---|---|---|
//! | `dkg commit` | match, seat, proof | the proof of possession in the dealing, with match and seat |
//! | `dkg pad` | match | the key: `e` is drawn for one match |
//! | `dkg dleq` | match, seat, `Y`, `B` | the keys of step 1, which are fixed before a complaint |
//! | `roster` | match, `n`, `M`, `E` | the match and the steps of the keys, which are in the context |
//! | `shuffle` | `N` | the length of the decks |
//! | `shuffle c` | `d`, `c`; `C` | `u`, which is computed from them; the links `T`, which fix the chain |
//! | `shuffle batch` | context, `d` | the proof, whose `u` and `z` are computed from them |
//! | `open`, `open w`, `open c` | slots, decks | the equations, with `A` of each slot of these decks |
//! | `show`, `show w`, `show c` | receiver, cards, partials, decks | the equations, with `E`, `A`, `R` and `C` |
//!
//! The context is a field of each hash of shuffles, partials and shows. Without it, a part is valid at
//! each place for which its equations hold: `a_shuffle_is_valid_at_its_place_and_for_its_deck_only`.

const KEYS: &str = include_str!("../keys/tests.rs");
const PROOF: &str = include_str!("../shuffle/proof/tests.rs");
const SHUFFLE: &str = include_str!("../shuffle/tests.rs");
const PARTIALS: &str = include_str!("../partials/tests.rs");
const PARTIAL_ATTACKS: &str = include_str!("../partials/tests/attacks.rs");
const SHOW: &str = include_str!("../show/tests.rs");
const COIN: &str = include_str!("../coin/tests.rs");
const ALL: &str = include_str!("../tests.rs");
const ENCODINGS: &str = include_str!("encodings.rs");
const LEAVING: &str = include_str!("leaving.rs");

/// A file, a test in it, and the attacks that it shows, each with the check that prevents it.
type Shown = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const ATTACKS: [Shown; 24] = [
    // Keys.
    (
        KEYS,
        "a_key_made_from_those_of_the_others_reads_every_card_without_its_proof",
        &[(
            "the last seat makes the key of the deck its own",
            "proof of possession",
        )],
    ),
    (
        ALL,
        "a_proof_for_a_key_chosen_after_its_challenge_is_refused",
        &[(
            "a proof for a key that follows from the challenge",
            "the key in the hash of its proof",
        )],
    ),
    (
        ALL,
        "a_rogue_key_or_a_copied_one_has_no_proof_of_possession",
        &[(
            "a seat takes the key of another seat or match as its own",
            "match and seat in the hash of the proof of possession",
        )],
    ),
    (
        KEYS,
        "the_last_dealer_chooses_the_key_of_the_deck_without_the_commitments",
        &[(
            "the last seat tries keys until it likes that of the deck",
            "commitment to the dealing",
        )],
    ),
    (
        KEYS,
        "a_wrong_share_makes_its_receiver_a_cheat_if_it_does_not_complain",
        &[(
            "a wrong share, whose receiver is convicted by its partials",
            "check of shares",
        )],
    ),
    (
        KEYS,
        "keys_that_add_up_to_the_identity_are_refused",
        &[(
            "keys that add up to the identity, so that cards are not encrypted",
            "no key is the identity",
        )],
    ),
    (
        KEYS,
        "no_two_shares_are_encrypted_with_the_same_bytes",
        &[(
            "two shares of two seats for each other, encrypted with the same pad",
            "dealer and receiver in the hash of the pad",
        )],
    ),
    (
        KEYS,
        "a_false_complaint_convicts_an_honest_dealer_without_its_proof_or_a_field_of_its_hash",
        &[
            (
                "a wrong key of a pad convicts an honest dealer",
                "proof of a complaint",
            ),
            (
                "a key of a pad that follows from the challenge",
                "D in the hash of a complaint's proof",
            ),
            (
                "first messages of a complaint's proof that follow from its challenge",
                "T and T' in the hash of a complaint's proof",
            ),
        ],
    ),
    (
        LEAVING,
        "a_wrong_share_of_a_leaver_opens_nothing_and_is_refused",
        &[(
            "a seat leaves with another secret share, and cards open to nothing",
            "check of a published share",
        )],
    ),
    // Shuffles.
    (
        PROOF,
        "each_lie_breaks_its_equations_alone_and_is_refused",
        &[
            (
                "two cards times 3 and 1/3, in the commitments as well",
                "equation (1)",
            ),
            ("two cards mixed", "equation (2)"),
            (
                "two cards times 3 and 1/3, with commitments to a permutation",
                "equation (3)",
            ),
            ("a card in place of another one", "equation (4) with b"),
            ("a card that no key opens", "equation (4) with a"),
            (
                "two cards mixed, with a chain that ends well",
                "equation (5)",
            ),
        ],
    ),
    (
        PROOF,
        "each_lie_that_a_field_of_the_hashes_prevents_passes_without_that_field",
        &[
            (
                "commitments that are chosen when u is known",
                "c in the hash of u",
            ),
            (
                "a deck that is chosen when u is known",
                "d in the hash of u",
            ),
            (
                "an input deck that is chosen when u is known",
                "the input deck in d",
            ),
            (
                "an output deck that is changed when the responses are known",
                "the output deck in d",
            ),
            (
                "a link of the chain that is chosen when z is known",
                "T in the hash of z",
            ),
            (
                "a first message that is chosen when z is known",
                "t1 to t4a in the hash of z",
            ),
        ],
    ),
    (
        PROOF,
        "errors_that_cancel_under_weights_without_the_proof_are_refused",
        &[(
            "errors in two equations that cancel under known weights",
            "the proof in the hash of the weights",
        )],
    ),
    (
        SHUFFLE,
        "a_shuffle_is_valid_at_its_place_and_for_its_deck_only",
        &[(
            "a shuffle of another hand, seat, step, deck, chain, match or history",
            "the context in every hash",
        )],
    ),
    // In this group each encoding is that of a point of prime order.
    (
        ENCODINGS,
        "every_point_and_scalar_of_every_part_has_one_encoding_and_is_bound",
        &[(
            "points of small order, and two encodings of one point",
            "canonical encodings, and no identity",
        )],
    ),
    // Partials.
    (
        PARTIALS,
        "the_last_opener_cannot_choose_the_card",
        &[(
            "the last opener sees a card first, and opens another one",
            "proof of partials",
        )],
    ),
    (
        PARTIAL_ATTACKS,
        "a_copied_partial_opens_nothing_without_its_proof",
        &[(
            "the partial of another seat as one's own",
            "proof of partials",
        )],
    ),
    (
        PARTIAL_ATTACKS,
        "the_last_opener_spoils_or_chooses_a_card_if_a_field_of_the_hashes_is_left_out",
        &[
            (
                "errors in two partials that cancel under known weights",
                "o in the hash of the weights",
            ),
            ("a partial that follows from the challenge", "R and C in o"),
            ("the same, whatever its weight is", "o in the hash of z"),
            (
                "first messages of partials that follow from the challenge",
                "the first messages in the hash of z",
            ),
        ],
    ),
    (
        PARTIALS,
        "partials_for_one_seat_open_nothing_to_a_seat_that_has_not_given_one",
        &[(
            "a seat adds its own partial to those for another seat",
            "partials for one seat are encrypted",
        )],
    ),
    (
        PARTIAL_ATTACKS,
        "a_receiver_cannot_read_its_card_without_the_equation_of_the_mask",
        &[(
            "an R with which the receiver cannot read its card",
            "equation of R",
        )],
    ),
    (
        PARTIAL_ATTACKS,
        "one_seat_reads_a_closed_card_of_another_without_the_equation_of_the_mask",
        &[(
            "the R of another card, which is opened by the receiver's show",
            "equation of R",
        )],
    ),
    // Shows.
    (
        SHOW,
        "a_seat_cannot_show_another_card_than_it_holds",
        &[
            ("a seat shows another card than it holds", "proof of a show"),
            (
                "errors in two shown cards that cancel under known weights",
                "o in the hash of the weights",
            ),
        ],
    ),
    (
        SHOW,
        "a_seat_shows_no_card_or_another_one_if_a_field_of_the_hashes_is_left_out",
        &[
            ("a shown D that follows from the challenge", "D in o"),
            ("the same, whatever its weight is", "o in the hash of z"),
            (
                "first messages of a show that follow from the challenge",
                "the first messages in the hash of z",
            ),
        ],
    ),
    // Coins.
    (
        COIN,
        "coins_of_other_numbers_hands_and_keys_are_unrelated",
        &[(
            "a later coin is known when the first one is opened",
            "hand and number in the point of a coin",
        )],
    ),
    (
        COIN,
        "the_last_opener_cannot_choose_a_coin",
        &[(
            "the last opener tries partials until it likes the number",
            "proof of partials",
        )],
    ),
];

#[test]
fn each_attack_has_a_test() {
    for (file, test, attacks) in ATTACKS {
        let function = format!("#[test]\nfn {test}() {{");
        assert!(file.contains(&function), "{test}: {attacks:?}");
    }
}
