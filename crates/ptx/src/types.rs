//! Scalar types and state spaces.

use crate::words::words;

words! {
    /// A fundamental, packed or narrow type (PTX ISA 5.2).
    ScalarType {
        Pred = "pred",
        B1 = "b1", B4 = "b4", B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64", B128 = "b128",
        U2 = "u2", U4 = "u4", U8 = "u8", U16 = "u16", U32 = "u32", U64 = "u64",
        S2 = "s2", S4 = "s4", S8 = "s8", S16 = "s16", S32 = "s32", S64 = "s64",
        F16 = "f16", F16x2 = "f16x2", Bf16 = "bf16", Bf16x2 = "bf16x2", Tf32 = "tf32",
        F32 = "f32", F32x2 = "f32x2", F64 = "f64",
        U16x2 = "u16x2", S16x2 = "s16x2", U8x4 = "u8x4", S8x4 = "s8x4",
        E4m3 = "e4m3", E5m2 = "e5m2", E3m2 = "e3m2", E2m3 = "e2m3", E2m1 = "e2m1",
        E4m3x2 = "e4m3x2", E5m2x2 = "e5m2x2", E3m2x2 = "e3m2x2", E2m3x2 = "e2m3x2",
        E2m1x2 = "e2m1x2", Ue8m0x2 = "ue8m0x2", Ue8m0 = "ue8m0", Ue4m3 = "ue4m3",
        E4m3x4 = "e4m3x4", E5m2x4 = "e5m2x4", E3m2x4 = "e3m2x4", E2m3x4 = "e2m3x4",
        E2m1x4 = "e2m1x4", S2f6x2 = "s2f6x2",
        Texref = "texref", Samplerref = "samplerref", Surfref = "surfref",
    }
}

impl ScalarType {
    /// Width in bits; a predicate counts as 1, and the opaque reference types as 64.
    #[must_use]
    pub const fn bits(self) -> u32 {
        use ScalarType as T;
        match self {
            T::Pred | T::B1 => 1,
            T::U2 | T::S2 => 2,
            T::B4 | T::U4 | T::S4 | T::E2m1 => 4,
            T::E3m2 | T::E2m3 => 6,
            T::B8 | T::U8 | T::S8 | T::E4m3 | T::E5m2 | T::E2m1x2 | T::Ue8m0 | T::Ue4m3 => 8,
            T::B16 | T::U16 | T::S16 | T::F16 | T::Bf16 => 16,
            T::E4m3x2 | T::E5m2x2 | T::E3m2x2 | T::E2m3x2 | T::Ue8m0x2 | T::S2f6x2 => 16,
            T::E2m1x4 => 16,
            T::B32 | T::U32 | T::S32 | T::F32 | T::F16x2 | T::Bf16x2 | T::Tf32 => 32,
            T::U16x2 | T::S16x2 | T::U8x4 | T::S8x4 => 32,
            T::E4m3x4 | T::E5m2x4 | T::E3m2x4 | T::E2m3x4 => 32,
            T::B64 | T::U64 | T::S64 | T::F64 | T::F32x2 => 64,
            T::Texref | T::Samplerref | T::Surfref => 64,
            T::B128 => 128,
        }
    }

    /// Width in bytes, rounded up.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether values are two's complement numbers.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        use ScalarType as T;
        matches!(
            self,
            T::S2 | T::S4 | T::S8 | T::S16 | T::S32 | T::S64 | T::S16x2 | T::S8x4
        )
    }

    /// Whether values are unsigned numbers.
    #[must_use]
    pub const fn is_unsigned(self) -> bool {
        use ScalarType as T;
        matches!(
            self,
            T::U2 | T::U4 | T::U8 | T::U16 | T::U32 | T::U64 | T::U16x2 | T::U8x4
        )
    }

    /// Whether the type is one of the untyped `.b` types.
    #[must_use]
    pub const fn is_bits(self) -> bool {
        use ScalarType as T;
        matches!(
            self,
            T::B1 | T::B4 | T::B8 | T::B16 | T::B32 | T::B64 | T::B128
        )
    }

    /// Whether values are floating point, packed and narrow formats included.
    #[must_use]
    pub const fn is_float(self) -> bool {
        let opaque = matches!(
            self,
            ScalarType::Texref | ScalarType::Samplerref | ScalarType::Surfref
        );
        let other = self.is_bits() || self.is_signed() || self.is_unsigned();
        !(opaque || other || matches!(self, ScalarType::Pred))
    }

    /// How many values one operand holds: 2 for `f16x2`, 4 for `u8x4`, else 1.
    #[must_use]
    pub const fn lanes(self) -> u32 {
        use ScalarType as T;
        match self {
            T::F16x2 | T::Bf16x2 | T::F32x2 | T::U16x2 | T::S16x2 | T::E4m3x2 | T::E5m2x2 => 2,
            T::E3m2x2 | T::E2m3x2 | T::E2m1x2 | T::Ue8m0x2 | T::S2f6x2 => 2,
            T::U8x4 | T::S8x4 | T::E4m3x4 | T::E5m2x4 | T::E3m2x4 | T::E2m3x4 | T::E2m1x4 => 4,
            _ => 1,
        }
    }
}

words! {
    /// A state space (PTX ISA 5.1), with the sub-qualifiers that instructions may give.
    StateSpace {
        Reg = "reg",
        Sreg = "sreg",
        Const = "const",
        Global = "global",
        Local = "local",
        Param = "param",
        /// A parameter of the kernel.
        ParamEntry = "param::entry",
        /// A parameter of a device function.
        ParamFunc = "param::func",
        Shared = "shared",
        /// The block's own window of shared memory.
        SharedCta = "shared::cta",
        /// The shared memory of any block of the cluster.
        SharedCluster = "shared::cluster",
        Tex = "tex",
    }
}

impl StateSpace {
    /// The space without its sub-qualifier: `shared::cta` and `shared::cluster` become `shared`.
    #[must_use]
    pub const fn base(self) -> StateSpace {
        match self {
            StateSpace::ParamEntry | StateSpace::ParamFunc => StateSpace::Param,
            StateSpace::SharedCta | StateSpace::SharedCluster => StateSpace::Shared,
            other => other,
        }
    }
}

words! {
    /// How many elements a vector has.
    VectorWidth { V2 = "v2", V4 = "v4", V8 = "v8", }
}

impl VectorWidth {
    /// Number of elements.
    #[must_use]
    pub const fn count(self) -> usize {
        match self {
            VectorWidth::V2 => 2,
            VectorWidth::V4 => 4,
            VectorWidth::V8 => 8,
        }
    }
}
