//! Each form with the same two outages: of `a` from 100 s to 160 s, of `b` from 200 s to 500 s.

use super::read;
use crate::language::HistoryFormat;
use HistoryFormat::{Csv, Fta, Google, Prometheus, SimGrid};

const CSV: &str = "node,start,end,kind\na,100,160,crash\nb,1970-01-01T00:03:20Z,500,net\n";
const FTA: &str = "# a comment\nevent_id component_id node_id platform_id node_name event_type start stop reason\n\
    1 1 a 1 x 1 0 100 NULL\n2 1 a 1 x 0 100 160 5\n3 1 a 1 x 1 160 900 NULL\n4 1 b 1 y 0 200 500 NULL\n5 1 b 1 y 0 600 600 NULL\n";
const GOOGLE: &str = "0,a,0,p,1,1\n0,b,0,p,1,1\n100000000,a,1,p,,\n160000000,a,0,p,1,1\n200000000,b,1,,,\n500000000,b,0,,,\n900000000,b,1,,,\n";
const GOOGLE_2019: &str = r#"{"time":"0","machine_id":"a","type":1}
{"time":100000000,"machine_id":"a","type":"REMOVE"}
{"time":"160000000","machine_id":"a","type":"ADD","switch_id":"s"}
{"time":"200000000","machine_id":"b","type":2}
{"time":"500000000","machine_id":"b","type":1}"#;
const PROMETHEUS: &str = r#"{"status":"success","data":{"resultType":"matrix","result":[
    {"metric":{"condition":"Ready","node":"a","status":"true"},"values":[[0,"1"],[100,"0"],[130,"0"],[160,"1"],[900,"1"]]},
    {"metric":{"condition":"Ready","node":"a","status":"unknown"},"values":[[0,"0"],[100,"1"],[160,"0"]]},
    {"metric":{"condition":"Ready","node":"b","status":"true"},"values":[[0,"1"],[200,"0"],[500,"1"],[900,"0"]]}]}}"#;

fn of(text: &str, format: HistoryFormat) -> Vec<(String, f64, f64)> {
    let history = read(text, Some(format)).expect(text);
    let guessed = read(text, None).expect(text);
    assert_eq!(history, guessed, "{format:?}");
    let begin = history.outages[0].start;
    history
        .outages
        .iter()
        .map(|o| (history.nodes[o.node as usize].clone(), o.start - begin, o.lasts))
        .collect()
}

