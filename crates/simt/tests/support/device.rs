//! A module loaded into an emulated memory, with buffers of numbers.

use simt::{Image, LaunchConfig, Memory, Options, Program, Report, SimtError, launch};
use std::sync::Arc;

/// A module and its memory.
pub struct Device {
    pub memory: Memory,
    pub image: Image,
    pub options: Options,
}

/// A kernel's parameter.
pub enum Param {
    /// The address of a buffer.
    Buffer(u64),
    /// Bytes of a scalar or a struct, with their alignment.
    Bytes(Vec<u8>, usize),
}

impl Device {
    /// Parses, checks and loads a text.
    ///
    /// # Panics
    /// If the text is not well-formed.
    pub fn new(name: &str, text: &str) -> Device {
        let module = ptx::parse(text).and_then(|module| module.check().map(|()| module));
        let module = module.unwrap_or_else(|errors| panic!("{}", errors.render(name, text)));
        let mut memory = Memory::tracked();
        let image = Program::new(Arc::new(module))
            .load(&mut memory)
            .expect("the module loads");
        Device {
            memory,
            image,
            options: Options::default(),
        }
    }

    /// A buffer with these numbers.
    pub fn buffer<T: bytemuck::Pod>(&mut self, values: &[T]) -> u64 {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let address = self.memory.alloc(bytes.len() as u64).expect("it fits");
        self.memory.write(address, bytes).expect("it is live");
        address
    }

    /// What a buffer holds.
    pub fn read<T: bytemuck::Pod>(&self, address: u64, count: usize) -> Vec<T> {
        let mut values = vec![T::zeroed(); count];
        let bytes = bytemuck::cast_slice_mut(&mut values);
        self.memory.read(address, bytes).expect("it is live");
        values
    }

    /// Launches a kernel.
    ///
    /// # Errors
    /// What the emulator says.
    pub fn launch(
        &mut self,
        entry: &str,
        config: &LaunchConfig,
        params: &[Param],
    ) -> Result<Report, SimtError> {
        let bytes = pack(params);
        launch(
            &self.image,
            entry,
            config,
            &bytes,
            &mut self.memory,
            &self.options,
        )
    }
}

/// A scalar parameter.
pub fn scalar<T: bytemuck::Pod>(value: T) -> Param {
    Param::Bytes(bytemuck::bytes_of(&value).to_vec(), align_of::<T>())
}

/// The bytes of the parameters, each at its alignment.
pub fn pack(params: &[Param]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for param in params {
        let (piece, align) = match param {
            Param::Buffer(address) => (address.to_le_bytes().to_vec(), 8),
            Param::Bytes(piece, align) => (piece.clone(), *align),
        };
        bytes.resize(bytes.len().next_multiple_of(align), 0);
        bytes.extend(piece);
    }
    bytes
}
