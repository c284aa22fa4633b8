//! What can go wrong with a chart.

/// A chart that could not be drawn. With memory as the target only a defect of the program leads
/// here.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// The font that is built in was not accepted.
    #[error("the built-in font of the charts cannot be read")]
    Font,
    /// Drawing failed.
    #[error("a chart cannot be drawn: {0}")]
    Draw(String),
    /// The image could not be encoded.
    #[error("a chart cannot be encoded as PNG: {0}")]
    Png(#[from] png::EncodingError),
}
