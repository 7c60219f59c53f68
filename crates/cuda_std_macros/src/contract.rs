//! The launch contract of `#[kernel(…)]`: parsing, and the static that carries it to the builder.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, Ident, Token};

/// What `#[kernel(…)]` promises about launches; absent values are 0.
#[derive(Default)]
pub(crate) struct Contract {
    block: Option<[Expr; 3]>,
    max_block: Option<Expr>,
    min_blocks: Option<Expr>,
    max_regs: Option<Expr>,
}

impl Parse for Contract {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut contract = Self::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            let value: Expr = input.parse()?;
            contract.set(&key, value)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(contract)
    }
}

impl Contract {
    fn set(&mut self, key: &Ident, value: Expr) -> syn::Result<()> {
        let slot = match key.to_string().as_str() {
            "block" => {
                let dims = dimensions(value)?;
                return store(&mut self.block, dims, key);
            }
            "max_block" => &mut self.max_block,
            "min_blocks" => &mut self.min_blocks,
            "max_regs" => &mut self.max_regs,
            other => {
                let message = format!(
                    "no kernel option `{other}`: expected `block`, `max_block`, `min_blocks` or `max_regs`"
                );
                return Err(Error::new_spanned(key, message));
            }
        };
        store(slot, value, key)
    }

    /// A `const` item that plants the contract of the entry `symbol` for the builder to read.
    pub(crate) fn carrier(&self, symbol: &Ident) -> TokenStream {
        if self.block.is_none()
            && self.max_block.is_none()
            && self.min_blocks.is_none()
            && self.max_regs.is_none()
        {
            return TokenStream::new();
        }
        let zero = || quote!(0);
        let block = match &self.block {
            Some([x, y, z]) => quote!([(#x) as u64, (#y) as u64, (#z) as u64]),
            None => quote!([0, 0, 0]),
        };
        let scalar = |e: &Option<Expr>| e.as_ref().map_or_else(zero, |e| quote!((#e) as u64));
        let (max_block, min_blocks, max_regs) = (
            scalar(&self.max_block),
            scalar(&self.min_blocks),
            scalar(&self.max_regs),
        );
        let symbol = symbol.to_string();
        quote! {
            const _: () = {
                const TEXT_LEN: usize = ::cuda_std::__private::contract_len(#symbol);
                const TEXT: [u8; TEXT_LEN] = ::cuda_std::__private::contract_text(
                    #block, #max_block, #min_blocks, #max_regs, #symbol,
                );
                #[cfg(target_arch = "nvptx64")]
                #[used]
                #[unsafe(link_section = ".lockstep.contract")]
                static CONTRACT: [u8; TEXT_LEN] = TEXT;
            };
        }
    }
}

/// `(x, y, z)`, `(x, y)`, or a single expression for `(x, 1, 1)`.
fn dimensions(value: Expr) -> syn::Result<[Expr; 3]> {
    let one = || syn::parse_quote!(1);
    match value {
        Expr::Tuple(tuple) => {
            let mut dims: Vec<Expr> = tuple.elems.iter().cloned().collect();
            if dims.is_empty() || dims.len() > 3 {
                return Err(Error::new_spanned(
                    tuple,
                    "a block has one, two or three dimensions",
                ));
            }
            dims.resize_with(3, one);
            let [x, y, z] = dims
                .try_into()
                .map_err(|_| Error::new_spanned(tuple, "three dimensions"))?;
            Ok([x, y, z])
        }
        scalar => Ok([scalar, one(), one()]),
    }
}

fn store<T>(slot: &mut Option<T>, value: T, key: &Ident) -> syn::Result<()> {
    if slot.replace(value).is_some() {
        return Err(Error::new_spanned(key, format!("`{key}` is given twice")));
    }
    Ok(())
}
