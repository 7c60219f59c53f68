//! `#[kernel]` and `#[gpu_only]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Error, FnArg, Ident, ItemFn, Pat, PatType, ReturnType, Signature, Type};

use crate::contract::Contract;

pub(crate) fn expand(attr: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let contract: Contract = syn::parse2(attr)?;
    let function: ItemFn = syn::parse2(item)
        .map_err(|e| Error::new(e.span(), "`#[kernel]` goes on an `unsafe fn`"))?;
    check_signature(&function.sig)?;
    let params = function
        .sig
        .inputs
        .iter()
        .map(Param::new)
        .collect::<syn::Result<Vec<_>>>()?;

    let ItemFn {
        attrs,
        vis,
        sig,
        block,
        ..
    } = &function;
    let name = &sig.ident;
    let statements = &block.stmts;
    let carrier = contract.carrier(name);
    let declared = params.iter().flat_map(|p| &p.declared);
    let rebuilt = params.iter().map(|p| &p.rebuilt);
    let copied = params.iter().filter_map(|p| p.copied.as_ref());
    Ok(quote! {
        #[cfg(not(target_arch = "nvptx64"))]
        #(#attrs)*
        #vis #sig {
            #(::cuda_std::__private::assert_copy::<#copied>();)*
            #(#statements)*
        }

        #[cfg(target_arch = "nvptx64")]
        ::cuda_std::__ptx_entry! {
            { #(#attrs)* #vis } #name ( #(#declared),* ) {
                #(#rebuilt)*
                #(#statements)*
            }
        }
        #carrier
    })
}

pub(crate) fn expand_gpu_only(item: TokenStream) -> syn::Result<TokenStream> {
    let ItemFn {
        attrs,
        vis,
        sig,
        block,
        ..
    } = syn::parse2(item)?;
    Ok(quote! {
        #[cfg(target_arch = "nvptx64")]
        #(#attrs)* #vis #sig #block

        #[cfg(not(target_arch = "nvptx64"))]
        #[allow(unused_variables, clippy::missing_const_for_fn)]
        #(#attrs)* #vis #sig { ::cuda_std::device_only() }
    })
}

fn check_signature(sig: &Signature) -> syn::Result<()> {
    let refuse =
        |tokens: &dyn quote::ToTokens, message: &str| Err(Error::new(tokens.span(), message));
    if !matches!(sig.safety, syn::Safety::Unsafe(_)) {
        return refuse(
            &sig.fn_token,
            "a kernel is an `unsafe fn`: nothing checks what the host passes to it",
        );
    }
    if let ReturnType::Type(_, ty) = &sig.output {
        return refuse(
            ty,
            "a kernel returns nothing: write the result through a pointer parameter",
        );
    }
    if !sig
        .generics
        .params
        .iter()
        .all(|p| matches!(p, syn::GenericParam::Lifetime(_)))
    {
        return refuse(
            &sig.generics,
            "a kernel is not generic: it is launched by its name, so write one kernel per type",
        );
    }
    if let Some(token) = &sig.asyncness {
        return refuse(token, "a kernel is not `async`");
    }
    if let Some(token) = &sig.constness {
        return refuse(token, "a kernel is not `const`");
    }
    Ok(())
}

/// The type itself: one that a macro by example passes on comes in a group without delimiters.
fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        other => other,
    }
}

/// One parameter as written, taken apart into what the entry declares.
struct Param {
    /// The entry's parameters: one, or pointer and length.
    declared: Vec<TokenStream>,
    /// Statements that give the body the parameter as it was written.
    rebuilt: TokenStream,
    /// The type to assert `Copy` for, where it is passed as it is.
    copied: Option<Type>,
}

impl Param {
    fn new(arg: &FnArg) -> syn::Result<Self> {
        match arg {
            FnArg::Receiver(receiver) => Err(Error::new_spanned(
                receiver,
                "a kernel is a free function, not a method",
            )),
            FnArg::Typed(arg) => Self::typed(arg),
        }
    }

    fn typed(arg: &PatType) -> syn::Result<Self> {
        let (pat, ty) = (&arg.pat, &arg.ty);
        if let Type::Reference(reference) = ungrouped(ty)
            && let Type::Slice(slice) = ungrouped(&reference.elem)
        {
            return Self::slice(pat, ty, &slice.elem, reference.mutability.is_some());
        }
        if let Type::Reference(reference) = ungrouped(ty)
            && let Type::Path(path) = ungrouped(&reference.elem)
            && path.path.is_ident("str")
        {
            return Err(Error::new_spanned(
                ty,
                "a `&str` has no form of its own as a kernel parameter: pass `&[u8]`",
            ));
        }
        Ok(Self {
            declared: vec![quote!(#pat: #ty)],
            rebuilt: TokenStream::new(),
            copied: Some((**ty).clone()),
        })
    }

    /// `&[T]` as `&[T; 0]` and a length: the reference type lets LLVM see that the memory is only
    /// read. `&mut [T]` as a raw pointer: `noalias` would let it keep values across a barrier.
    fn slice(pat: &Pat, ty: &Type, elem: &Type, mutable: bool) -> syn::Result<Self> {
        let Pat::Ident(binding) = pat else {
            return Err(Error::new_spanned(
                pat,
                "a slice parameter of a kernel needs a plain name",
            ));
        };
        let name: &Ident = &binding.ident;
        let (pointer, length) = (
            format_ident!("{name}_pointer"),
            format_ident!("{name}_length"),
        );
        let (declared, build) = if mutable {
            (quote!(#pointer: *mut #elem), quote!(slice_mut))
        } else {
            (quote!(#pointer: &[#elem; 0]), quote!(slice))
        };
        let rebuilt = quote! {
            // SAFETY: the host passes the pointer and length of one live buffer.
            let #pat: #ty = unsafe { ::cuda_std::__private::#build(#pointer, #length) };
        };
        Ok(Self {
            declared: vec![declared, quote!(#length: usize)],
            rebuilt,
            copied: None,
        })
    }
}
