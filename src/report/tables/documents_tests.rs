//! Tables of documents: each document is written by hand, with the fields that its page tells.

use super::documents;
use super::{Table, csv};
use serde_json::{Value, json};

/// A table as CSV, as which Parquet says the same.
fn csv_of(table: &dyn Table) -> String {
    #[cfg(feature = "parquet")]
    super::tests::read_back::same(table);
    let mut out = Vec::new();
    csv::write(&mut out, table).expect("memory takes it");
    String::from_utf8(out).expect("is UTF-8")
}

/// Every column of a table is told on the page of tables, but for those named by what was asked.
fn is_told(table: &dyn Table, asked: &[&str]) {
    let page = include_str!("../../../docs/data.md");
    for column in table.columns() {
        let name = format!("`{}`", column.name);
        let is_asked = asked.iter().any(|a| *a == column.name);
        assert!(is_asked || page.contains(&name), "{name}");
    }
}

/// A row of a plan of one setting.
fn row(value: &str, cost: f64, own: &Value) -> Value {
    json!({ "values": [value], "cost": cost, "interval": [cost - 1.0, cost + 1.0], "more": 0.5,
        "more_interval": [0.25, 0.75], "breaks": [], "closed_form": null,
        "figures": { "evicted": 2.0 }, "own": own })
}

fn one_plan(path: &str, rows: Vec<Value>, best: &str, now: &str) -> Value {
    json!({ "paths": [path], "unit": "EUR", "best": [best], "now": [now],
        "cannot_be_told_apart": [[best]], "rows": rows })
}

#[test]
fn a_plan_has_a_row_for_each_value() {
    let own = json!({ "web": { "evicted": 1.5 } });
    let rows = vec![row("0", 7.0, &own), row("none", 9.0, &own)];
    let plan = one_plan("a.b", rows, "0", "none");
    let table = documents::plan(&plan);
    is_told(&table, &["a.b", "web:evicted"]);
    let expected = "\
a.b,cost,cost_low,cost_high,more,more_low,more_high,breaks,closed_form,evicted,unit,best,now,cannot_be_told_apart,web:evicted
0,7,6,8,0.5,0.25,0.75,[],,2,EUR,true,false,true,1.5
none,9,8,10,0.5,0.25,0.75,[],,2,EUR,false,true,false,1.5
";
    assert_eq!(csv_of(&table), expected);
}

#[test]
fn settings_that_are_chosen_each_for_itself_have_their_rows_below_each_other() {
    let of = |workload: &str| json!({ workload: { "evicted": 3.0 } });
    let a = one_plan("a", vec![row("1", 5.0, &of("x"))], "1", "1");
    let b = one_plan("b", vec![row("2", 6.0, &of("y"))], "2", "2");
    let document = json!({ "version": 1, "scenario": "s", "plans": [a, b] });
    let expected = "\
a,b,cost,cost_low,cost_high,more,more_low,more_high,breaks,closed_form,evicted,unit,best,now,cannot_be_told_apart,x:evicted,y:evicted
1,,5,4,6,0.5,0.25,0.75,[],,2,EUR,true,true,true,3,
,2,6,5,7,0.5,0.25,0.75,[],,2,EUR,true,true,true,,3
";
    assert_eq!(csv_of(&documents::plan(&document)), expected);
}

#[test]
fn a_forecast_has_a_row_for_each_event_of_each_course() {
    let event = |object: &str| {
        json!({ "what": "pod-deleted", "object": object, "share": 0.5,
        "low": "2026-11-21T02:30:00.000Z", "median": "2026-11-21T02:30:01.250Z",
        "high": "2026-11-21T02:30:02.000Z", "node": "n-1", "workload": "Deployment shop/web" })
    };
    let document = json!({ "at": "2026-11-21T02:29:57Z", "events": [event("shop/a")],
        "what_if": [{ "course": "=x", "events": [event("shop/b")] }] });
    let table = documents::forecast(&document);
    is_told(&table, &[]);
    let expected = "\
course,what,object,low,median,high,share,node,workload,at
as it is,pod-deleted,shop/a,2026-11-21T02:30:00.000Z,2026-11-21T02:30:01.250Z,2026-11-21T02:30:02.000Z,0.5,n-1,Deployment shop/web,2026-11-21T02:29:57.000Z
'=x,pod-deleted,shop/b,2026-11-21T02:30:00.000Z,2026-11-21T02:30:01.250Z,2026-11-21T02:30:02.000Z,0.5,n-1,Deployment shop/web,2026-11-21T02:29:57.000Z
";
    assert_eq!(csv_of(&table), expected);
}

