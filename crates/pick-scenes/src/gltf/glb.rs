//! The binary container: a header, a chunk of JSON, and at most one chunk of bytes.

use super::Result;
use crate::error::{SceneError, SceneErrorKind};

const MAGIC: &[u8] = b"glTF";
const JSON: &[u8] = b"JSON";
const BINARY: &[u8] = b"BIN\0";

/// The parts of a file.
#[derive(Debug)]
pub(super) struct Container<'a> {
    pub(super) json: &'a [u8],
    /// The bytes of a .glb file, which buffer 0 may be.
    pub(super) binary: Option<&'a [u8]>,
}

/// Takes a file apart: a .glb by its chunks; anything else is taken to be JSON.
pub(super) fn split(bytes: &[u8]) -> Result<Container<'_>> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        let json = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if json.iter().find(|b| !b.is_ascii_whitespace()) != Some(&b'{') {
            return Err(SceneError::new(
                SceneErrorKind::Format,
                "header",
                "the file starts neither with glTF, as a .glb does, nor with a JSON object",
                "give a glTF 2.0 file",
            ));
        }
        return Ok(Container { json, binary: None });
    };
    let (version, rest) = number(rest, "header.version")?;
    if version != 2 {
        return Err(SceneError::new(
            SceneErrorKind::Unsupported,
            "header.version",
            format!("the container is of version {version}"),
            "convert the file to glTF 2.0",
        ));
    }
    let (length, _) = number(rest, "header.length")?;
    let Some(whole) = bytes.get(..length as usize) else {
        return Err(truncated(
            "header.length",
            u64::from(length),
            bytes.len() as u64,
        ));
    };
    let Some(chunks) = whole.get(12..) else {
        return Err(SceneError::new(
            SceneErrorKind::Format,
            "header.length",
            format!("{length} is less than the header itself"),
            "write the length of the whole file",
        ));
    };
    let (kind, json, rest) = chunk(chunks, "chunks[0]")?;
    if kind != JSON {
        return Err(SceneError::new(
            SceneErrorKind::Format,
            "chunks[0].type",
            "the first chunk is not JSON",
            "write the JSON chunk first",
        ));
    }
    let binary = match rest {
        [] => None,
        rest => {
            let (kind, data, _) = chunk(rest, "chunks[1]")?;
            // Chunks of unknown types are to be passed over, so the bytes are there or they are not.
            (kind == BINARY).then_some(data)
        }
    };
    Ok(Container { json, binary })
}

/// One chunk: its type, its data, and what follows it.
fn chunk<'a>(bytes: &'a [u8], field: &str) -> Result<(&'a [u8], &'a [u8], &'a [u8])> {
    let (length, rest) = number(bytes, &format!("{field}.length"))?;
    let (Some(kind), Some(rest)) = (rest.get(..4), rest.get(4..)) else {
        return Err(truncated(&format!("{field}.type"), 8, bytes.len() as u64));
    };
    match (rest.get(..length as usize), rest.get(length as usize..)) {
        (Some(data), Some(after)) => Ok((kind, data, after)),
        _ => Err(truncated(
            &format!("{field}.length"),
            u64::from(length),
            rest.len() as u64,
        )),
    }
}

fn number<'a>(bytes: &'a [u8], field: &str) -> Result<(u32, &'a [u8])> {
    match bytes.split_first_chunk::<4>() {
        Some((number, rest)) => Ok((u32::from_le_bytes(*number), rest)),
        None => Err(truncated(field, 4, bytes.len() as u64)),
    }
}

fn truncated(field: &str, asked: u64, there: u64) -> SceneError {
    SceneError::new(
        SceneErrorKind::Truncated,
        field,
        format!("{asked} bytes are announced and {there} are there"),
        "fetch the file again, or write it anew",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u32, chunks: &[(&[u8], &[u8])]) -> Vec<u8> {
        let body: Vec<u8> = chunks
            .iter()
            .flat_map(|(kind, data)| [&(data.len() as u32).to_le_bytes()[..], kind, data].concat())
            .collect();
        let length = 12 + body.len() as u32;
        [MAGIC, &version.to_le_bytes(), &length.to_le_bytes(), &body].concat()
    }

    #[test]
    fn chunks_are_found() {
        let bytes = file(2, &[(JSON, b"{}  "), (BINARY, &[1, 2, 3, 4])]);
        let container = split(&bytes).expect("it is well formed");
        assert_eq!(container.json, b"{}  ");
        assert_eq!(container.binary, Some(&[1, 2, 3, 4][..]));
        let bytes = file(2, &[(JSON, b"{}  ")]);
        assert_eq!(split(&bytes).expect("it is well formed").binary, None);
    }

    #[test]
    fn every_cut_is_an_error() {
        let bytes = file(2, &[(JSON, b"{}  "), (BINARY, &[1, 2, 3, 4])]);
        for end in 0..bytes.len() {
            let error = split(&bytes[..end]).expect_err("it is cut");
            let expected = if end < 4 {
                SceneErrorKind::Format
            } else {
                SceneErrorKind::Truncated
            };
            assert_eq!(error.kind(), expected, "cut at {end}: {error}");
        }
    }

    #[test]
    fn other_versions_and_orders_are_told() {
        let error = split(&file(1, &[(JSON, b"{}")])).expect_err("version 1");
        assert_eq!(
            (error.kind(), error.field()),
            (SceneErrorKind::Unsupported, "header.version")
        );
        let error = split(&file(2, &[(BINARY, b"{}")])).expect_err("no JSON");
        assert_eq!(
            (error.kind(), error.field()),
            (SceneErrorKind::Format, "chunks[0].type")
        );
    }
}
