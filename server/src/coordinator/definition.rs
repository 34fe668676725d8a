//! What is fixed about a tournament: its specification, players, plan and batches.

use proto::{store::TournamentCreated, v1};

use crate::{
    dispatch::Needs,
    model::{
        BatchIndex, Digest, EngineSource, FormatKind, GameIndex, Player, SpecError, TournamentId,
        TournamentSpec, wire,
    },
    schedule::{Batches, Format, Pairing, Plan},
};

/// What is fixed about a tournament.
pub(super) struct Definition {
    pub(super) id: TournamentId,
    pub(super) spec: TournamentSpec,
    pub(super) spec_hash: Digest,
    pub(super) variant: v1::VariantRef,
    pub(super) variant_hash: Digest,
    pub(super) players: Vec<Player>,
    pub(super) limit_class: String,
    pub(super) created_unix_ms: u64,
    pub(super) total_games: u32,
    plan: Plan,
    batches: Batches,
}

impl Definition {
    /// The definition that a record holds; the error says what is wrong with it.
    pub(super) fn from_record(record: &TournamentCreated) -> Result<Self, SpecError> {
        let bad = |what: &str| {
            SpecError::new(
                format!("tournament {}", record.id),
                format!("has no {what}"),
            )
        };
        let spec = wire::spec_from_wire(record.spec.as_ref().ok_or_else(|| bad("specification"))?)?;
        let variant = record.variant.clone().ok_or_else(|| bad("variant"))?;
        let players = record
            .players
            .iter()
            .map(wire::player_from_wire)
            .collect::<Result<Vec<_>, _>>()?;
        let plan = plan(&spec)?;
        let batch_pairs = spec.batch_pairs.ok_or_else(|| bad("batch size"))?;
        Ok(Self {
            id: TournamentId(record.id),
            spec_hash: Digest(
                record
                    .spec_hash
                    .as_slice()
                    .try_into()
                    .map_err(|_| bad("hash"))?,
            ),
            variant_hash: variant.hash.parse().map_err(|_| bad("variant hash"))?,
            variant,
            players,
            limit_class: record.limit_class.clone(),
            created_unix_ms: record.created_unix_ms,
            total_games: record.total_games,
            batches: Batches::new(plan.total_pairs(), batch_pairs),
            plan,
            spec,
        })
    }

    /// Number of batches.
    pub(super) fn batch_count(&self) -> u32 {
        u32::try_from(self.batches.count()).unwrap_or(u32::MAX)
    }

    /// Games of a batch, in order.
    pub(super) fn games_of(&self, batch: BatchIndex) -> std::ops::Range<u32> {
        let pairs = self.batches.batch(batch.0.into()).unwrap_or(0..0);
        let game = |pair: u64| u32::try_from(2 * pair).unwrap_or(u32::MAX);
        game(pairs.start)..game(pairs.end)
    }

    /// The batch of a game.
    pub(super) fn batch_of(&self, game: GameIndex) -> Option<BatchIndex> {
        let batch = self.batches.batch_of(u64::from(game.0) / 2)?;
        u32::try_from(batch).ok().map(BatchIndex)
    }

    /// The pairing that a game belongs to.
    pub(super) fn pairing(&self, game: GameIndex) -> Option<Pairing> {
        self.plan.pair(u64::from(game.0) / 2)
    }

    /// First and second mover of a game, as indices of players.
    pub(super) fn movers(&self, game: GameIndex) -> Option<[usize; 2]> {
        let pairing = self.pairing(game)?;
        let movers = [pairing.first, pairing.second];
        Some(if game.0.is_multiple_of(2) {
            movers
        } else {
            [movers[1], movers[0]]
        })
    }

    /// What a worker must have.
    pub(super) fn needs(&self) -> Needs {
        needs(&self.players)
    }

    /// Whether a game of these players is the same wherever it is played.
    pub(super) fn is_deterministic(&self, game: GameIndex) -> bool {
        let movers = self.movers(game).into_iter().flatten();
        movers
            .into_iter()
            .filter_map(|index| self.players.get(index))
            .all(Player::is_deterministic)
    }
}

/// What a worker must have to start these players.
pub(super) fn needs<'a>(players: impl IntoIterator<Item = &'a Player>) -> Needs {
    let mut needs = Needs::default();
    for player in players {
        match &player.source {
            EngineSource::Builtin { build, .. } => needs.builds.extend(build.clone()),
            EngineSource::Command(name) => _ = needs.commands.insert(name.clone()),
            EngineSource::Artifact(_) => {}
        }
    }
    needs
}

/// The plan of a specification.
pub(super) fn plan(spec: &TournamentSpec) -> Result<Plan, SpecError> {
    let format = match &spec.format.kind {
        FormatKind::RoundRobin => Format::RoundRobin,
        FormatKind::HeadToHead => Format::HeadToHead,
        FormatKind::Gauntlet { challengers } => Format::Gauntlet {
            challengers: challengers.clone(),
        },
    };
    Plan::new(&format, spec.engines.len(), spec.format.pairs.get())
        .map_err(|error| SpecError::new("format", error.to_string()))
}