#[test]
fn two_sides_have_a_row_for_each_figure() {
    let one = json!({ "evicted": { "a": 3.0, "b": 1.0, "difference": -2.0, "same": false } });
    let several = json!({ "evicted": { "a": 2.5, "b": 1.0, "difference": -1.5, "least": -2.0,
        "greatest": 1.0, "seeds_less": 3, "seeds_more": 1 } });
    let document = json!({ "costs": several,
        "workloads": [{ "name": "Deployment shop/web", "costs": one }] });
    let table = documents::diff(&document);
    is_told(&table, &[]);
    let expected = "\
workload,figure,a,b,difference,same,least,greatest,seeds_less,seeds_more
,evicted,2.5,1,-1.5,,-2,1,3,1
Deployment/shop/web,evicted,3,1,-2,false,,,,
";
    assert_eq!(csv_of(&table), expected);
}

#[test]
fn what_was_measured_stands_above_the_fits() {
    let document = json!({ "mean_s": 60.0, "best": { "timeout_s": null, "toleration_seconds": null, "cost_s": 60.0 },
        "fits": [{ "name": "Fixed", "distribution": "Fixed(\"1m\")", "log_likelihood": -1.5, "mean_s": 60.0,
            "best": { "timeout_s": 50.0, "toleration_seconds": 5, "cost_s": 55.5 } }] });
    let table = documents::fits(&document);
    is_told(&table, &[]);
    let expected = "\
model,distribution,log_likelihood,mean_s,timeout_s,toleration_seconds,cost_s
measured,,,60,,,60
Fixed,\"Fixed(\"\"1m\"\")\",-1.5,60,50,5,55.5
";
    assert_eq!(csv_of(&table), expected);
}

#[test]
fn a_sweep_is_tidy() {
    let document = json!({ "axes": [{ "path": "kubernetes" }], "rows": [{ "values": { "kubernetes": "1.30" },
        "figures": { "evicted": { "n": 2, "mean": 1.5, "mean_interval": [1.0, 2.0], "median": 1.0,
            "median_interval": null, "p95": 2.0, "p95_interval": null, "min": 1.0, "max": 2.0 } } }] });
    let expected = "\
kubernetes,figure,n,mean,mean_low,mean_high,median,median_low,median_high,p95,p95_low,p95_high,min,max
1.30,evicted,2,1.5,1,2,1,,,2,,,1,2
";
    assert_eq!(csv_of(&documents::sweep(&document)), expected);
}

#[test]
fn a_search_has_a_row_for_each_property_and_more_where_several_outcomes_violate_one() {
    let violation = |text: &str, tape: &str| {
        json!({ "property": "pod-stuck(1m)", "text": text, "runs": 3, "deviations": 1,
            "small": true, "tape": tape })
    };
    let document = json!({ "searches": [{ "kubernetes": "v1.34.4",
        "properties": { "pod-stuck(1m)": "violated", "false-unknown": "exhausted" },
        "violations": [violation("a", "1.ron"), violation("b", "2.ron")] }] });
    let table = documents::explore(&document);
    is_told(&table, &[]);
    let mut lines: Vec<String> = csv_of(&table).lines().map(str::to_owned).collect();
    assert_eq!(lines.remove(0), "kubernetes,property,found,text,runs,deviations,small,tape");
    // The order of properties is that of the document.
    lines.sort();
    let expected = [
        "v1.34.4,false-unknown,exhausted,,,,,",
        "v1.34.4,pod-stuck(1m),violated,a,3,1,true,1.ron",
        "v1.34.4,pod-stuck(1m),violated,b,3,1,true,2.ron",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn what_was_not_recorded_stands_below_what_was() {
    let document = json!({
        "evictions": [{ "pod": "shop/a", "recorded": "2026-11-21T02:30:00.000Z",
            "simulated": "2026-11-21T02:30:01.250Z", "share": 1.0, "apart_s": 1.25,
            "stands_in": false, "reordered": true, "explained": true }],
        "only_simulated": [{ "pod": "shop/b", "simulated": "2026-11-21T02:31:00.000Z" }],
    });
    let table = documents::incident(&document);
    is_told(&table, &[]);
    let expected = "\
pod,recorded,simulated,share,apart_s,stands_in,reordered,explained
shop/a,2026-11-21T02:30:00.000Z,2026-11-21T02:30:01.250Z,1,1.25,false,true,true
shop/b,,2026-11-21T02:31:00.000Z,,,,,
";
    assert_eq!(csv_of(&table), expected);
}
