//! `#[derive(Pod)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error};

pub(crate) fn expand(item: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(item)?;
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "only a struct is plain old data: an enum or union has bit patterns that are no value of it",
        ));
    };
    if !has_fixed_layout(&input)? {
        return Err(Error::new_spanned(
            &input.ident,
            "plain old data has a layout of its own: add `#[repr(C)]` or `#[repr(transparent)]`",
        ));
    }
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &input.generics,
            "`Pod` is derived for structs without parameters: padding is checked for one layout",
        ));
    }
    let name = &input.ident;
    let fields: Vec<_> = data.fields.iter().map(|field| &field.ty).collect();
    Ok(quote! {
        // SAFETY: every field is plain old data, and the fields fill the struct.
        unsafe impl ::cuda_std::warp::Pod for #name {}
        const _: () = {
            const fn field<T: ::cuda_std::warp::Pod>() -> usize {
                ::core::mem::size_of::<T>()
            }
            assert!(
                ::core::mem::size_of::<#name>() == 0 #(+ field::<#fields>())*,
                "this struct has padding, whose bytes are undefined: reorder its fields or add one that fills the gap"
            );
        };
    })
}

fn has_fixed_layout(input: &DeriveInput) -> syn::Result<bool> {
    let mut fixed = false;
    for attr in input
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("repr"))
    {
        attr.parse_nested_meta(|meta| {
            fixed |= meta.path.is_ident("C") || meta.path.is_ident("transparent");
            // `align(16)` has an argument that does not matter here.
            if meta.input.peek(syn::token::Paren) {
                let _arguments: proc_macro2::Group = meta.input.parse()?;
            }
            Ok(())
        })?;
    }
    Ok(fixed)
}
