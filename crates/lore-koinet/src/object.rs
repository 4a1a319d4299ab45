//! Reading structures from JSON objects only.
//!
//! Derived deserialisers also accept an array with the values of the fields in order. No other node
//! writes or reads that form, so its signature would be valid here only.

use serde::de::{Deserializer, Visitor};

/// A deserialiser that accepts a structure only in object form.
pub(crate) struct Object<D>(pub(crate) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Object<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map struct enum
        identifier ignored_any
    }
}

/// Makes structures with `#[serde(remote = "Self")]` readable from objects only; those marked
/// `both` are serialisable as well.
macro_rules! object {
    (read $name:ident) => {
        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                Self::deserialize($crate::object::Object(deserializer))
            }
        }
    };
    (both $name:ident) => {
        $crate::object::object!(read $name);

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                Self::serialize(self, serializer)
            }
        }
    };
}

pub(crate) use object;
