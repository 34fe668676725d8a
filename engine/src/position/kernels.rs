//! The kernels of positions.

use super::Position;
use super::threats::Threats;
use crate::attacks::{Occupancy, Reach};
use crate::bitboard::Bitboard;
use crate::simd::kernels;
use crate::types::{Colour, Kind, Square};

kernels! {
    /// The kernels of positions.
    pub(crate) struct Kernels<N> {
        /// Whether a side attacks a square.
        fn is_attacked(
            position: &Position<N>,
            target: Square,
            by: Colour,
            occupancy: &Occupancy<N>,
            excluded: &Bitboard<N>,
            imitated: Option<Kind>
        ) -> bool = super::attacked::is_attacked;
        /// What could expose the king of the side to move.
        fn threats(position: &Position<N>) -> Threats<N> = super::threats::threats;
        /// What a man reaches.
        fn reach(
            position: &Position<N>,
            occupancy: &Occupancy<N>,
            us: Colour,
            kind: Kind,
            acting: Kind,
            from: Square,
            reach: &mut Reach<N>
        ) = super::reach::reach;
    }
}
