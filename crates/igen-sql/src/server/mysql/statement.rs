//! A prepared statement as the bytes that run it.

use super::packet::{HEADER, seal};
use super::row::Column;

const EXECUTE: u8 = 0x17;
/// A signed integer of 64 bits.
const PARAMETER_TYPE: [u8; 2] = [8, 0];
const PARAMETER_BYTES: usize = 8;

/// A prepared statement.
#[derive(Debug)]
pub struct Statement {
    /// The packet that runs it, with the last parameters.
    packet: Vec<u8>,
    /// Where its parameters begin.
    values: usize,
    parameters: usize,
    /// The server knows the types of the parameters.
    bound: bool,
    /// Columns of its rows, as the server last described them.
    pub(super) columns: Vec<Column>,
}

impl Statement {
    pub(super) fn new(id: u32, parameters: usize, columns: Vec<Column>) -> Self {
        let mut statement = Self {
            packet: Vec::new(),
            values: 0,
            parameters,
            bound: false,
            columns,
        };
        statement.build(id);
        statement
    }

    fn build(&mut self, id: u32) {
        let packet = &mut self.packet;
        packet.clear();
        packet.extend([0; HEADER]);
        packet.push(EXECUTE);
        packet.extend(id.to_le_bytes());
        // No cursor, and once.
        packet.extend([0, 1, 0, 0, 0]);
        if self.parameters > 0 {
            packet.resize(packet.len() + self.parameters.div_ceil(8), 0);
            packet.push(u8::from(!self.bound));
            if !self.bound {
                packet.extend(PARAMETER_TYPE.repeat(self.parameters));
            }
        }
        self.values = packet.len();
        packet.resize(packet.len() + self.parameters * PARAMETER_BYTES, 0);
        seal(packet, 0, 0);
    }

    /// The packet that runs it with `parameters`; `None` if it has another number of them.
    pub(super) fn packet(&mut self, parameters: &[i64]) -> Option<&[u8]> {
        if parameters.len() != self.parameters {
            return None;
        }
        let (places, _) = self.packet[self.values..].as_chunks_mut();
        for (place, parameter) in places.iter_mut().zip(parameters) {
            *place = parameter.to_le_bytes();
        }
        Some(&self.packet)
    }

    /// It has run: from now on the server knows the types of the parameters.
    pub(super) fn has_run(&mut self) {
        if !self.bound {
            self.bound = true;
            if let Some(id) = self.packet[HEADER + 1..].first_chunk() {
                self.build(u32::from_le_bytes(*id));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn types_of_parameters_are_sent_until_it_has_run() {
        let mut statement = Statement::new(0x0102, 2, Vec::new());
        let mut packet = vec![32, 0, 0, 0, EXECUTE, 2, 1, 0, 0, 0, 1, 0, 0, 0];
        let values = [5_i64.to_le_bytes(), (-1_i64).to_le_bytes()].concat();
        packet.extend([0, 1, 8, 0, 8, 0]);
        packet.extend(&values);
        assert_eq!(statement.packet(&[5, -1]).unwrap(), packet);
        for _ in 0..2 {
            statement.has_run();
        }
        let mut packet = vec![28, 0, 0, 0, EXECUTE, 2, 1, 0, 0, 0, 1, 0, 0, 0];
        packet.extend([0, 0]);
        packet.extend(&values);
        assert_eq!(statement.packet(&[5, -1]).unwrap(), packet);
        assert_eq!(statement.packet(&[5]), None);
    }

    #[test]
    fn without_parameters_it_ends_after_the_count() {
        let mut statement = Statement::new(1, 0, Vec::new());
        assert_eq!(
            statement.packet(&[]).unwrap(),
            [10, 0, 0, 0, EXECUTE, 1, 0, 0, 0, 0, 1, 0, 0, 0]
        );
    }
}
