//! The buttons below a reply. Those on a card are the policy's.

use turnwise_proto::{
    explain::v1::{TurnFacts, TurnTexts},
    tutor::v1::{Button, ClientEventKind},
};

use crate::open_card;

/// Whether a button chooses what the message is about.
pub(super) fn is_choice(button: &Button) -> bool {
    let event = button.event.as_ref();
    event.is_some_and(|event| event.kind() == ClientEventKind::ChooseUnit)
}

/// The buttons below the turn's reply: first the one that checks what was typed. It has the token of the drill that it
/// answers, and so has the one that asks for a hint, unless the reply sets a card. An answer has one primary button: its
/// card's, else the first below it.
pub(super) fn below(
    facts: &TurnFacts,
    texts: &TurnTexts,
    typed: Option<Button>,
    others: Vec<Button>,
) -> Vec<Button> {
    let card = texts.reply.as_ref().and_then(|reply| reply.card.as_ref());
    let on_card = card.is_some_and(|card| card.buttons.iter().any(|button| button.primary));
    let open = open_card::open(facts, texts);
    let token = open.map_or("", open_card::token);
    let typed = typed.filter(|_| open.is_some()).map(|button| Button {
        card_token: token.to_owned(),
        ..button
    });
    let mut buttons: Vec<Button> = typed.into_iter().chain(others).collect();
    for (at, button) in buttons.iter_mut().enumerate() {
        button.primary = at == 0 && !on_card;
        if let (None, Some(open), Some(event)) = (card, open, button.event.as_mut())
            && event.kind() == ClientEventKind::StuckHint
            && event.unit_id == open.unit_id
        {
            token.clone_into(&mut event.card_token);
        }
    }
    buttons
}
