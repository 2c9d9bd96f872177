//! The derive macro `UserError`: a variant is an entry of a catalogue, and its fields are the facts of that entry.
//!
//! The trait and the attributes are documented where the trait is, in `fumi_base::errors`.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{
    Attribute, Data, DeriveInput, Error, Fields, Ident, LitStr, MetaNameValue, Path, Result, Token,
    parse::{Parse, ParseStream},
    parse_macro_input,
};

#[proc_macro_derive(UserError, attributes(catalog, entry, quoted, fact))]
pub fn derive_user_error(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    implement(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// One variant, or the struct.
enum Case {
    /// The error of another type, which has its own entry. The pattern binds it to `error`.
    Other {
        pattern: Tokens,
    },
    Own(OwnCase),
}

struct OwnCase {
    path: Tokens,
    /// A pattern that binds all fields.
    binding: Tokens,
    entry: LitStr,
    catalog: Path,
    facts: Vec<NamedFact>,
    /// The field with the error of the system, if it is a fact.
    source: Option<Ident>,
}

struct NamedFact {
    name: LitStr,
    /// An expression over the bound fields: the fact, if it has one.
    text: Tokens,
}

fn implement(input: &DeriveInput) -> Result<Tokens> {
    let catalog = attribute::<Path>(&input.attrs, "catalog")?
        .ok_or_else(|| Error::new_spanned(&input.ident, "name the catalogue, such as #[catalog(BOOK)]"))?;
    let cases = match &input.data {
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|variant| {
                let name = &variant.ident;
                if is_transparent(&variant.attrs) {
                    return Ok(Case::Other { pattern: quote!(Self::#name(error)) });
                }
                let entry = entry(&variant.attrs, name)?;
                let catalog = attribute(&variant.attrs, "catalog")?.unwrap_or_else(|| catalog.clone());
                own(&quote!(Self::#name), &variant.attrs, &variant.fields, catalog, entry)
            })
            .collect::<Result<Vec<_>>>()?,
        Data::Struct(data) => {
            let entry = entry(&input.attrs, &input.ident)?;
            vec![own(&quote!(Self), &input.attrs, &data.fields, catalog, entry)?]
        }
        Data::Union(_) => return Err(Error::new_spanned(&input.ident, "an error is an enum or a struct")),
    };
    let entries = cases.iter().map(|case| match case {
        Case::Other { pattern } => quote!(#pattern => error.entry()),
        Case::Own(OwnCase { path, entry, source: None, .. }) => quote!(#path { .. } => #entry),
        Case::Own(OwnCase { path, entry, source: Some(source), .. }) => {
            quote!(#path { #source, .. } => ::fumi_base::errors::entry_or_system_failure(#entry, #source))
        }
    });
    let catalogs = cases.iter().map(|case| match case {
        Case::Other { pattern } => quote!(#pattern => error.catalog()),
        Case::Own(OwnCase { path, catalog, .. }) => quote!(#path { .. } => &#catalog),
    });
    let facts = cases.iter().map(|case| match case {
        Case::Other { pattern } => quote!(#pattern => error.facts()),
        Case::Own(OwnCase { binding, facts, .. }) => {
            let facts = facts
                .iter()
                .map(|NamedFact { name, text }| quote!(#text.map(|text| (#name, text))));
            quote!(#binding => ::std::vec::Vec::from_iter(
                <[::std::option::Option<(&'static str, ::fumi_base::text::BilingualText)>; _]>::into_iter([#(#facts),*]).flatten()
            ))
        }
    });
    let shapes = cases.iter().flat_map(|case| match case {
        Case::Other { .. } => Vec::new(),
        Case::Own(OwnCase {
            entry,
            catalog,
            facts,
            source,
            ..
        }) => {
            let names: Vec<_> = facts.iter().map(|fact| &fact.name).collect();
            let system = source.as_ref().map(|field| LitStr::new("SYSTEM_FAILURE", field.span()));
            let shape = |entry| {
                quote!(::fumi_base::errors::ErrorShape { entry: #entry, catalog: &#catalog, facts: &[#(#names),*] })
            };
            std::iter::once(entry).chain(&system).map(shape).collect()
        }
    });
    let name = &input.ident;
    Ok(quote! {
        #[allow(unused_imports, unused_variables, reason = "a type may contain no other error, and a field may be skipped")]
        const _: () = {
        use ::fumi_base::errors::UserError as _;
        impl ::fumi_base::errors::UserError for #name {
            fn entry(&self) -> &'static str {
                match self { #(#entries),* }
            }
            fn catalog(&self) -> &'static ::fumi_base::errors::ErrorCatalog {
                match self { #(#catalogs),* }
            }
            fn facts(&self) -> ::fumi_base::errors::Facts {
                match self { #(#facts),* }
            }
            fn shapes() -> ::std::vec::Vec<::fumi_base::errors::ErrorShape> {
                ::std::vec![#(#shapes),*]
            }
        }
        };
    })
}

/// Reads a variant or struct with an entry of its own.
fn own(path: &Tokens, attributes: &[Attribute], fields: &Fields, catalog: Path, entry: LitStr) -> Result<Case> {
    let mut facts = Vec::new();
    let mut bound = Vec::new();
    let mut source = None;
    for field in fields {
        let Some(name) = &field.ident else {
            return Err(Error::new_spanned(field, "name the field: its name is the name of the fact"));
        };
        bound.push(name);
        let is_quoted = field.attrs.iter().any(|attribute| attribute.path().is_ident("quoted"));
        let mut fact = NamedFact {
            name: LitStr::new(&name.to_string(), name.span()),
            text: if is_quoted {
                quote!(::fumi_base::errors::QuotedFact::quoted(#name))
            } else {
                quote!(::fumi_base::errors::Fact::fact(#name))
            },
        };
        match attribute(&field.attrs, "fact")? {
            Some(FieldOption::Skip) => continue,
            Some(FieldOption::Name(other)) => fact.name = other,
            Some(FieldOption::With(_)) if is_quoted => {
                return Err(Error::new_spanned(field, "quote the text in the function instead"));
            }
            Some(FieldOption::With(function)) => {
                fact.text = quote!(::fumi_base::errors::Fact::fact(&#function(#name)));
            }
            None => {}
        }
        facts.push(fact);
        if name == "source" {
            source = Some(name.clone());
        }
    }
    for computed in attributes.iter().filter(|attribute| attribute.path().is_ident("fact")) {
        let MetaNameValue { path, value, .. } = computed.parse_args()?;
        let name = path.require_ident()?;
        facts.push(NamedFact {
            name: LitStr::new(&name.to_string(), name.span()),
            text: quote!(::fumi_base::errors::Fact::fact(&{ #value })),
        });
    }
    Ok(Case::Own(OwnCase { path: path.clone(), binding: quote!(#path { #(#bound),* }), entry, catalog, facts, source }))
}

/// The argument of `#[fact(…)]` at a field.
enum FieldOption {
    Skip,
    Name(LitStr),
    With(Path),
}

impl Parse for FieldOption {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(LitStr) {
            return input.parse().map(Self::Name);
        }
        let word: Ident = input.parse()?;
        if word == "skip" {
            return Ok(Self::Skip);
        }
        if word != "with" {
            return Err(Error::new(word.span(), "write skip, with = function, or a name in quotes"));
        }
        input.parse::<Token![=]>()?;
        input.parse().map(Self::With)
    }
}

/// Returns the name of the entry of a variant or struct.
fn entry(attributes: &[Attribute], name: &Ident) -> Result<LitStr> {
    attribute(attributes, "entry")?
        .ok_or_else(|| Error::new_spanned(name, "name the entry, such as #[entry(\"FILE_NOT_FOUND\")]"))
}

/// Returns the argument of an attribute, if the attribute is there.
fn attribute<T: Parse>(attributes: &[Attribute], name: &str) -> Result<Option<T>> {
    let found = attributes.iter().find(|attribute| attribute.path().is_ident(name));
    found.map(Attribute::parse_args).transpose()
}

/// True if `thiserror` passes the variant on to the error in it.
fn is_transparent(attributes: &[Attribute]) -> bool {
    let mut errors = attributes.iter().filter(|attribute| attribute.path().is_ident("error"));
    errors.any(|attribute| attribute.parse_args::<Ident>().is_ok_and(|word| word == "transparent"))
}
