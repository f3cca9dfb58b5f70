"""Cards opened by agreement: a deck without rules, dice, and boards of bridge."""

import re

from case import Case

DECK = "A deck without rules, and dice"
CARD = r"(ace|king|queen|jack|ten|nine|eight|seven|six|five|four|three|two) of (clubs|diamonds|hearts|spades)"


def card_of(name):
    """The card in the name of a cell."""
    return re.search(CARD, name)[0]


class Open(Case):
    def test_cards_are_opened_and_dice_are_rolled(self):
        anna, bert = self.two_at_a_table(DECK, Cards_that_can_be_opened="6")
        anna.press("To you")
        anna.press("Card 1: closed.*")
        anna.press("To all")
        anna.press("Card 2: closed.*")
        anna.picture("deck-proposing")
        anna.press("Propose")
        bert.reads("Anna proposes to open card 1 to Anna, card 2 to all")
        bert.press("Agree")
        both = card_of(anna.name("button", f"Card 2: {CARD}, seen by all.*"))
        bert.find("button", f"Card 2: {both}, seen by all.*")
        mine = card_of(anna.name("button", f"Card 1: {CARD}, seen by only you.*"))
        bert.find("button", "Card 1: closed; Anna holds it.*")

        # `press` waits for the turn of each player.
        anna.fill("Dice", "3")
        anna.press("Roll")
        rolled = anna.reads(r"You roll 3d6: (\d+)")[1]
        bert.reads(f"Anna rolls 3d6: {rolled}")
        bert.press("Draw card 3")
        drawn = card_of(bert.name("button", f"Card 3: {CARD}, seen by only you.*"))
        anna.press(f"Show: {mine}")
        bert.find("button", f"Card 1: {mine}, seen by all; Anna holds it.*")
        bert.press(f"Lay down: {drawn}")
        anna.find("button", f"Card 3: {drawn}, seen by all.*")
        anna.picture("deck")

        anna.press("Pass")
        anna.press("Pass")  # Confirms.
        bert.press("Pass")
        bert.press("Pass")
        for browser in (anna, bert):
            browser.reads("played to its end")

    def test_bridge_board_is_opened_to_all(self):
        anna, bert = self.two_at_a_table("Boards of bridge", Boards="3")
        seal = anna.reads(r"\b[0-9a-f]{64}\b")[0]
        bert.reads(seal)
        anna.fill("Boards.*", "2")
        anna.press("Propose")
        bert.reads("Anna proposes to open board 2 to all")
        bert.press("Agree")
        hands = []
        for browser in (anna, bert):
            browser.reads("Closed: 1, 3")
            board = browser.find("li", "Board 2.*")
            hands.append(board.text)
            cards = re.findall(r"[♠♥♦♣]\ufe0e?\s*(?:spades|hearts|diamonds|clubs)?\s*([AKQJ0-9]*)", board.text)
            self.assertEqual(len(cards), 16, board.text)
            self.assertEqual(len("".join(cards).replace("10", "T")), 52, board.text)
        self.assertEqual(hands[0], hands[1])
        anna.picture("boards")
