//! Input from a file: `.npy`, or raw little-endian elements.

use std::any::Any;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use half::{bf16, f16};

use super::npy::{self, MAGIC};
use super::{Dtype, Element, InputError, try_zeroed};
use crate::Error;

/// An array read from a file.
#[derive(Debug, Clone)]
pub struct InputFile {
    path: PathBuf,
    dtype: Dtype,
    len: u64,
    /// A `Vec` of the element type that `dtype` names.
    data: Arc<dyn Any + Send + Sync>,
}

impl InputFile {
    /// Reads a file whole. A `.npy` file says what its elements are; of any other file `dtype`
    /// must say it. Where both say it, they must agree.
    pub fn read(path: &Path, dtype: Option<Dtype>) -> Result<Self, Error> {
        let io = |source| InputError::Read {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if metadata.is_dir() {
            return Err(InputError::Folder(path.to_owned()).into());
        }
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let layout = layout(path, &mut reader, metadata.len(), dtype)?;
        let data = read_elements(path, reader, &layout)?;
        Ok(Self {
            path: path.to_owned(),
            dtype: layout.dtype,
            len: layout.len,
            data,
        })
    }

    /// Where it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The type of its elements.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Elements.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it holds no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements, if `T` is their type.
    pub fn elements<T: Element>(&self) -> Option<Arc<Vec<T>>> {
        Arc::clone(&self.data).downcast().ok()
    }
}

struct Layout {
    dtype: Dtype,
    len: u64,
}

/// Finds out what the file holds, and checks it against the file's size; leaves `reader` at the
/// first element.
fn layout(
    path: &Path,
    reader: &mut BufReader<File>,
    size: u64,
    dtype: Option<Dtype>,
) -> Result<Layout, InputError> {
    use std::io::BufRead;
    let io = |source| InputError::Read {
        path: path.to_owned(),
        source,
    };
    let named = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("npy"));
    let is_npy = reader.fill_buf().map_err(io)?.starts_with(MAGIC);
    if named && !is_npy {
        let reason = "it does not begin as a .npy file does".to_owned();
        return Err(InputError::Npy {
            path: path.to_owned(),
            reason,
        });
    }
    if !is_npy {
        let dtype = dtype.ok_or_else(|| InputError::NeedsDtype(path.to_owned()))?;
        let element = dtype.size() as u64;
        if !size.is_multiple_of(element) {
            return Err(InputError::Ragged {
                path: path.to_owned(),
                size,
                dtype,
            });
        }
        return Ok(Layout {
            dtype,
            len: size / element,
        });
    }
    let header = npy::read_header(path, reader)?;
    if let Some(asked) = dtype.filter(|asked| *asked != header.dtype) {
        return Err(InputError::OtherDtype {
            path: path.to_owned(),
            holds: header.dtype,
            asked,
        });
    }
    let declared = header.len * header.dtype.size() as u64;
    let actual = size.saturating_sub(header.data);
    if declared != actual {
        return Err(InputError::Size {
            path: path.to_owned(),
            len: header.len,
            declared,
            actual,
        });
    }
    Ok(Layout {
        dtype: header.dtype,
        len: header.len,
    })
}

fn read_elements(
    path: &Path,
    reader: impl Read,
    layout: &Layout,
) -> Result<Arc<dyn Any + Send + Sync>, Error> {
    let len = layout.len;
    match layout.dtype {
        Dtype::I8 => read_as::<i8>(path, reader, len),
        Dtype::I16 => read_as::<i16>(path, reader, len),
        Dtype::I32 => read_as::<i32>(path, reader, len),
        Dtype::I64 => read_as::<i64>(path, reader, len),
        Dtype::U8 => read_as::<u8>(path, reader, len),
        Dtype::U16 => read_as::<u16>(path, reader, len),
        Dtype::U32 => read_as::<u32>(path, reader, len),
        Dtype::U64 => read_as::<u64>(path, reader, len),
        Dtype::F16 => read_as::<f16>(path, reader, len),
        Dtype::Bf16 => read_as::<bf16>(path, reader, len),
        Dtype::F32 => read_as::<f32>(path, reader, len),
        Dtype::F64 => read_as::<f64>(path, reader, len),
    }
}

