//! The kernels of move generation.

use super::generator::Generator;
use super::legal::Wanted;
use super::reaches::Memory;
use super::sink::Count;
use crate::position::{Position, Threats};
use crate::simd::kernels;
use crate::types::{Move, MoveList};

kernels! {
    /// The kernels of move generation.
    pub(super) struct Kernels<N> {
        /// Appends the legal moves to a list.
        fn list(
            position: &Position<N>,
            threats: &Threats<N>,
            memory: Option<&mut Memory<N>>,
            wanted: Wanted,
            moves: &mut MoveList
        ) = self::list;
        /// Counts them.
        fn count(
            position: &Position<N>,
            threats: &Threats<N>,
            memory: Option<&mut Memory<N>>
        ) -> u64 = self::count;
        /// Appends the legal moves of a man among which a move of this kind from its square must be.
        fn list_like(
            position: &Position<N>,
            threats: &Threats<N>,
            memory: &mut Memory<N>,
            mv: Move,
            moves: &mut MoveList
        ) = self::list_like;
    }
}

#[inline(always)]
fn list<const N: usize>(
    position: &Position<N>,
    threats: &Threats<N>,
    memory: Option<&mut Memory<N>>,
    wanted: Wanted,
    moves: &mut MoveList,
) {
    let mut memory = memory;
    Generator::new(position, threats, wanted).all(&mut memory, moves);
}

#[inline(always)]
fn count<const N: usize>(
    position: &Position<N>,
    threats: &Threats<N>,
    memory: Option<&mut Memory<N>>,
) -> u64 {
    let mut memory = memory;
    let mut count = Count::new();
    Generator::new(position, threats, Wanted::All).all(&mut memory, &mut count);
    count.total()
}

#[inline(always)]
fn list_like<const N: usize>(
    position: &Position<N>,
    threats: &Threats<N>,
    memory: &mut Memory<N>,
    mv: Move,
    moves: &mut MoveList,
) {
    let (from, kind) = (mv.from(), position.man_on(mv.from()).kind());
    Generator::new(position, threats, Wanted::All).man_on(
        from,
        kind,
        mv.kind(),
        &mut Some(memory),
        moves,
    );
}
