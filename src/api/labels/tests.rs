//! Selectors held against upstream's own tables of tests.

use super::{LabelSelector, LabelSelectorRequirement, Labels, Selector, SelectorOperator};

fn labels(text: &str) -> Labels {
    text.split(',')
        .filter_map(|pair| pair.split_once('='))
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .collect()
}

/// The form of `LabelSelector.String` (generated.pb.go, v1.34); the first was recorded in an event
/// UnmanagedPods.
#[test]
fn as_go_prints_it() {
    for (selector, printed) in [
        (
            "app=alone",
            "&LabelSelector{MatchLabels:map[string]string{app: alone,},MatchExpressions:[]LabelSelectorRequirement{},}",
        ),
        (
            "app=web,tier in (a,b),!x",
            "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:tier,Operator:In,Values:[a b],},LabelSelectorRequirement{Key:x,Operator:DoesNotExist,Values:[],},},}",
        ),
    ] {
        let parsed = Selector::parse(selector).expect("a selector");
        assert_eq!(parsed.as_go_prints_it(), printed);
    }
}

/// Upstream's `TestSelectorMatches` and `TestRequirementSelectorMatching` (selector_test.go,
/// v1.34).
#[test]
fn matching() {
    for (selector, of, matches) in [
        ("", "x=y", true),
        ("x=y", "x=y", true),
        ("x=y,z=w", "x=y,z=w", true),
        ("x!=y,z!=w", "x=z,z=a", true),
        ("notin=in", "notin=in", true),
        ("x", "x=z", true),
        ("!x", "y=z", true),
        ("x>1", "x=2", true),
        ("x<1", "x=0", true),
        ("x=z", "", false),
        ("x=y", "x=z", false),
        ("x=y,z=w", "x=w,z=w", false),
        ("x!=y,z!=w", "x=z,z=w", false),
        ("x", "y=z", false),
        ("!x", "x=z", false),
        ("x>1", "x=0", false),
        ("x<1", "x=2", false),
        ("x>1", "x=two", false),
        ("x>1", "y=2", false),
        ("foo=bar,foobar!=b,baz", "foo=bar,baz=blah", true),
        ("x in (a,b)", "x=b", true),
        ("x in (a,b)", "x=c", false),
        ("x in (a,b)", "y=a", false),
        ("x notin (a,b)", "x=c", true),
        ("x notin (a,b)", "x=a", false),
        // Upstream counts a missing label as not in the list, and as not equal.
        ("x notin (a,b)", "y=a", true),
        ("x!=a", "y=a", true),
        ("x=,y", "x=,y=1", true),
        ("x in ()", "x=", true),
    ] {
        let parsed = Selector::parse(selector).unwrap_or_else(|e| panic!("{selector}: {e}"));
        assert_eq!(parsed.matches(&labels(of)), matches, "{selector} | {of}");
    }
}

/// Upstream's `TestLabelSelectorAsSelector` (meta/v1/helpers_test.go, v1.34).
#[test]
fn labels_and_expressions() {
    let expression = |key: &str, operator: &str, values: &[&str]| LabelSelectorRequirement {
        key: key.to_owned(),
        operator: SelectorOperator::parse(operator).unwrap(),
        values: values.iter().map(|v| (*v).to_owned()).collect(),
    };
    let selector = |of: &str, expressions: &[LabelSelectorRequirement]| {
        let selector =
            LabelSelector { match_labels: labels(of), match_expressions: expressions.to_vec() };
        selector.as_selector().map(|s| s.to_string()).map_err(|e| e.0)
    };
    assert_eq!(selector("", &[]), Ok(String::new()));
    assert_eq!(selector("foo=bar", &[]), Ok("foo=bar".to_owned()));
    assert_eq!(
        selector("", &[expression("baz", "In", &["qux", "norf"])]),
        Ok("baz in (norf,qux)".to_owned())
    );
    assert_eq!(
        selector("foo=bar", &[expression("baz", "In", &["qux", "norf"])]),
        Ok("baz in (norf,qux),foo=bar".to_owned())
    );
    assert_eq!(
        selector("", &[expression("a", "Exists", &[]), expression("b", "DoesNotExist", &[])]),
        Ok("a,!b".to_owned())
    );
    assert_eq!(
        selector("foo=bar", &[expression("baz", "Exists", &["qux", "norf"])]),
        Err("values: Invalid value: [\"qux\",\"norf\"]: values set must be empty for exists and does not exist".to_owned())
    );
    assert_eq!(
        selector("", &[expression("a", "NotIn", &[])]),
        Err("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"
            .to_owned())
    );
}

