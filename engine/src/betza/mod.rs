//! Betza move notation: text in, [`MoveProgram`] out. Pure; knows no board, colour or variant.
//!
//! `docs/betza.md` describes every token. The way of a text: [`parse`] (lexer, parser) gives an
//! [`Ast`]; the checks turn each term into a plan of legs; the plans unfold into the program.

mod ast;
mod checks;
mod directions;
mod error;
mod expand;
mod lexer;
mod parser;
mod plan;
mod program;
mod ways;

#[cfg(test)]
mod tests;

pub use ast::{
    Ast, Atom, Body, BracketLeg, Joint, Lame, Letter, Mode, Modifiers, Placed, Range, Ride, Suffix,
    Term,
};
pub use directions::{Direction, Side};
pub use error::{BetzaError, Problem, Span};
pub use expand::LARGEST_PROGRAM;
pub use lexer::LONGEST_TEXT;
pub use parser::MOST_LEGS;
pub use program::{From, MoveProgram, Node, Root, Stop};

/// Reads a move text as a tree, without checking whether its letters go together.
///
/// ```
/// let ast = engine::betza::parse("mRcpR").unwrap();
/// assert_eq!(engine::betza::parse(&ast.to_string()).unwrap(), ast);
/// ```
///
/// # Errors
/// A token that is unknown, not supported or out of place, by its position.
pub fn parse(text: &str) -> Result<Ast, BetzaError> {
    parser::parse(&lexer::Source::new(text)?)
}

/// Compiles a move text to the moves that it describes, from White's point of view.
///
/// ```
/// let knight = engine::betza::compile("N").unwrap();
/// assert_eq!(knight.roots.len(), 8);
/// ```
///
/// # Errors
/// As [`parse`]; also letters that mean nothing together, and a text that unfolds into more than
/// [`LARGEST_PROGRAM`] steps.
pub fn compile(text: &str) -> Result<MoveProgram, BetzaError> {
    let source = lexer::Source::new(text)?;
    let ast = parser::parse(&source)?;
    let plans = checks::plans(&source, &ast)?;
    let imitator = ast
        .terms
        .iter()
        .any(|term| term.body.value == Body::Imitator);
    Ok(MoveProgram {
        roots: expand::expand(&source, &plans)?,
        imitator,
    })
}
