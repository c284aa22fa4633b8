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