#[test]
fn every_form_says_the_same() {
    let expected = [("a".to_owned(), 0.0, 60.0), ("b".to_owned(), 100.0, 300.0)];
    for (text, format) in
        [(CSV, Csv), (FTA, Fta), (GOOGLE, Google), (GOOGLE_2019, Google), (PROMETHEUS, Prometheus)]
    {
        assert_eq!(of(text, format), expected, "{format:?}");
    }
    // One resource, off from 100 s to 160 s and from 200 s to 500 s; the round has 600 s.
    let simgrid = "0 1\n100 0\n160 1\n200 0\n500 1\nLOOPAFTER 100\n";
    let expected = [("host".to_owned(), 0.0, 60.0), ("host".to_owned(), 100.0, 300.0)];
    assert_eq!(of(simgrid, SimGrid), expected);
    assert_eq!(read(simgrid, None).map(|h| h.length), Ok(600.0));
    // A period is all of a round; what repeats stands anywhere. SimGrid's `trace_A_failure.txt` has a round of 2 + 8 seconds.
    for (text, outages, length) in [
        ("0 1\n100 0\n160 1\nPERIODICITY 1000\n", 60.0, 1_000.0),
        ("% rounds\nPERIODICITY 1000\n0 1\n100 0\n160 1\n", 60.0, 1_000.0),
        ("LOOPAFTER 1000\n0 1\n100 0\n160 1\n", 60.0, 1_160.0),
        ("1 0.0\n2 1.0\nLOOPAFTER 8\n", 1.0, 10.0),
    ] {
        let told = read(text, None).map(|h| (h.outages[0].lasts, h.length));
        assert_eq!(told, Ok((outages, length)), "{text}");
    }
    // The file says that somebody looked from 0 to 900 s.
    let looked = "node,start,end,looked_from,looked_to\na,100,160,0,900\nc,,,0,900\n";
    let looked = read(looked, None).expect("it is one");
    assert_eq!((looked.length, looked.outages[0].start), (900.0, 100.0));
    assert_eq!(read(CSV, None).map(|h| h.length), Ok(400.0));
    let fta = read(FTA, None).expect("it is one");
    assert_eq!((fta.length, fta.empty, fta.open), (900.0, 1, 0));
    assert_eq!(read(GOOGLE, None).map(|h| (h.length, h.open)), Ok((900.0, 1)));
    assert_eq!(read(PROMETHEUS, None).map(|h| h.open), Ok(1));
    let numbers = PROMETHEUS.replace("\"0\"", "0").replace("\"1\"", "1");
    assert_eq!(read(&numbers, None), read(PROMETHEUS, None));
    let warned =
        r#"{"status":"success","isPartial":true,"warnings":["No StoreAPIs matched"],"data""#;
    let warned = read(&PROMETHEUS.replace(r#"{"status":"success","data""#, warned), None);
    let said = ["No StoreAPIs matched", "isPartial: true"].map(str::to_owned);
    assert_eq!(warned.map(|h| h.warnings), Ok(said.to_vec()));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, said) in [
        ("node,start,end\na,10,5\n", "line 2: the outage of `a` ends before it begins"),
        (
            "node,start,end\na,10,50\nb,0,9\na,40,60\n",
            "line 4: this outage of `a` begins before the one of line 2 is over",
        ),
        (
            "node,start,end\na,ten,50\n",
            "line 2: \"ten\" is no time: write seconds, or 2026-01-31T10:00:00Z",
        ),
        ("node,begin,end\n", "line 1: there is no column `start`; a history has node,start,end"),
        ("node,start,end\n", "there is no outage in it"),
        ("node,start,end\na,5,5\n", "there is no outage in it that lasts for any time"),
        ("node,start,end\na,5,\n", "there is no outage in it that has ended"),
        ("0 1\n900 1\n", "there is no outage in it"),
        (
            "node,start,end\na,0,60\n\"b,100,160\nc,200,260\n",
            "line 3: a quote is opened here and not closed in its line",
        ),
        // Two that should not be there make one node of three lines, and no outage of two of them.
        (
            "node,start,end\na,0,60\n\"b,100,160\nc,200,260\n\"d,300,360\ne,400,460\n",
            "line 3: a quote is opened here and not closed in its line",
        ),
        ("node,start,end,end\na,0,60,61\n", "line 1: there are two columns `end`"),
        (
            "node,start,end,looked_from,looked_to\nx,0,600,0,864000\ny,1000,1600,0,8640000\n",
            "line 3: looked_to is 8640000, which is another time than in line 2",
        ),
        (
            "node,start,end,looked_from,looked_to\nx,0,600,100,50\n",
            "line 2: looked_to is not after looked_from",
        ),
        (
            "node,start,end,looked_from,looked_to\nx,0,600,100,5000\n",
            "line 2: this outage begins when nobody looked: see looked_from, looked_to",
        ),
        (
            "node,start,end\na,0,60\nb,2026-01-02T00:00:00Z,2026-01-02T00:05:00Z\n",
            "its times are more than 30 years apart",
        ),
        // 1,767,225,600,000 s are 56,001.4 years of 31,556,952 s each, behind 1970.
        // Of an outage that goes on, and of a node that was up, as well; so long before 1970, too.
        (
            "node,start,end\na,0,60\na,-1e300,\n",
            "line 3: this time lies in the year -1000000000000",
        ),
        (
            "0 0 n 0 0 0 0 60\n0 0 n 0 0 1 60 1767225600000\n",
            "line 2: this time lies in the year 57971",
        ),
        (
            "0,m,1\nNaN,m,0\n",
            "line 2: this is no machine event: a time, a machine and what happened to it",
        ),
        (
            "node,start,end\na,1767225600000,1767225660000\n",
            "line 2: this time lies in the year 57971",
        ),
        (
            "node,start,end\na,9999-12-30T00:00:00Z,9999-12-30T00:05:00Z\n",
            "line 2: this time lies in the year 9999",
        ),
        (
            r#"{"status":"error","errorType":"bad_data","error":"exceeded maximum resolution"}"#,
            "Prometheus did not answer: exceeded maximum resolution",
        ),
        (
            r#"{"data":{"resultType":"vector","result":[{"metric":{"node":"a"},"value":[0,"1"]}]}}"#,
            "this answer of Prometheus is about one moment, and says nothing of how long",
        ),
        (
            r#"{"data":{"result":[{"metric":{"node":"a"},"values":[[0,"1"],[300,"0.9667"],[600,"1"]]}]}}"#,
            "a sample of `a` is 0.9667, and a condition is 0 or 1",
        ),
        (r#"{"status":"success"}"#, "this is no answer of Prometheus: there is no `data` in it"),
        ("", "there is nothing in it"),
        ("1 1 a 1 x 7 0 100 NULL\n", "line 1: \"7\" is no state: 0 is down, 1 is up"),
        ("100 0\n50 1\n", "line 2: dates do not rise"),
        (
            "0 1\n100 0\n160 1\nPERIODICITY 130\n",
            "line 4: it begins anew after 130 s, before its last date",
        ),
    ] {
        assert_eq!(read(text, None).map_err(|e| e.message), Err(said.to_owned()), "{text}");
    }
}

#[test]
fn what_is_no_history_is_told_what_one_would_be() {
    // Whoever gives an export is told what an outage would be, and what to give; so is who asked Prometheus for nothing.
    let empty = r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#;
    for (text, said, help) in [
        (
            "{\"apiVersion\":\"v1\",\n\"items\":[],\"kind\":\"List\"}",
            "lastTransitionTime",
            "node,start,end; of a single",
        ),
        ("apiVersion: v1\nitems: []\nkind: List\n", "lastTransitionTime", "`taintsim incident`"),
        (empty, "there is no outage in it", "that are 0 between two that are 1"),
    ] {
        let e = read(text, None).expect_err(text);
        assert!(e.message.contains(said), "{e}");
        assert!(e.help.as_ref().is_some_and(|h| h.contains(help)), "{e:?}");
    }
    // Many words in a line are no archive yet.
    let scenario = "Scenario(version: 1, horizon: \"25m\", nodes: [(name: \"a\", zone: \"b\")],\n workloads: [])";
    let said = read(scenario, None).map_err(|e| e.message);
    assert!(said.is_err_and(|e| e.starts_with("this is no history of outages")));
    for text in ["", "hello", "{}", "\u{0}"] {
        assert!(read(text, None).is_err(), "{text}");
    }
}

/// What spreadsheets make of it: a mark before the text, quotes, lines that end with two characters,
/// semicolons; ends that are missing; a node that never failed.
#[test]
fn own_files_come_from_spreadsheets() {
    let text = "\u{feff}\"Node\";\"Start\";\"End\";\"Why\"\r\n\"a\";100;160;\"power; rack 7\"\r\n\"b\";\"1970-01-01T02:03:20+02:00\";500;\r\nb;900\r\nc;;\r\nd;950;\r\n";
    // The second of b is as long as one of those that were longer than the 50 s that it was seen for.
    let expected = [("a", 0.0, 60.0), ("b", 100.0, 300.0), ("b", 800.0, 300.0)];
    assert_eq!(of(text, Csv), expected.map(|(node, start, lasts)| (node.to_owned(), start, lasts)));
    let history = read(text, None).expect("it is one");
    assert_eq!(history.nodes, ["a", "b", "c", "d"], "one whose only outage goes on, too");
    assert_eq!((history.open, history.length, history.failures_only), (1, 850.0, false));
    assert_eq!(read(CSV, None).map(|h| h.failures_only), Ok(true));
    let tabs = CSV.replace(',', "\t");
    assert_eq!(read(&tabs, None), read(CSV, None));
}

/// Node `a` is away from 100 s to 160 s, whichever exporter tells of it: one that is started anew at
/// 130 s, as another series, or two at a time; in one answer or in two, one behind the other.
#[test]
fn an_exporter_that_is_started_anew_ends_no_outage() {
    let series = |exporter: &str, samples: &str| {
        format!(
            r#"{{"metric":{{"condition":"Ready","node":"a","status":"true","instance":"{exporter}"}},"values":[{samples}]}}"#
        )
    };
    let answer = |series: &[String]| {
        let all = series.join(",");
        format!(r#"{{"status":"success","data":{{"resultType":"matrix","result":[{all}]}}}}"#)
    };
    let before = r#"[0,"1"],[100,"0"]"#;
    let behind = r#"[130,"0"],[160,"1"],[190,"1"]"#;
    let all = format!("{before},{behind}");
    let anew = [series("one", before), series("two", behind)];
    let both = [series("one", &all), series("two", &all)];
    let (first, second) = anew.split_at(1);
    for text in [answer(&anew), answer(&both), format!("{}\n{}", answer(first), answer(second))] {
        assert_eq!(of(&text, Prometheus), [("a".to_owned(), 0.0, 60.0)], "{text}");
        assert_eq!(read(&text, None).map(|h| (h.open, h.length)), Ok((0, 190.0)));
    }
    // A store of several clusters has nodes of one name.
    let labelled =
        |s: &String, of: &str| s.replace("\"node\"", &format!("\"cluster\":\"{of}\",\"node\""));
    let mixed = answer(&[labelled(&both[0], "x"), labelled(&both[1], "y")]);
    let refused = read(&mixed, None).expect_err("they are of two clusters");
    let wanted = r#"these are nodes of several clusters: cluster="x" and cluster="y""#;
    assert_eq!((refused.message.as_str(), refused.help.is_some()), (wanted, true));
    let one = answer(&[labelled(&both[0], "x"), labelled(&both[1], "x")]);
    assert_eq!(of(&one, Prometheus), [("a".to_owned(), 0.0, 60.0)]);
    // A node that joins at 60 s and is Ready at 90 s has not been away.
    let joined = answer(&[
        series("one", &all),
        series("one", r#"[60,"0"],[90,"1"],[190,"1"]"#).replace("\"a\"", "\"b\""),
    ]);
    let history = read(&joined, None).expect("it is one");
    assert_eq!((history.nodes.len(), history.outages.len(), history.open), (2, 1, 1));
    // `a` was there for 190 s, and `b` from 60 s to 190 s.
    assert_eq!((history.length, history.watched()), (190.0, 190.0 + 130.0));
}

/// Three had not ended by 1,000 s. That of f was seen for 500 s, which no other was; those of d and e for 100 s, and of the outages of
/// 120, 240 and 500 s that were longer one lasts as the first and one as the second.
#[test]
fn an_outage_that_has_not_ended_is_as_long_as_one_that_was_longer() {
    let text = "node,start,end,looked_from,looked_to\na,0,60,0,1000\nb,0,120,,\nc,0,240,,\nd,900,,,\ne,900,,,\nf,500,,,\n";
    let history = read(text, None).expect("it is one");
    let lasts = Vec::from_iter(history.outages.iter().map(|o| (o.lasts, o.open)));
    let ended = [60.0, 120.0, 240.0].map(|lasts| (lasts, false));
    assert_eq!((&lasts[..3], lasts[3]), (&ended[..], (500.0, true)));
    assert_eq!(lasts[4..], [(240.0, true), (120.0, true)]);
    assert!(history.unended().is_some_and(|said| said.starts_with("3 outages had not ended: ")));
    // A node that is deleted while it is away was seen until then.
    let away = r#"{"data":{"result":[{"metric":{"node":"a"},"values":[[0,"1"],[100,"0"],[400,"0"]]},
        {"metric":{"node":"b"},"values":[[0,"1"],[500,"0"],[560,"1"],[900,"1"]]}]}}"#;
    let history = read(away, None).expect("it is one");
    let told = Vec::from_iter(history.outages.iter().map(|o| (o.node, o.lasts, o.open)));
    assert_eq!(told, [(0, 300.0, true), (1, 60.0, false)]);
}

/// x goes when y comes, and z is there all along: two places, or three where x and y are two of a cluster's nodes.
#[test]
fn nodes_that_come_and_go_have_places() {
    let series = |(node, from, to): (&str, u32, u32)| {
        format!(
            r#"{{"metric":{{"node":"{node}"}},"values":[[{from},"1"],[{},"0"],[{},"1"],[{to},"1"]]}}"#,
            from + 10,
            from + 20
        )
    };
    let all = [("x", 0, 100), ("y", 100, 200), ("z", 0, 200)].map(series).join(",");
    let history = read(&format!(r#"{{"data":{{"result":[{all}]}}}}"#), None).expect("it is one");
    assert_eq!(history.places(|_| false), [vec![0, 1], vec![2]]);
    assert_eq!(history.places(|name| name != "z"), [[0], [2], [1]]);
    assert_eq!(history.watched(), 400.0);
}

/// Outages that are shown from 100 s and 170 s on, to 160 s and 500 s, began 45 s before: at 55 s,
/// and at 160 s, as the one before was not over; others are what they are.
#[test]
fn outages_began_before_they_were_noticed() {
    let text = r#"{"data":{"result":[{"metric":{"node":"a"},
        "values":[[0,"1"],[100,"0"],[160,"1"],[170,"0"],[500,"1"]]}]}}"#;
    let history = read(text, None).expect("it is one").noticed_after(45.0);
    let spans: Vec<_> = history.outages.iter().map(|o| (o.start, o.lasts)).collect();
    assert_eq!(spans, [(55.0, 105.0), (160.0, 340.0)]);
    assert_eq!(history.clone().noticed_after(45.0), history);
    let other = read(CSV, None).expect("it is one");
    assert_eq!(other.clone().noticed_after(45.0), other);
}
