//! The vectors that positions and dimensions come as.

/// Two unsigned coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct UVec2 {
    /// Along x, the fastest dimension.
    pub x: u32,
    /// Along y.
    pub y: u32,
}

/// Three unsigned coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct UVec3 {
    /// Along x, the fastest dimension.
    pub x: u32,
    /// Along y.
    pub y: u32,
    /// Along z, the slowest dimension.
    pub z: u32,
}

impl UVec2 {
    /// The origin.
    pub const ZERO: Self = Self::new(0, 0);
    /// One step along every axis.
    pub const ONE: Self = Self::new(1, 1);

    /// The vector (x, y).
    #[inline(always)]
    pub const fn new(x: u32, y: u32) -> Self {
        Self { x, y }
    }

    /// x · y: the number of elements of a box with these sides.
    #[inline(always)]
    pub const fn element_product(self) -> u32 {
        self.x * self.y
    }

    /// x + y.
    #[inline(always)]
    pub const fn element_sum(self) -> u32 {
        self.x + self.y
    }

    /// The coordinates as an array.
    #[inline(always)]
    pub const fn to_array(self) -> [u32; 2] {
        [self.x, self.y]
    }
}

impl UVec3 {
    /// The origin.
    pub const ZERO: Self = Self::new(0, 0, 0);
    /// One step along every axis.
    pub const ONE: Self = Self::new(1, 1, 1);

    /// The vector (x, y, z).
    #[inline(always)]
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Self { x, y, z }
    }

    /// x · y · z: the number of elements of a box with these sides.
    #[inline(always)]
    pub const fn element_product(self) -> u32 {
        self.x * self.y * self.z
    }

    /// x + y + z.
    #[inline(always)]
    pub const fn element_sum(self) -> u32 {
        self.x + self.y + self.z
    }

    /// The first two coordinates.
    #[inline(always)]
    pub const fn truncate(self) -> UVec2 {
        UVec2::new(self.x, self.y)
    }

    /// The coordinates as an array.
    #[inline(always)]
    pub const fn to_array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

macro_rules! elementwise {
    ($($vector:ident: $trait:ident $method:ident |$a:ident, $b:ident| $each:expr, $scalar:expr;)*) => {$(
        impl core::ops::$trait for $vector {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $each
            }
        }
        impl core::ops::$trait<u32> for $vector {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: u32) -> Self {
                let ($a, $b) = (self, other);
                $scalar
            }
        }
    )*};
}

elementwise! {
    UVec2: Add add |a, b| Self::new(a.x + b.x, a.y + b.y), Self::new(a.x + b, a.y + b);
    UVec2: Sub sub |a, b| Self::new(a.x - b.x, a.y - b.y), Self::new(a.x - b, a.y - b);
    UVec2: Mul mul |a, b| Self::new(a.x * b.x, a.y * b.y), Self::new(a.x * b, a.y * b);
    UVec2: Div div |a, b| Self::new(a.x / b.x, a.y / b.y), Self::new(a.x / b, a.y / b);
    UVec2: Rem rem |a, b| Self::new(a.x % b.x, a.y % b.y), Self::new(a.x % b, a.y % b);
    UVec3: Add add |a, b| Self::new(a.x + b.x, a.y + b.y, a.z + b.z), Self::new(a.x + b, a.y + b, a.z + b);
    UVec3: Sub sub |a, b| Self::new(a.x - b.x, a.y - b.y, a.z - b.z), Self::new(a.x - b, a.y - b, a.z - b);
    UVec3: Mul mul |a, b| Self::new(a.x * b.x, a.y * b.y, a.z * b.z), Self::new(a.x * b, a.y * b, a.z * b);
    UVec3: Div div |a, b| Self::new(a.x / b.x, a.y / b.y, a.z / b.z), Self::new(a.x / b, a.y / b, a.z / b);
    UVec3: Rem rem |a, b| Self::new(a.x % b.x, a.y % b.y, a.z % b.z), Self::new(a.x % b, a.y % b, a.z % b);
}

impl From<(u32, u32)> for UVec2 {
    #[inline(always)]
    fn from((x, y): (u32, u32)) -> Self {
        Self::new(x, y)
    }
}

impl From<(u32, u32, u32)> for UVec3 {
    #[inline(always)]
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self::new(x, y, z)
    }
}
