//! Starts an engine of its own process as a player, by the protocol that it speaks.

use super::child::{ChildProgram, Launch};
use super::uci::UciPlayer;
use super::xboard::XboardPlayer;
use super::{Control, Limit, Player, PlayerError};
use crate::config::Protocol;

/// Starts an engine and sets its options.
///
/// # Errors
/// As [`super::child::ChildPlayer::start`].
pub fn start(launch: Launch, control: &Control) -> Result<Box<dyn Player>, PlayerError> {
    Ok(match launch.program.command.protocol {
        Protocol::Uci => Box::new(UciPlayer::start(launch, control)?),
        Protocol::Xboard => Box::new(XboardPlayer::start(launch, control)?),
    })
}

/// Checks that the engine's protocol has words for a limit, before anything is started.
///
/// # Errors
/// [`PlayerError::Start`] says what it has instead.
pub fn check_limit(program: &ChildProgram, limit: &Limit) -> Result<(), PlayerError> {
    let refused = match program.command.protocol {
        Protocol::Uci => UciPlayer::refuses(limit),
        Protocol::Xboard => XboardPlayer::refuses(limit),
    };
    refused.map_or(Ok(()), |why| {
        Err(PlayerError::Start(format!(
            "engine `{}`: {why}",
            program.name
        )))
    })
}
