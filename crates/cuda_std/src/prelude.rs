//! What a kernel file starts with: `use cuda_std::prelude::*;`.

pub use crate::group::Group;
pub use crate::{Pod, address_space, bf16, block, f16, gpu_only, kernel, shared, thread, warp};
pub use crate::{UVec2, UVec3};
pub use crate::{print, println, shared_array};
