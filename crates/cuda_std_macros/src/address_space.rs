//! `#[address_space(shared | constant | global)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, Ident, ItemStatic};

pub(crate) fn expand(attr: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let space: Ident = syn::parse2(attr.clone()).map_err(|_| {
        Error::new_spanned(
            &attr,
            "expected `shared`, `constant` or `global`, e.g. `#[address_space(shared)]`",
        )
    })?;
    let item: ItemStatic = syn::parse2(item)
        .map_err(|e| Error::new(e.span(), "`#[address_space]` goes on a `static`"))?;
    let section = match space.to_string().as_str() {
        "shared" => ".shared",
        "constant" => ".constant",
        "global" => return Ok(quote!(#item)),
        other => {
            let message =
                format!("no address space `{other}`: expected `shared`, `constant` or `global`");
            return Err(Error::new_spanned(space, message));
        }
    };
    Ok(quote! {
        #[cfg_attr(target_arch = "nvptx64", unsafe(link_section = #section))]
        #item
    })
}
