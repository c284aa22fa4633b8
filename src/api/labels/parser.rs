//! kubectl's form of a selector, read as upstream reads it (`labels.Lexer`, `labels.Parser`).

use super::requirement::{Operator, Requirement, SelectorError};
use crate::api::validation::qualified_name;

/// What an error says was expected where an operator should be; upstream's list, in its order.
const OPERATORS: &str = "in, notin, =, ==, !=, gt, lt";

/// A piece of the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    /// A key, a value, or one of the words `in` and `notin`.
    Word(&'a str),
    /// `=`, `==`, `!=`, `<`, `>`, `!`, `(`, `)` or `,`.
    Symbol(&'a str),
    /// A run of symbols that begins with none.
    Wrong(&'a str),
    End,
}

impl<'a> Token<'a> {
    fn text(self) -> &'a str {
        match self {
            Self::Word(text) | Self::Symbol(text) | Self::Wrong(text) => text,
            Self::End => "",
        }
    }
}

const SYMBOLS: [&str; 9] = ["==", "!=", "=", "!", "<", ">", "(", ")", ","];

struct Parser<'a> {
    rest: &'a str,
    /// The next token.
    next: Token<'a>,
}

/// The conditions, in the order of the text.
pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, SelectorError> {
    let mut parser = Parser { rest: text, next: Token::End };
    parser.take();
    let mut requirements = Vec::new();
    loop {
        match parser.next {
            Token::Word(_) | Token::Symbol("!") => {}
            Token::End => return Ok(requirements),
            other => return Err(error(other, "!, identifier, or 'end of string'")),
        }
        let wrong =
            |e: SelectorError| SelectorError(format!("unable to parse requirement: {}", e.0));
        requirements.push(parser.requirement().map_err(wrong)?);
        match parser.take() {
            Token::End => return Ok(requirements),
            Token::Symbol(",") if matches!(parser.next, Token::Word(_) | Token::Symbol("!")) => {}
            Token::Symbol(",") => return Err(error(parser.next, "identifier after ','")),
            other => return Err(error(other, "',' or 'end of string'")),
        }
    }
}

fn error(found: Token<'_>, expected: &str) -> SelectorError {
    let found = match found {
        Token::Wrong(text) => format!("error expected: keyword found '{text}'"),
        other => other.text().to_owned(),
    };
    SelectorError(format!("found '{found}', expected: {expected}"))
}

impl<'a> Parser<'a> {
    /// Returns the next token and reads the one after it.
    fn take(&mut self) -> Token<'a> {
        let taken = self.next;
        let text = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let is_symbol = |c: char| "=!(),<>".contains(c);
        let split = if text.is_empty() {
            0
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| text.starts_with(**symbol)) {
            symbol.len()
        } else {
            text.find(|c| is_symbol(c) || " \t\r\n".contains(c)).unwrap_or(text.len())
        };
        let (token, rest) = text.split_at(split);
        self.rest = rest;
        self.next = match token {
            "" => Token::End,
            _ if token.starts_with(is_symbol) => Token::Symbol(token),
            // Upstream's lexer ends at a NUL; no key or value has one.
            _ if token.contains('\0') => Token::Wrong(token),
            _ => Token::Word(token),
        };
        taken
    }

    fn requirement(&mut self) -> Result<Requirement, SelectorError> {
        let negated = self.next == Token::Symbol("!");
        if negated {
            self.take();
        }
        let key = match self.take() {
            Token::Word(key) => key,
            other => return Err(error(other, "identifier")),
        };
        let wrong = qualified_name(key);
        if !wrong.is_empty() {
            return Err(SelectorError(format!(
                "<nil>: Invalid value: {key:?}: {}",
                wrong.join("; ")
            )));
        }
        if matches!(self.next, Token::End | Token::Symbol(",")) {
            let operator = if negated { Operator::DoesNotExist } else { Operator::Exists };
            return Requirement::new(key, operator, []);
        }
        if negated {
            // Upstream leaves the rest to its caller, which expects a comma.
            return Requirement::new(key, Operator::DoesNotExist, []);
        }
        let operator = match self.take() {
            Token::Word("in") => Operator::In,
            Token::Word("notin") => Operator::NotIn,
            Token::Symbol("=" | "==") => Operator::Equals,
            Token::Symbol("!=") => Operator::NotEquals,
            Token::Symbol(">") => Operator::GreaterThan,
            Token::Symbol("<") => Operator::LessThan,
            other => return Err(error(other, OPERATORS)),
        };
        let is_list = matches!(operator, Operator::In | Operator::NotIn);
        let values = if is_list { self.list()? } else { vec![self.exact_value()?] };
        Requirement::new(key, operator, values)
    }

    /// The value after `=`; none is an empty one.
    fn exact_value(&mut self) -> Result<String, SelectorError> {
        if matches!(self.next, Token::End | Token::Symbol(",")) {
            return Ok(String::new());
        }
        match self.take() {
            Token::Word(value) => Ok(value.to_owned()),
            other => Err(error(other, "identifier")),
        }
    }

    /// `(x,y)`; a value that is left out is an empty one.
    fn list(&mut self) -> Result<Vec<String>, SelectorError> {
        match self.take() {
            Token::Symbol("(") => {}
            other => {
                return Err(SelectorError(format!("found '{}' expected: '('", other.text())));
            }
        }
        let mut values = Vec::new();
        loop {
            match self.next {
                Token::Word(value) => {
                    self.take();
                    values.push(value.to_owned());
                }
                Token::Symbol("," | ")") => values.push(String::new()),
                other if values.is_empty() => return Err(error(other, "',', ')' or identifier")),
                other => return Err(error(other, "',', or identifier")),
            }
            match self.take() {
                Token::Symbol(",") => {}
                Token::Symbol(")") => break,
                other => return Err(error(other, "',' or ')'")),
            }
        }
        values.sort_unstable();
        values.dedup();
        Ok(values)
    }
}
