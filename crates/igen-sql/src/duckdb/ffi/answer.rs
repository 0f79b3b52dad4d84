//! The rows that a statement returned: chunks of some thousand rows, column by column.

use std::ffi::c_void;
use std::slice;

use igen_engine::{Failure, FailureKind};

use super::functions::{Handle, Library, RawResult};
use super::{SUCCESS, text_of};
use crate::duckdb::error::failure;

/// A value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::duckdb) enum Cell<'a> {
    Null,
    /// Any integer, also a decimal, of which the fraction is cut off: amounts are whole.
    Integer(i64),
    Real(f64),
    Text(&'a [u8]),
    /// Seconds since 1970.
    Timestamp(i64),
}

/// What a statement returned.
pub(in crate::duckdb) struct Answer {
    library: &'static Library,
    raw: RawResult,
}

impl Answer {
    /// The outcome of a function that returned `state`; frees `raw` in any case.
    pub(super) fn new(
        library: &'static Library,
        raw: RawResult,
        state: u32,
    ) -> Result<Self, Failure> {
        let mut answer = Self { library, raw };
        if state == SUCCESS {
            return Ok(answer);
        }
        // SAFETY: a failed result keeps its error until it is freed.
        let text = unsafe { text_of((library.duckdb_result_error)(&raw mut answer.raw)) };
        Err(failure(&text))
    }

    /// Rows that an insert, update or delete changed.
    pub(in crate::duckdb) fn rows_changed(&mut self) -> u64 {
        // SAFETY: the result is live.
        unsafe { (self.library.duckdb_rows_changed)(&raw mut self.raw) }
    }

    /// Hands each row to `each`.
    pub(in crate::duckdb) fn for_each(
        mut self,
        mut each: impl FnMut(&[Cell<'_>]),
    ) -> Result<(), Failure> {
        let kinds = self.kinds()?;
        let mut row = Vec::with_capacity(kinds.len());
        while let Some(chunk) = self.fetch() {
            let columns: Vec<Column> = (0..)
                .zip(&kinds)
                .map(|(i, k)| chunk.column(i, *k))
                .collect();
            for index in 0..chunk.rows() {
                row.clear();
                // SAFETY: `index` is below the number of rows, and the chunk outlives `row`'s use.
                row.extend(columns.iter().map(|column| unsafe { column.cell(index) }));
                each(&row);
            }
        }
        Ok(())
    }

    fn kinds(&mut self) -> Result<Vec<StoredType>, Failure> {
        // SAFETY: the result is live.
        let columns = unsafe { (self.library.duckdb_column_count)(&raw mut self.raw) };
        (0..columns).map(|column| self.kind(column)).collect()
    }

    fn kind(&mut self, column: u64) -> Result<StoredType, Failure> {
        let library = self.library;
        // SAFETY: the result is live and has this column; the type is freed after its last use.
        unsafe {
            let mut of = (library.duckdb_column_logical_type)(&raw mut self.raw, column);
            let id = (library.duckdb_get_type_id)(of);
            let kind = if id == DECIMAL {
                let stored = StoredType::of((library.duckdb_decimal_internal_type)(of));
                let scale = (library.duckdb_decimal_scale)(of);
                stored.map(|stored| stored.scaled(scale))
            } else {
                StoredType::of(id)
            };
            (library.duckdb_destroy_logical_type)(&raw mut of);
            kind.ok_or_else(|| {
                Failure::new(
                    FailureKind::Other,
                    format!("unsupported DuckDB column type {id}"),
                )
            })
        }
    }

    fn fetch(&mut self) -> Option<Chunk> {
        // SAFETY: the result is live; null at its end, otherwise the chunk is ours to free.
        let handle = unsafe { (self.library.duckdb_fetch_chunk)(self.raw) };
        (!handle.is_null()).then_some(Chunk {
            library: self.library,
            handle,
        })
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        // SAFETY: freed once; a failed result must be freed too.
        unsafe { (self.library.duckdb_destroy_result)(&raw mut self.raw) };
    }
}

struct Chunk {
    library: &'static Library,
    handle: Handle,
}

impl Chunk {
    fn rows(&self) -> usize {
        // SAFETY: the chunk is live.
        let rows = unsafe { (self.library.duckdb_data_chunk_get_size)(self.handle) };
        usize::try_from(rows).unwrap_or_default()
    }

    fn column(&self, index: u64, kind: StoredType) -> Column {
        // SAFETY: the chunk is live and has this column, whose pointers live as long as the chunk.
        unsafe {
            let vector = (self.library.duckdb_data_chunk_get_vector)(self.handle, index);
            Column {
                kind,
                data: (self.library.duckdb_vector_get_data)(vector),
                validity: (self.library.duckdb_vector_get_validity)(vector),
            }
        }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: freed once, after the last use of its columns.
        unsafe { (self.library.duckdb_destroy_data_chunk)(&raw mut self.handle) };
    }
}

/// Numbers of types in duckdb.h.
const DECIMAL: u32 = 19;

/// How the values of a column are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StoredType {
    Boolean,
    Int8(i64),
    Int16(i64),
    Int32(i64),
    Int64(i64),
    Int128(i128),
    Float,
    Double,
    Timestamp,
    Text,
}

impl StoredType {
    fn of(id: u32) -> Option<Self> {
        Some(match id {
            1 => Self::Boolean,
            2 => Self::Int8(1),
            3 => Self::Int16(1),
            4 => Self::Int32(1),
            5 => Self::Int64(1),
            10 => Self::Float,
            11 => Self::Double,
            12 => Self::Timestamp,
            16 => Self::Int128(1),
            17 => Self::Text,
            _ => return None,
        })
    }

