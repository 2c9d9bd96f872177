//! The derive macro `Named`: the variants of an enum, and their published names.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Error, LitStr, Result, Variant};

use crate::in_words;

/// Implements `ALL` and `name`, as visible as the enum.
pub(crate) fn implement(input: &DeriveInput) -> Result<Tokens> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "only the variants of an enum have names"));
    };
    let (ident, vis) = (&input.ident, &input.vis);
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let names = data.variants.iter().map(name).collect::<Result<Vec<_>>>()?;
    let count = variants.len();
    Ok(quote! {
        #[allow(dead_code, reason = "not every enum needs both")]
        impl #ident {
            /// All variants, in their order.
            #vis const ALL: [Self; #count] = [#(Self::#variants),*];

            /// Returns the published name.
            #vis const fn name(self) -> &'static str {
                match self { #(Self::#variants => #names),* }
            }
        }
    })
}

/// Returns the name in `#[named("…")]`, or `first_person` for `FirstPerson`.
fn name(variant: &Variant) -> Result<LitStr> {
    let mut given = variant.attrs.iter().filter(|attribute| attribute.path().is_ident("named"));
    let given = given.next().map(Attribute::parse_args).transpose()?;
    Ok(given.unwrap_or_else(|| LitStr::new(&in_words(&variant.ident.to_string()), variant.ident.span())))
}
