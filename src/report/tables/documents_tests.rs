//! Tables of documents: each document is written by hand, with the fields that its page tells.

use super::documents;
use super::tests::{csv_of_both, is_told};
use serde_json::{Value, json};

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
    assert_eq!(csv_of_both(&table), expected);
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
    assert_eq!(csv_of_both(&documents::plan(&document)), expected);
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
    assert_eq!(csv_of_both(&table), expected);
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
    let mut lines: Vec<String> = csv_of_both(&table).lines().map(str::to_owned).collect();
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
