//! The hash by which a tournament is found again.

use prost::Message as _;

use super::{Digest, Player, Standings, TournamentSpec, engine::Hasher, wire};

/// Hash of the normalised specification and what it resolved to: the variant's definition and the engine versions.
///
/// Two files that say the same in another order or with defaults written out have the same hash; another build of the
/// built-in engine or another definition under the same variant id has another one.
pub fn spec_hash(spec: &TournamentSpec, variant: &Digest, players: &[Player]) -> Digest {
    let mut hash = Hasher::new("brouhaha tournament 1");
    // The message is written by field number and with sorted maps, so its bytes are a canonical form.
    let mut message = wire::spec_to_wire(spec);
    // What the format says anyway is left out, as files written before there were tie-breaks do.
    if spec.standings == Some(Standings::of_format(&spec.format.kind)) {
        message.standings = None;
    }
    hash.field(&message.encode_to_vec());
    hash.field(&variant.0);
    for player in players {
        hash.field(&player.id.0);
    }
    hash.finish()
}
