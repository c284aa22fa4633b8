//! Problems as a terminal shows them: each with its lines of the source, the place underlined, and
//! the hint below, drawn by miette.

use crate::files::shown;
use crate::language::{Problem, Problems};
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceSpan};
use std::fmt;
use std::sync::Arc;

/// What miette draws: the message alone, with the place underlined and the hint below.
#[derive(Debug)]
struct Drawn<'a> {
    problem: &'a Problem,
    source: Option<NamedSource<Arc<String>>>,
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem.message)
    }
}

impl std::error::Error for Drawn<'_> {}

impl Diagnostic for Drawn<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problem
            .help
            .as_ref()
            .map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.source.as_ref().map(|s| s as &dyn miette::SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (_, bytes) = self.problem.place.as_ref()?;
        Some(Box::new(std::iter::once(LabeledSpan::underline(
            SourceSpan::from(bytes.clone()),
        ))))
    }
}

/// Draws problems for a terminal or a file that is this wide.
pub fn draw(problems: &Problems, colour: bool, width: usize) -> String {
    let theme = if colour {
        miette::GraphicalTheme::unicode()
    } else {
        miette::GraphicalTheme::unicode_nocolor()
    };
    let handler = miette::GraphicalReportHandler::new_themed(theme)
        .with_width(width)
        .with_context_lines(1)
        .with_links(false);
    let mut out = String::new();
    let mut clean = None;
    for problem in &problems.0 {
        if !problem.is_drawable() {
            out.push_str(&format!(
                "  × {}\n",
                shown(&problem.to_string()).replace('\n', "\n  ")
            ));
            continue;
        }
        let problem = &problem.harmless(&mut clean);
        let source = problem
            .place
            .as_ref()
            .map(|(source, _)| NamedSource::new(&*source.name, source.text.clone()));
        // A report that cannot be drawn falls back to its plain text.
        if handler
            .render_report(&mut out, &Drawn { problem, source })
            .is_err()
        {
            out.push_str(&shown(&problem.to_string()));
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Source;

    fn draw_one(problem: Problem) -> String {
        draw(&Problems::one(problem), false, 80)
    }

    #[test]
    fn what_nobody_can_read_is_not_drawn() {
        let drawn = |text: String, bytes| {
            draw_one(Problem::new("wrong").at(&Source::new("f", text), bytes))
        };
        // One line of a megabyte: its place and the message remain.
        assert_eq!(drawn("[{".repeat(500_000), 3..4), "  × f:1:4: wrong\n");
        // A long line beside the place is not drawn either, one further away does not matter.
        assert_eq!(
            drawn(format!("a\n{}", "b".repeat(5000)), 0..1),
            "  × f:1:1: wrong\n"
        );
        assert!(drawn(format!("a\nb\n{}", "c".repeat(5000)), 0..1).contains("[f:1:1]"));
        assert!(drawn("a\n".repeat(30), 0..60).contains("[f:1:1]"));
        assert_eq!(drawn("a\n".repeat(100), 0..200), "  × f:1:1: wrong\n");
        assert!(
            drawn(String::new(), 5..9).contains("wrong"),
            "a place outside of the text"
        );
    }

    #[test]
    fn a_problem_is_drawn_with_its_line() {
        let source = Source::new("f.ron", "one\ntwo three\nfour".to_owned());
        let problem = Problem::new("three is wrong")
            .at(&source, 8..13)
            .help("did you mean `tree`?");
        assert_eq!(
            problem.to_string(),
            "f.ron:2:5: three is wrong\n  help: did you mean `tree`?"
        );
        let drawn = draw_one(problem);
        assert!(
            drawn.contains("[f.ron:2:5]")
                && drawn.contains("two three")
                && drawn.contains("help: did you mean `tree`?"),
            "{drawn}"
        );
    }
}
