//! The derive macros. `UserError`: a variant is an entry of a catalogue, and its fields are the facts of that entry.
//! `Named`: the variants of an enum have published names ([`named`]).
//!
//! The trait `UserError` and its attributes are documented where the trait is, in `fumi_base::errors`.

mod named;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Fields, Ident, LitStr, Path, Result, Token, Type, Variant,
    parenthesized, parse::ParseStream, parse_macro_input, parse_quote, punctuated::Punctuated,
};

#[proc_macro_derive(UserError, attributes(catalog, entry, fact, from))]
pub fn derive_user_error(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    implement(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Gives an enum `ALL`, its variants in their order, and `name`, the published name of each: `first_person` for
/// `FirstPerson`, unless `#[named("other")]` says otherwise.
#[proc_macro_derive(Named, attributes(named))]
pub fn derive_named(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    named::implement(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// The attributes of a type or of a variant.
#[derive(Default)]
struct Options {
    catalog: Option<Path>,
    entry: Option<LitStr>,
    /// The fields that are not facts.
    skipped: Vec<Ident>,
    /// The fields whose text is not quoted.
    plain: Vec<Ident>,
    /// The names of facts, each with an expression over the fields.
    made: Vec<(Ident, Expr)>,
}

/// One variant, or the struct.
enum Case {
    /// The error of another type, which has its own entry. The pattern binds it to `error`.
    Other {
        pattern: Tokens,
        /// The type of the error, if it is converted.
        from: Option<Type>,
    },
    Own(OwnCase),
}

struct OwnCase {
    path: Tokens,
    fields: Vec<Ident>,
    entry: LitStr,
    catalog: Path,
    facts: Vec<NamedFact>,
    /// The field with the error of the system, if it is a fact.
    system: Option<Ident>,
}

struct NamedFact {
    name: LitStr,
    /// An expression over the bound fields: the fact, if it has one.
    text: Tokens,
}

fn implement(input: &DeriveInput) -> Result<Tokens> {
    let options = Options::read(&input.attrs)?;
    let mut has_sentences = has_attribute(&input.attrs, "error");
    let cases = match &input.data {
        Data::Enum(data) => {
            has_sentences |= data.variants.iter().any(|variant| has_attribute(&variant.attrs, "error"));
            let cases = data.variants.iter().map(|variant| variant_case(variant, &options));
            let cases = cases.collect::<Result<Vec<_>>>()?;
            let is_field =
                |name: &Ident| cases.iter().any(|case| matches!(case, Case::Own(own) if own.fields.contains(name)));
            check_fields(options.names().chain(options.made.iter().map(|(name, _)| name)), is_field)?;
            cases
        }
        Data::Struct(data) => {
            vec![Case::Own(own_case(quote!(Self), &input.ident, &data.fields, &options, &Options::default())?)]
        }
        Data::Union(_) => return Err(Error::new_spanned(&input.ident, "an error is an enum or a struct")),
    };
    let user_error = user_error(&input.ident, &cases);
    let error = if has_sentences { Tokens::new() } else { error(&input.ident, &cases) };
    Ok(quote! {
        #[allow(unused_imports, unused_variables, reason = "a type may contain no other error, and a field may be skipped")]
        const _: () = {
            use ::std::error::Error as _;
            use ::fumi_base::errors::UserError as _;
            #user_error
            #error
        };
    })
}

/// Implements the trait.
fn user_error(name: &Ident, cases: &[Case]) -> Tokens {
    let entries = cases.iter().map(|case| match case {
        Case::Other { pattern, .. } => quote!(#pattern => error.entry()),
        Case::Own(OwnCase { path, entry, system: None, .. }) => quote!(#path { .. } => #entry),
        Case::Own(OwnCase { path, entry, system: Some(source), .. }) => {
            quote!(#path { #source, .. } => ::fumi_base::errors::entry_or_system_failure(#entry, #source))
        }
    });
    let catalogs = cases.iter().map(|case| match case {
        Case::Other { pattern, .. } => quote!(#pattern => error.catalog()),
        Case::Own(OwnCase { path, catalog, .. }) => quote!(#path { .. } => &#catalog),
    });
    let facts = cases.iter().map(|case| match case {
        Case::Other { pattern, .. } => quote!(#pattern => error.facts()),
        Case::Own(OwnCase { path, fields, facts, .. }) => {
            let facts = facts.iter().map(|NamedFact { name, text }| quote!(#text.map(|text| (#name, text))));
            quote!(#path { #(#fields),* } => ::std::vec::Vec::from_iter(
                <[::std::option::Option<(&'static str, ::fumi_base::text::BilingualText)>; _]>::into_iter([#(#facts),*]).flatten()
            ))
        }
    });
    let shapes = cases.iter().flat_map(|case| match case {
        Case::Other { .. } => Vec::new(),
        Case::Own(OwnCase { entry, catalog, facts, system, .. }) => {
            let names: Vec<_> = facts.iter().map(|fact| &fact.name).collect();
            let system = system.as_ref().map(|field| LitStr::new("SYSTEM_FAILURE", field.span()));
            let shape = |entry| {
                quote!(::fumi_base::errors::ErrorShape { entry: #entry, catalog: &#catalog, facts: &[#(#names),*] })
            };
            std::iter::once(entry).chain(&system).map(shape).collect()
        }
    });
    quote! {
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
    }
}

/// Implements `Display`, `Error` and the conversions.
fn error(name: &Ident, cases: &[Case]) -> Tokens {
    let sources = cases.iter().map(|case| match case {
        Case::Other { pattern, .. } => quote!(#pattern => error.source()),
        Case::Own(OwnCase { path, fields, .. }) if fields.iter().any(|field| field == "source") => {
            quote!(#path { source, .. } => ::std::option::Option::Some(source))
        }
        Case::Own(OwnCase { path, .. }) => quote!(#path { .. } => ::std::option::Option::None),
    });
    let conversions = cases.iter().filter_map(|case| match case {
        Case::Other { pattern, from: Some(from) } => Some(quote! {
            impl ::std::convert::From<#from> for #name {
                fn from(error: #from) -> Self {
                    #pattern
                }
            }
        }),
        _ => None,
    });
    quote! {
        impl ::std::fmt::Display for #name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(&self.english())
            }
        }
        impl ::std::error::Error for #name {
            fn source(&self) -> ::std::option::Option<&(dyn ::std::error::Error + 'static)> {
                match self { #(#sources),* }
            }
        }
        #(#conversions)*
    }
}

fn variant_case(variant: &Variant, of_type: &Options) -> Result<Case> {
    let name = &variant.ident;
    match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let from = has_attribute(&variant.attrs, "from").then(|| fields.unnamed[0].ty.clone());
            Ok(Case::Other { pattern: quote!(Self::#name(error)), from })
        }
        fields => own_case(quote!(Self::#name), name, fields, &Options::read(&variant.attrs)?, of_type).map(Case::Own),
    }
}

/// Reads a variant or struct with an entry of its own.
fn own_case(path: Tokens, name: &Ident, fields: &Fields, own: &Options, of_type: &Options) -> Result<OwnCase> {
    let mut facts = Vec::new();
    let mut bound = Vec::new();
    let mut system = None;
    for field in fields {
        let Some(field_name) = &field.ident else {
            return Err(Error::new_spanned(field, "name the field: its name is the name of the fact"));
        };
        if has_attribute(&field.attrs, "fact") {
            return Err(Error::new_spanned(field, "write the attribute at the variant"));
        }
        bound.push(field_name.clone());
        let text = if let Some(made) = own.made(field_name).or_else(|| of_type.made(field_name)) {
            quote!(::fumi_base::errors::Fact::fact(&{ #made }))
        } else if own.skipped.contains(field_name) || of_type.skipped.contains(field_name) {
            continue;
        } else if own.plain.contains(field_name) || of_type.plain.contains(field_name) {
            quote!(::fumi_base::errors::Fact::fact(#field_name))
        } else {
            quote!(::fumi_base::errors::Fact::quoted(#field_name))
        };
        let fact = if field_name == "source" {
            system = Some(field_name.clone());
            "reason".to_owned()
        } else if is_duration(&field.ty) {
            format!("{field_name}_ms")
        } else {
            field_name.to_string()
        };
        facts.push(NamedFact { name: LitStr::new(&fact, field_name.span()), text });
    }
    check_fields(own.names(), |name| bound.contains(name))?;
    facts.extend(own.made.iter().filter(|(made, _)| !bound.contains(made)).map(|(made, value)| NamedFact {
        name: LitStr::new(&made.to_string(), made.span()),
        text: quote!(::fumi_base::errors::Fact::fact(&{ #value })),
    }));
    let entry = own.entry.as_ref().or(of_type.entry.as_ref()).cloned();
    let catalog = own.catalog.as_ref().or(of_type.catalog.as_ref()).cloned();
    Ok(OwnCase {
        path,
        fields: bound,
        entry: entry.unwrap_or_else(|| LitStr::new(&in_words(&name.to_string()).to_uppercase(), name.span())),
        catalog: catalog.unwrap_or_else(|| parse_quote!(BOOK)),
        facts,
        system,
    })
}

impl Options {
    fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        for attribute in attributes {
            if attribute.path().is_ident("catalog") {
                options.catalog = Some(attribute.parse_args()?);
            } else if attribute.path().is_ident("entry") {
                options.entry = Some(attribute.parse_args()?);
            } else if attribute.path().is_ident("fact") {
                attribute.parse_args_with(|input: ParseStream<'_>| options.read_facts(input))?;
            }
        }
        Ok(options)
    }

    /// Reads the arguments of `#[fact(…)]`.
    fn read_facts(&mut self, input: ParseStream<'_>) -> Result<()> {
        while !input.is_empty() {
            let word: Ident = input.parse()?;
            if input.parse::<Option<Token![=]>>()?.is_some() {
                self.made.push((word, input.parse()?));
            } else {
                let fields;
                parenthesized!(fields in input);
                let fields = Punctuated::<Ident, Token![,]>::parse_terminated(&fields)?;
                match word.to_string().as_str() {
                    "skip" => self.skipped.extend(fields),
                    "plain" => self.plain.extend(fields),
                    _ => return Err(Error::new(word.span(), "write skip(fields), plain(fields) or name = expression")),
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }

    /// Returns the expression of a fact.
    fn made(&self, name: &Ident) -> Option<&Expr> {
        self.made.iter().find(|(made, _)| made == name).map(|(_, value)| value)
    }

    /// Returns the names that must be those of fields.
    fn names(&self) -> impl Iterator<Item = &Ident> {
        self.skipped.iter().chain(&self.plain)
    }
}

/// Refuses a name that is not that of a field.
fn check_fields<'a>(mut names: impl Iterator<Item = &'a Ident>, is_field: impl Fn(&Ident) -> bool) -> Result<()> {
    names.find(|name| !is_field(name)).map_or(Ok(()), |name| Err(Error::new(name.span(), "this is not a field")))
}

fn has_attribute(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident(name))
}

fn is_duration(of_field: &Type) -> bool {
    matches!(of_field, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Duration"))
}

/// Returns `file_not_found` for `FileNotFound`.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_ascii_uppercase() {
            words.push('_');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}
