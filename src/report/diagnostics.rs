//! Problems as a terminal shows them: each with its lines of the source, the place underlined, and
//! the hint below, as rustc draws its own.

use crate::files::shown;
use crate::language::{Problem, Problems};
use crate::report::text::fold;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// Draws problems for a terminal or a file that is this wide, each sentence in one line.
pub fn draw(problems: &Problems, colour: bool, width: usize) -> String {
    draw_in(problems, colour, width, usize::MAX)
}

/// The same with sentences that are no wider either.
pub(crate) fn draw_folded(problems: &Problems, colour: bool, width: usize) -> String {
    draw_in(problems, colour, width, width)
}

fn draw_in(problems: &Problems, colour: bool, width: usize, room: usize) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(width);
    let mut clean = None;
    let one = |problem: &Problem| match problem.is_drawable() {
        true => drawn(&renderer, &problem.harmless(&mut clean), room) + "\n",
        false => folded(&format!("error: {}", shown(&problem.to_string())), room) + "\n",
    };
    problems.0.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn folded(text: &str, room: usize) -> String {
    text.lines().flat_map(|l| fold(l, room)).collect::<Vec<_>>().join("\n")
}

fn drawn(renderer: &Renderer, problem: &Problem, room: usize) -> String {
    let message = folded(&problem.message, room.saturating_sub("error: ".len()));
    let title = Level::ERROR.primary_title(&*message);
    let snippet = problem.place.as_ref().map(|(source, bytes)| {
        let inside = |byte: usize| source.text.floor_char_boundary(byte.min(source.text.len()));
        let (start, end) = (inside(bytes.start), inside(bytes.end));
        Snippet::source(source.text.as_str())
            .path(&*source.name)
            .annotation(AnnotationKind::Primary.span(start..end.max(start)))
    });
    let group = title.elements(snippet);
    // Behind the place of a number of a line.
    let help = problem.help.as_deref();
    let help = help.map(|help| folded(help, room.saturating_sub("    = help: ".len() + 2)));
    let group = group.elements(help.as_deref().map(|help| Level::HELP.message(help)));
    renderer.render(&[group])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Source;

    fn draw_one(problem: Problem) -> String {
        draw_folded(&Problems::one(problem), false, 80)
    }

    #[test]
    fn what_nobody_can_read_is_not_drawn() {
        let drawn = |text: String, bytes| {
            draw_one(Problem::new("wrong").at(&Source::new("f", text), bytes))
        };
        // One line of a megabyte: its place and the message remain.
        assert_eq!(drawn("[{".repeat(500_000), 3..4), "error: f:1:4: wrong\n");
        // Nor is a long one that it is a part of; those beside it are not drawn, and do not matter.
        let beside = |line: usize| drawn(format!("a\n{}\nc", "b".repeat(line)), 0..1);
        assert!([401, 5_000].into_iter().all(|line| beside(line).contains("--> f:1:1")));
        assert_eq!(drawn(format!("a\n{}\nc", "b".repeat(401)), 2..3), "error: f:2:1: wrong\n");
        assert!(drawn(format!("a\n{}\nc", "b".repeat(400)), 2..3).contains("--> f:2:1"));
        assert!(drawn("a\n".repeat(30), 0..60).contains("--> f:1:1"));
        assert_eq!(drawn("a\n".repeat(100), 0..200), "error: f:1:1: wrong\n");
        assert!(drawn(String::new(), 5..9).contains("wrong"), "a place outside of the text");
    }

    #[test]
    fn sentences_are_as_wide_as_they_may_be() {
        let source = Source::new("f.ron", "one".to_owned());
        let long = "word ".repeat(40).trim_end().to_owned();
        let problem = Problem::new(&long).at(&source, 0..3).help(&long);
        let folded = draw_one(problem.clone());
        assert!(folded.lines().all(|l| l.chars().count() <= 80), "{folded}");
        assert_eq!(folded.matches("word").count(), 80, "{folded}");
        let whole = draw(&Problems::one(problem), false, 80);
        assert!(whole.contains(&format!("error: {long}\n")), "{whole}");
    }

    #[test]
    fn a_problem_is_drawn_with_its_line() {
        let source = Source::new("f.ron", "one\ntwo three\nfour".to_owned());
        let problem =
            Problem::new("three is wrong").at(&source, 8..13).help("did you mean `tree`?");
        assert_eq!(problem.to_string(), "f.ron:2:5: three is wrong\n  help: did you mean `tree`?");
        let drawn = draw_one(problem);
        assert!(
            drawn.contains("--> f.ron:2:5")
                && drawn.contains("two three")
                && drawn.contains("help: did you mean `tree`?"),
            "{drawn}"
        );
    }
}
