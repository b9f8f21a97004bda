//! Buffers: the chunk of a .glb, files beside a .gltf, or data in the document itself.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use super::{Result, document::Document};
use crate::error::{SceneError, SceneErrorKind};

/// With or without the padding: both are in use.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The bytes of every buffer, at least as many as it says.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    pub(super) list: Vec<Bytes<'a>>,
    /// Bytes read from files beside this one.
    pub(super) beside: u64,
}

#[derive(Debug)]
pub(super) enum Bytes<'a> {
    Here(&'a [u8]),
    Read(Arc<Vec<u8>>, usize),
}

impl Bytes<'_> {
    pub(super) fn get(&self) -> &[u8] {
        match self {
            Self::Here(bytes) => bytes,
            Self::Read(bytes, length) => bytes.get(..*length).unwrap_or(bytes),
        }
    }
}

/// Gets hold of every buffer. URIs are taken out of the document as they are decoded.
pub(super) fn load<'a>(
    document: &mut Document,
    binary: Option<&'a [u8]>,
    folder: Option<&Path>,
) -> Result<Buffers<'a>> {
    let mut files: HashMap<PathBuf, Arc<Vec<u8>>> = HashMap::new();
    let mut buffers = Buffers {
        list: Vec::new(),
        beside: 0,
    };
    // The most that any buffer asks of a file, so that each is read once.
    let mut lengths: HashMap<PathBuf, u64> = HashMap::new();
    for (i, buffer) in document.root.buffers.iter().enumerate() {
        if let Some(uri) = buffer.uri.as_deref().filter(|u| !is_data(u)) {
            let longest = lengths.entry(beside(uri, folder, i)?).or_default();
            *longest = (*longest).max(buffer.byte_length.0);
        }
    }
    for (i, buffer) in document.root.buffers.iter_mut().enumerate() {
        let length = buffer.byte_length.0;
        let bytes = match buffer.uri.take() {
            None => match binary.filter(|_| i == 0) {
                Some(binary) => Bytes::Here(binary),
                None => return Err(no_bytes(i, binary.is_some())),
            },
            Some(uri) if is_data(&uri) => {
                let data = decode(&uri, i)?;
                let length = data.len();
                Bytes::Read(Arc::new(data), length)
            }
            Some(uri) => {
                let path = beside(&uri, folder, i)?;
                let data = match files.get(&path) {
                    Some(data) => data.clone(),
                    None => {
                        let most = lengths.get(&path).copied();
                        let data = Arc::new(read_file(&path, most).map_err(|e| {
                            let at = format!("buffers[{i}].uri");
                            SceneError::new(e.kind(), at, e.to_string(), "put the file there")
                        })?);
                        buffers.beside = buffers.beside.saturating_add(data.len() as u64);
                        files.insert(path, data.clone());
                        data
                    }
                };
                let length = data.len();
                Bytes::Read(data, length)
            }
        };
        let there = bytes.get().len() as u64;
        if there < length {
            return Err(SceneError::new(
                SceneErrorKind::Truncated,
                format!("buffers[{i}].byteLength"),
                format!("{length} bytes are announced and {there} are there"),
                "write the length of the data, or fetch it again",
            ));
        }
        // A chunk may be padded, and a file may hold more than is asked for: neither is the buffer.
        buffers.list.push(match bytes {
            Bytes::Here(all) => Bytes::Here(all.get(..length as usize).unwrap_or(all)),
            Bytes::Read(all, _) => Bytes::Read(all, length as usize),
        });
    }
    Ok(buffers)
}

fn no_bytes(i: usize, has_chunk: bool) -> SceneError {
    let problem = match has_chunk {
        true => "only buffer 0 can be the binary chunk, and this one has no uri",
        false => "there is no uri, and the file has no binary chunk",
    };
    let fix = "give the uri of a file beside this one, or embed the data";
    SceneError::new(
        SceneErrorKind::Uri,
        format!("buffers[{i}].uri"),
        problem,
        fix,
    )
}

fn is_data(uri: &str) -> bool {
    uri.get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Decodes a data URI.
fn decode(uri: &str, i: usize) -> Result<Vec<u8>> {
    let wrong = |problem: String, fix: &str| {
        SceneError::new(
            SceneErrorKind::Uri,
            format!("buffers[{i}].uri"),
            problem,
            fix,
        )
    };
    let Some((head, data)) = uri.split_once(',') else {
        let fix = "write data:application/octet-stream;base64, and the data";
        return Err(wrong("the data URI has no comma".to_owned(), fix));
    };
    if !head.to_ascii_lowercase().ends_with(";base64") {
        return Ok(percent_decode_str(data).collect());
    }
    let data: Cow<'_, [u8]> = match data.contains('%') {
        true => percent_decode_str(data).into(),
        false => data.as_bytes().into(),
    };
    BASE64.decode(data).map_err(|e| {
        wrong(
            format!("the base64 does not decode: {e}"),
            "encode the data anew",
        )
    })
}

/// The path of a file beside this one. Only the file's own folder and what is below it can be named.
fn beside(uri: &str, folder: Option<&Path>, i: usize) -> Result<PathBuf> {
    let wrong = |problem: &str, fix: &str| {
        let quoted: String = uri.chars().take(100).collect();
        let problem = format!("{quoted:?} {problem}");
        Err(SceneError::new(
            SceneErrorKind::Uri,
            format!("buffers[{i}].uri"),
            problem,
            fix,
        ))
    };
    let Ok(name) = percent_decode_str(uri).decode_utf8() else {
        return wrong(
            "does not decode to UTF-8",
            "percent-encode the UTF-8 of the name",
        );
    };
    let path = Path::new(&*name);
    let stays = path
        .components()
        .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if name.is_empty() || !stays || name.contains(['\0', ':']) {
        return wrong(
            "is not a relative path below the file's own folder",
            "put the buffer beside the file and give its name",
        );
    }
    let Some(folder) = folder else {
        return wrong(
            "is beside the file, which was given without its folder",
            "embed the buffers, as a .glb does",
        );
    };
    Ok(folder.join(path))
}

/// Reads a file, or its first bytes. Only regular files are read, so that nothing hangs or never ends.
pub(super) fn read_file(path: &Path, most: Option<u64>) -> Result<Vec<u8>> {
    let failed = |e: std::io::Error| {
        let fix = "check the path and the permission to read it";
        SceneError::new(
            SceneErrorKind::Read,
            "file",
            format!("cannot be read: {e}"),
            fix,
        )
        .in_file(&path.display().to_string())
        .caused_by(e)
    };
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(failed(std::io::Error::other("not a regular file")));
    }
    let mut bytes = Vec::new();
    let mut file = File::open(path)
        .map_err(failed)?
        .take(most.unwrap_or(u64::MAX));
    file.read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}