fn read_as<T: Element>(
    path: &Path,
    mut reader: impl Read,
    len: u64,
) -> Result<Arc<dyn Any + Send + Sync>, Error> {
    let too_long = || Error::HostMemory {
        what: path.display().to_string(),
        required: len.saturating_mul(size_of::<T>() as u64),
    };
    let mut data = try_zeroed::<T>(usize::try_from(len).map_err(|_| too_long())?)?;
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut data);
    reader
        .read_exact(bytes)
        .map_err(|source| InputError::Read {
            path: path.to_owned(),
            source,
        })?;
    Ok(Arc::new(data))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use npyz::WriterBuilder;
    use proptest::prelude::*;

    use super::*;

    fn npy<T: npyz::AutoSerialize + Copy>(shape: &[u64], data: &[T]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let options = npyz::WriteOptions::new().default_dtype().shape(shape);
        let mut writer = options
            .writer(&mut bytes)
            .begin_nd()
            .expect("a valid shape");
        writer
            .extend(data.iter().copied())
            .expect("memory can be written");
        writer.finish().expect("memory can be written");
        bytes
    }

    fn read(ending: &str, bytes: &[u8], dtype: Option<Dtype>) -> Result<InputFile, String> {
        let mut file = tempfile::Builder::new()
            .suffix(ending)
            .tempfile()
            .expect("a temporary file");
        file.write_all(bytes)
            .expect("a temporary file can be written");
        let path = file.path().to_owned();
        InputFile::read(&path, dtype)
            .map_err(|error| error.to_string().replace(&path.display().to_string(), "F"))
    }

    #[track_caller]
    fn check_error(ending: &str, bytes: &[u8], dtype: Option<Dtype>, expected: &str) {
        assert_eq!(
            read(ending, bytes, dtype).expect_err("must be refused"),
            expected
        );
    }

    #[test]
    fn npy_is_read() {
        let file = read(".npy", &npy(&[2, 2], &[1.5_f32, 2.0, -3.0, 4.0]), None).expect("valid");
        assert_eq!((file.dtype(), file.len()), (Dtype::F32, 4));
        assert_eq!(*file.elements::<f32>().expect("f32"), [1.5, 2.0, -3.0, 4.0]);
        assert!(file.elements::<i32>().is_none());
    }

    #[test]
    fn npy_of_no_elements_is_read() {
        assert!(
            read(".npy", &npy::<i64>(&[0, 5], &[]), None)
                .expect("valid")
                .is_empty()
        );
    }

    #[test]
    fn raw_is_read() {
        let file = read(".bin", &[1, 0, 255, 255], Some(Dtype::I16)).expect("valid");
        assert_eq!(*file.elements::<i16>().expect("i16"), [1, -1]);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let good = npy(&[4], &[1_i32, 2, 3, 4]);
        let cut = &good[..good.len() - 3];
        check_error(
            ".npy",
            cut,
            None,
            "F: truncated: the header declares 4 elements (16 bytes), the file holds 13 bytes",
        );
        check_error(
            ".npy",
            &[&good[..], b"x"].concat(),
            None,
            "F: malformed: the header declares 4 elements (16 bytes), the file holds 17 bytes",
        );
        check_error(
            ".npy",
            b"hello",
            None,
            "F: malformed .npy: it does not begin as a .npy file does",
        );
        check_error(
            ".npy",
            &good[..40],
            None,
            "F: malformed .npy: the file ends inside the header",
        );
        check_error(
            ".npy",
            &good[..7],
            None,
            "F: malformed .npy: the file ends inside the header",
        );
        check_error(
            ".npy",
            &good,
            Some(Dtype::F32),
            "F: holds i32, and --dtype asks for f32",
        );
        check_error(
            ".bin",
            &[0; 7],
            Some(Dtype::F32),
            "F: 7 bytes are no whole number of f32 elements",
        );
        check_error(
            ".bin",
            &[0; 8],
            None,
            "F: no .npy file, so its element type must be given: --dtype f32",
        );
    }

    fn header(text: &str) -> Vec<u8> {
        let mut bytes = [MAGIC, &[1, 0]].concat();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.bytes());
        bytes
    }

    #[test]
    fn unsupported_arrays_say_why() {
        let dict = |descr: &str, order: &str, shape: &str| {
            header(&format!(
                "{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"
            ))
        };
        let error = |bytes: &[u8]| read(".npy", bytes, None).expect_err("must be refused");
        assert!(
            error(&dict("'>f4'", "False", "(1,)"))
                .contains("big-endian; save it with .astype('<f4')")
        );
        assert!(error(&dict("'<c8'", "False", "(1,)")).contains("unsupported dtype '<c8'"));
        assert!(error(&dict("'|O'", "False", "(1,)")).contains("unsupported dtype '|O'"));
        assert!(error(&dict("'<f4'", "True", "(2, 2)")).contains("Fortran order"));
        assert!(
            error(&dict("'<f4'", "False", "(4294967296, 4294967296, 4)")).contains("more elements")
        );
        assert!(error(&dict("'<f4'", "False", "(1000000000000,)")).contains("truncated"));
        assert!(error(&header("{'descr': ")).contains("the header cannot be read"));
    }

    #[test]
    fn a_missing_file_and_a_folder_say_so() {
        let error = InputFile::read(Path::new("no/such/file"), None).expect_err("missing");
        assert!(
            error
                .to_string()
                .starts_with("no/such/file: cannot be read: "),
            "{error}"
        );
        let folder = std::env::temp_dir();
        let error = InputFile::read(&folder, Some(Dtype::U8)).expect_err("a folder");
        assert!(error.to_string().ends_with("is a folder"), "{error}");
    }

    proptest! {
        /// Whatever bytes come, there is an answer.
        #[test]
        fn no_bytes_make_it_panic(at in 0_usize..160, byte: u8, cut in 0_usize..160) {
            let mut bytes = npy(&[2, 3], &[1_u16, 2, 3, 4, 5, 6]);
            let end = bytes.len() - cut.min(bytes.len());
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
            let _ = read(".npy", &bytes[..end], None);
        }

        #[test]
        fn no_header_makes_it_panic(text in "[{}()\\[\\]'a-z<>|0-9:, _FT]{0,80}") {
            let _ = read(".npy", &header(&text), None);
        }
    }
}
