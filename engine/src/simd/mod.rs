//! Which instruction set the hot functions are compiled for, chosen once at run time.
//!
//! One binary holds every *kernel* (a whole hot function with all that is inlined into it) once for each
//! [`Level`], made from one source, so that the results are the same bits at every level. A table of
//! function pointers, declared with [`kernels!`](self) and filled once, picks the level:
//!
//! ```ignore
//! simd::kernels! {
//!     /// The kernels of counting.
//!     pub(crate) struct CountKernels<N> {
//!         /// Squares of a set.
//!         fn count(set: &Bitboard<N>) -> u32 = count_body;
//!     }
//! }
//!
//! #[inline(always)]
//! fn count_body<const N: usize>(set: &Bitboard<N>) -> u32 {
//!     set.count()
//! }
//!
//! let kernels = CountKernels::<4>::at(simd::level());
//! let squares = kernels.count(&set);
//! ```
//!
//! A body is `#[inline(always)]`, and so is whatever it calls that shall be compiled for the level too; a
//! function that is not inlined keeps to the lowest level. Calls through the table cost what an
//! indirect call costs: put a whole layer behind one, not an inner loop.

mod level;
mod table;

pub use level::{Level, LevelError, check, level};
pub(crate) use table::kernels;