    /// The same integer, counting units of 10^-scale.
    fn scaled(self, scale: u8) -> Self {
        let unit = 10_i64.saturating_pow(scale.into());
        match self {
            Self::Int16(_) => Self::Int16(unit),
            Self::Int32(_) => Self::Int32(unit),
            Self::Int64(_) => Self::Int64(unit),
            Self::Int128(_) => Self::Int128(10_i128.saturating_pow(scale.into())),
            other => other,
        }
    }
}

/// A column of a chunk.
struct Column {
    kind: StoredType,
    data: *mut c_void,
    /// A bit for each row, set where there is a value; null where all rows have one.
    validity: *mut u64,
}

/// A text: up to 12 bytes in place, of a longer one the first four and where it is.
#[derive(Clone, Copy)]
#[repr(C)]
struct StringHead {
    length: u32,
    prefix: [u8; 4],
    pointer: *const u8,
}

const INLINE_BYTES: u32 = 12;
const INLINE_OFFSET: usize = 4;

impl Column {
    /// # Safety
    /// `index` is below the number of rows of the chunk, which outlives the cell.
    unsafe fn cell<'a>(&self, index: usize) -> Cell<'a> {
        // SAFETY: there are as many values as rows, and a bit for each.
        unsafe {
            if !self.validity.is_null() && *self.validity.add(index / 64) >> (index % 64) & 1 == 0 {
                return Cell::Null;
            }
            match self.kind {
                StoredType::Boolean => Cell::Integer(self.value::<u8>(index).into()),
                StoredType::Int8(unit) => Cell::Integer(i64::from(self.value::<i8>(index)) / unit),
                StoredType::Int16(unit) => {
                    Cell::Integer(i64::from(self.value::<i16>(index)) / unit)
                }
                StoredType::Int32(unit) => {
                    Cell::Integer(i64::from(self.value::<i32>(index)) / unit)
                }
                StoredType::Int64(unit) => Cell::Integer(self.value::<i64>(index) / unit),
                StoredType::Int128(unit) => {
                    // A sum of 64-bit integers; one that leaves their range saturates.
                    let integer = self.value::<i128>(index) / unit;
                    Cell::Integer(i64::try_from(integer).unwrap_or(i64::MAX))
                }
                StoredType::Float => Cell::Real(self.value::<f32>(index).into()),
                StoredType::Double => Cell::Real(self.value::<f64>(index)),
                StoredType::Timestamp => {
                    Cell::Timestamp(self.value::<i64>(index).div_euclid(1_000_000))
                }
                StoredType::Text => Cell::Text(self.text(index)),
            }
        }
    }

    /// # Safety
    /// As for `cell`; the column's values are of type `T`.
    unsafe fn value<T: Copy>(&self, index: usize) -> T {
        // SAFETY: the caller's. DuckDB aligns to 8 bytes at least, an i128 needs 16.
        unsafe { self.data.cast::<T>().add(index).read_unaligned() }
    }

    /// # Safety
    /// As for `cell`; the column's values are texts.
    unsafe fn text<'a>(&self, index: usize) -> &'a [u8] {
        // SAFETY: a short text lies in place, a long one where the pointer says, both in the chunk.
        unsafe {
            let head = self.data.cast::<StringHead>().add(index);
            let length = (*head).length;
            let start = if length <= INLINE_BYTES {
                head.cast::<u8>().add(INLINE_OFFSET).cast_const()
            } else {
                (*head).pointer
            };
            slice::from_raw_parts(start, length as usize)
        }
    }
}