/// What apimachinery v0.34.4 prints for the selectors that it reads.
#[test]
fn texts_that_upstream_reads() {
    for (text, canonical) in [
        ("", ""),
        ("x=a,y=b,z=c", "x=a,y=b,z=c"),
        ("x!=a,y=b", "x!=a,y=b"),
        ("x=", "x="),
        ("x= ,z=", "x=,z="),
        ("x in ()", "x in ()"),
        ("x in (a)", "x in (a)"),
        ("x in (a,b)", "x in (a,b)"),
        ("x in (a,,b)", "x in (,a,b)"),
        ("x in (,a)", "x in (,a)"),
        ("x in (a,)", "x in (,a)"),
        ("x in (,)", "x in ()"),
        ("x notin (b,a)", "x notin (a,b)"),
        ("x notin (a), y", "x notin (a),y"),
        ("!x", "!x"),
        ("!x,y", "!x,y"),
        ("! x", "!x"),
        ("x,!y", "x,!y"),
        ("  x  =  a ", "x=a"),
        ("x>1", "x>1"),
        ("x<1", "x<1"),
        ("x>1,z<5", "x>1,z<5"),
        ("in", "in"),
        ("notin", "notin"),
        ("in in (in)", "in in (in)"),
        ("x in (in,notin)", "x in (in,notin)"),
        ("x=in", "x=in"),
        ("in=notin", "in=notin"),
        ("x in (),y", "x in (),y"),
        ("a.b/c-d_e=f.g", "a.b/c-d_e=f.g"),
    ] {
        assert_eq!(
            Selector::parse(text).map(|s| s.to_string()),
            Ok(canonical.to_owned()),
            "{text:?}"
        );
    }
    assert_eq!(Selector::parse("x==a"), Selector::parse("x=a"));
}

/// What it says about those it does not.
#[test]
fn texts_that_upstream_refuses() {
    for (text, error) in [
        ("x==a==b", "found '==', expected: ',' or 'end of string'"),
        ("!x=a", "found '=', expected: ',' or 'end of string'"),
        ("!x in (a)", "found 'in', expected: ',' or 'end of string'"),
        ("x=a,", "found '', expected: identifier after ','"),
        (",x=a", "found ',', expected: !, identifier, or 'end of string'"),
        ("x,,y", "found ',', expected: identifier after ','"),
        ("x in a", "unable to parse requirement: found 'a' expected: '('"),
        ("x in (a", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("x in (a b)", "unable to parse requirement: found 'b', expected: ',' or ')'"),
        ("x in (a=b)", "unable to parse requirement: found '=', expected: ',' or ')'"),
        ("x in ((a))", "unable to parse requirement: found '(', expected: ',', ')' or identifier"),
        ("x y", "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt"),
        ("x=!a", "unable to parse requirement: found '!', expected: identifier"),
        ("x=(a)", "unable to parse requirement: found '(', expected: identifier"),
        ("=a", "found '=', expected: !, identifier, or 'end of string'"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("!!x", "unable to parse requirement: found '!', expected: identifier"),
        ("x!a", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"),
        ("x=a b", "found 'b', expected: ',' or 'end of string'"),
        ("x===a", "unable to parse requirement: found '=', expected: identifier"),
        ("x=!=a", "unable to parse requirement: found '!=', expected: identifier"),
        ("x>=1", "unable to parse requirement: found '=', expected: identifier"),
        ("x=<1", "unable to parse requirement: found '<', expected: identifier"),
        ("x)", "unable to parse requirement: found ')', expected: in, notin, =, ==, !=, gt, lt"),
        ("(x)", "found '(', expected: !, identifier, or 'end of string'"),
    ] {
        assert_eq!(Selector::parse(text).map_err(|e| e.0), Err(error.to_owned()), "{text:?}");
    }
    for text in ["%=a", "a/b/c", "x=a%", "x in (%)"] {
        assert!(Selector::parse(text).is_err_and(|e| e.0.contains("Invalid value")), "{text:?}");
    }
    assert!(Selector::parse("a=\0").is_err());
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[a-c=!<>(), 0-9]{0,12}|[a-c] (not)?in [(][a-c,]{0,6}[)]|\\PC{0,20}") {
        if let Ok(selector) = Selector::parse(&text) {
            proptest::prop_assert_eq!(Selector::parse(&selector.to_string()), Ok(selector));
        }
    }
}

/// Of upstream's `Node Selector Overlap Detection` (node-readiness-controller, `internal/webhook`) what a LabelSelector can
/// say, and what follows from the words.
#[test]
fn overlaps() {
    for (one, other, may) in [
        ("", "", true),
        ("x=a", "", true),
        ("x=a", "y=b", true),
        ("x=a", "x=b", false),
        ("x in (a,b)", "x in (b,c)", true),
        ("x in (a,b)", "x notin (a,b)", false),
        ("x in (a,b)", "x notin (a)", true),
        ("x=a", "!x", false),
        ("x", "!x", false),
        ("x", "x notin (a)", true),
        ("x notin (a)", "x notin (b)", true),
        ("x notin (a)", "!x", true),
        ("x=a,y=b", "x=a,y=c", false),
        ("x=a,x=b", "z", false),
    ] {
        let of = |text| Selector::parse(text).expect("a selector");
        assert_eq!(of(one).overlaps(&of(other)), may, "{one} and {other}");
        assert_eq!(of(other).overlaps(&of(one)), may, "{other} and {one}");
    }
}
