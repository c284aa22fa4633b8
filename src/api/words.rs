//! Enums whose variants have a word each, or a row of a table.

/// Writes enums with the word of each variant: `ALL` has them in the order of their declaration,
/// `as_str` gives the word, as `{}` writes it, and `parse` reads it. Behind a colon stands what else
/// there is to know of each, which the function gives that is named below the enum. All can be
/// copied, compared and hashed.
macro_rules! words {
    ($($(#[$about:meta])* $view:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident = $word:literal,)*
    })+) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $(#[$about])*
        $view enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$variant),*];

            /// Its word.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The one with that word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )+};
    ($(#[$about:meta])* $view:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident = $word:literal: $more:expr,)*
    }
    $(#[$told:meta])* $seen:vis fn $get:ident -> $type:ty;) => {
        words! {
            $(#[$about])*
            $view enum $name {
                $($(#[$doc])* $variant = $word,)*
            }
        }

        impl $name {
            $(#[$told])*
            $seen const fn $get(self) -> $type {
                match self {
                    $(Self::$variant => $more,)*
                }
            }
        }
    };
}

/// Writes an enum with what there is to know of each variant, whatever it holds; the function that
/// is named below the enum gives it, of a reference where `(&)` stands behind its name.
macro_rules! rows {
    ($(#[$about:meta])* $view:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident $(($($field:ty),+))? = $row:expr,)*
    }
    $(#[$told:meta])* $seen:vis fn $get:ident $(($by:tt))? -> $type:ty;) => {
        $(#[$about])*
        $view enum $name {
            $($(#[$doc])* $variant $(($($field),+))?,)*
        }

        impl $name {
            $(#[$told])*
            $seen const fn $get($($by)? self) -> $type {
                match self {
                    $(Self::$variant { .. } => $row,)*
                }
            }
        }
    };
}

pub(crate) use {rows, words};
