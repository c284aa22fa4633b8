//! Quantities held against what upstream makes of the same texts.

use super::{Quantity, QuantityError, Resources, add_resources};

/// Text, canonical form, `Value` and `MilliValue` as printed by apimachinery v0.34.4 for these
/// inputs.
#[test]
fn as_upstream_reads_and_writes() {
    for (text, canonical, value, milli) in [
        ("0", "0", 0, 0),
        ("0.00", "0", 0, 0),
        ("0Ki", "0", 0, 0),
        ("007", "7", 7, 7000),
        ("500m", "500m", 1, 500),
        ("0.5", "500m", 1, 500),
        (".5", "500m", 1, 500),
        ("5.", "5", 5, 5000),
        ("+5", "5", 5, 5000),
        ("1.5", "1500m", 2, 1500),
        ("1000m", "1", 1, 1000),
        ("100n", "100n", 1, 1),
        ("0.1n", "1n", 1, 1),
        ("1500u", "1500u", 1, 2),
        ("0.0000000001", "1n", 1, 1),
        ("3.141592653589793238", "3141592654n", 4, 3142),
        ("123456789.123456789123", "123456789123456790n", 123_456_790, 123_456_789_124),
        ("1k", "1k", 1000, 1_000_000),
        ("1000k", "1M", 1_000_000, 1_000_000_000),
        ("1.G", "1G", 1_000_000_000, 1_000_000_000_000),
        ("1024M", "1024M", 1_024_000_000, 1_024_000_000_000),
        ("1Ki", "1Ki", 1024, 1_024_000),
        ("1024Ki", "1Mi", 1_048_576, 1_048_576_000),
        ("1000Ki", "1000Ki", 1_024_000, 1_024_000_000),
        ("0.5Ki", "512", 512, 512_000),
        ("0.0001Ki", "102400u", 1, 103),
        ("1.5Gi", "1536Mi", 1_610_612_736, 1_610_612_736_000),
        ("1.1Mi", "1153433600m", 1_153_434, 1_153_433_600),
        ("0.3Gi", "322122547200m", 322_122_548, 322_122_547_200),
        ("0.33333333333333333333333333333Gi", "357913941333333334n", 357_913_942, 357_913_941_334),
        ("16Gi", "16Gi", 17_179_869_184, 17_179_869_184_000),
        ("1e3", "1e3", 1000, 1_000_000),
        ("1E3", "1e3", 1000, 1_000_000),
        ("1e+3", "1e3", 1000, 1_000_000),
        ("12e6", "12e6", 12_000_000, 12_000_000_000),
        ("1.5e3", "1500", 1500, 1_500_000),
        ("1e1", "10", 10, 10_000),
        ("1e-3", "1e-3", 1, 1),
        ("1e-10", "1e-9", 1, 1),
        ("-9", "-9", -9, -9000),
        ("-1.5Gi", "-1536Mi", -1_610_612_736, -1_610_612_736_000),
        ("-1001m", "-1001m", -2, -1001),
        ("-0.1n", "-1n", -1, -1),
    ] {
        let quantity = Quantity::parse(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(quantity.to_string(), canonical, "{text}");
        assert_eq!((quantity.value(), quantity.milli_value()), (value, milli), "{text}");
        assert_eq!(Quantity::parse(canonical), Ok(quantity), "{text}");
    }
    // Upstream's MilliValue overflows here; its Value and text do not.
    for (text, canonical, value) in [
        ("1E", "1E", 1_000_000_000_000_000_000),
        ("7Ei", "7Ei", 8_070_450_532_247_928_832),
        ("0.1Ei", "115292150460684697600m", 115_292_150_460_684_698),
        ("9223372036854775807", "9223372036854775807", i128::from(i64::MAX)),
    ] {
        let quantity = Quantity::parse(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((quantity.to_string().as_str(), quantity.value()), (canonical, value));
    }
}

#[test]
fn what_is_no_quantity() {
    for text in ["", "+", "-", ".", "-.", "a", "Mi", " 1", "--1", "١"] {
        assert!(matches!(Quantity::parse(text), Err(QuantityError::Format(_))), "{text:?}");
    }
    for text in [
        "1.1.1",
        "1a",
        "1K",
        "1kk",
        "1i",
        "1Gi5",
        "1m1",
        "1e",
        "1e-",
        "1e1.5",
        "1 ",
        "1GB",
        "1e99999999999999999999",
    ] {
        assert!(matches!(Quantity::parse(text), Err(QuantityError::Suffix { .. })), "{text:?}");
    }
    let long = "9".repeat(1_000_000);
    for text in [
        "9223372036854775808",
        "8Ei",
        "10E",
        "1e19",
        "-10E",
        "1e2147483648",
        "9007199254740993Ki",
        &long,
        &format!("{long}Gi"),
    ] {
        assert!(
            matches!(Quantity::parse(text), Err(QuantityError::Overflow(_))),
            "{}",
            &text[..20.min(text.len())]
        );
    }
    assert_eq!(Quantity::parse("0e2147483648").map(|q| q.to_string()), Ok("0".to_owned()));
    assert_eq!(Quantity::parse("1e-2147483648").map(|q| q.to_string()), Ok("1e-9".to_owned()));
    assert_eq!(Quantity::parse(&format!("0.{long}")).map(|q| q.to_string()), Ok("1".to_owned()));
    assert!(Quantity::parse(&long).unwrap_err().to_string().len() < 120);
}

#[test]
fn refusals_say_what_to_write() {
    for (text, hint) in [
        ("32GiB", "did you mean \"Gi\"?"),
        ("1K", "did you mean \"k\"?"),
        ("1gi", "did you mean \"Gi\"?"),
        ("5 pods", "suffixes are n, u, m, k, M, G, T, P, E, and Ki, Mi, Gi, Ti, Pi, Ei"),
        ("lots", "quantities are written \"2\", \"500m\", \"1.5\", \"512Mi\", \"32Gi\" or \"1e3\""),
    ] {
        assert_eq!(Quantity::parse(text).unwrap_err().hint().as_deref(), Some(hint), "{text}");
    }
}

#[test]
fn amounts_compare_and_add_whatever_their_suffix() {
    let q = |text: &str| Quantity::parse(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(q("1024"), q("1Ki"));
    assert!(q("999m") < q("1") && q("1Gi") > q("1G") && q("-1") < q("0"));
    // The sum is written as the first is, unless that is nothing.
    let sum = |a: &str, b: &str| q(a).checked_add(q(b)).map(|s| s.to_string());
    assert_eq!(sum("1Gi", "1Gi"), Some("2Gi".to_owned()));
    assert_eq!(sum("0", "512Mi"), Some("512Mi".to_owned()));
    assert_eq!(sum("1500m", "500m"), Some("2".to_owned()));
    assert_eq!(sum("1Gi", "1"), Some("1073741825".to_owned()));
    // 1.7e38 billionths hold 1.8e10 of the largest quantity: sums over a cluster do not
    // overflow.
    let largest = q("9223372036854775807");
    let many = (0..1000).try_fold(q("0"), |total, _| total.checked_add(largest));
    assert_eq!(many.map(Quantity::value), Some(i128::from(i64::MAX) * 1000));
    assert_eq!((Quantity::from_units(2), Quantity::from_milli(1500)), (q("2"), q("1.5")));
}

#[test]
fn resources_add_by_name() {
    let q = |text: &str| Quantity::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let list = |items: &[(&str, &str)]| {
        items.iter().map(|(name, amount)| ((*name).to_owned(), q(amount))).collect::<Resources>()
    };
    let mut total = list(&[("cpu", "500m")]);
    assert!(add_resources(&mut total, &list(&[("cpu", "1"), ("memory", "1Gi")])));
    assert_eq!(total, list(&[("cpu", "1500m"), ("memory", "1Gi")]));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[-+]?[0-9.]{0,12}[eEinumkKMGTP0-9+-]{0,6}|\\PC{0,20}") {
        if let Ok(quantity) = Quantity::parse(&text) {
            // What is written reads back as the same amount, written the same.
            let written = quantity.to_string();
            let again = Quantity::parse(&written).expect("canonical form");
            proptest::prop_assert_eq!((again, again.to_string()), (quantity, written));
        }
    }
}
